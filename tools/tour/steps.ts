import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { TourError, type TourClient } from './client.ts';
import type { TourPage } from './page.ts';
import type { LocalReceiver } from './receiver.ts';

export interface TourStage {
  readonly team: TourClient;
  readonly page: TourPage;
  readonly receiver: LocalReceiver;
}

const LabTest = z.object({
  id: z.string(),
  name: z.string(),
  sample_type: z.string(),
  lab: z.object({ name: z.string() }).nullable(),
  markers: z.array(z.object({ name: z.string() })).nullable(),
});
export const TourOrder = z.object({
  id: z.string(),
  sample_id: z.string().nullable(),
  status: z.string(),
  last_event: z.object({ status: z.string() }),
  events: z.array(z.object({ status: z.string() })),
  details: z.object({
    data: z.object({ shipment: z.object({ outbound_tracking_url: z.string().nullable() }).nullish() }),
  }),
});
export type TourOrder = z.output<typeof TourOrder>;
const OrderAnswer = z.object({ order: TourOrder });
const TourResult = z.object({
  metadata: z.object({ patient: z.string(), laboratory: z.string().nullable(), status: z.string() }),
  results: z.array(
    z.object({
      name: z.string(),
      result: z.string(),
      unit: z.string().nullable(),
      reference_range: z.string().nullable(),
      interpretation: z.string(),
    }),
  ),
});
type TourResult = z.output<typeof TourResult>;

export async function createUser({ team, page }: TourStage): Promise<string> {
  page.step('Create a user', 'POST /v2/user');
  const name = `tour-${randomBytes(3).toString('hex')}`;
  const answer = z.object({ user_id: z.string() });
  const { user_id: id } = await team.post({ path: '/v2/user', body: { client_user_id: name }, answer });
  page.fact(`${name}: user ${id}`);
  return id;
}

export async function chooseLabTest({ team, page }: TourStage): Promise<string> {
  const path = '/v3/lab_tests?collection_method=testkit';
  page.step('Choose a lab test', `GET ${path}`);
  const [test] = await team.get({ path, answer: z.array(LabTest) });
  if (!test) throw new TourError('The team has no lab test with the collection method testkit.');
  page.fact(`${test.name}: ${test.sample_type.replaceAll('_', ' ')}, ${test.lab?.name ?? 'no laboratory'}`);
  page.fact(listNames(test.markers?.map(({ name }) => name) ?? []));
  return test.id;
}

export async function orderKit(
  stage: TourStage,
  { userId, labTestId }: { userId: string; labTestId: string },
): Promise<TourOrder> {
  const { team, page } = stage;
  page.step('Order a test kit', 'POST /v3/order/testkit');
  const body = { user_id: userId, lab_test_id: labTestId, shipping_details: HOME };
  const { order } = await team.post({ path: '/v3/order/testkit', body, answer: OrderAnswer });
  page.fact(`order ${order.id}, sample ${order.sample_id ?? 'not assigned yet'}`);
  return waitForStep(stage, { id: order.id, step: 'ordered' });
}

export async function sendKit(stage: TourStage, { id }: TourOrder): Promise<TourOrder> {
  stage.page.step('Ship the kit', 'POST /v3/order/{id}/test?final_status=with_customer');
  await stage.team.post({
    path: `/v3/order/${id}/test?final_status=with_customer&delay=1`,
    body: {},
    answer: OrderAnswer,
  });
  const order = await waitForStep(stage, { id, step: 'with_customer' });
  const url = order.details.data.shipment?.outbound_tracking_url;
  if (url) stage.page.fact(`tracking: ${url}`);
  return order;
}

export async function registerKit(
  stage: TourStage,
  { userId, sampleId }: { userId: string; sampleId: string | null },
): Promise<TourOrder> {
  stage.page.step('Register the kit', 'POST /v3/order/testkit/register');
  const body = {
    sample_id: sampleId,
    user_id: userId,
    patient_details: PATIENT,
    patient_address: HOME,
    consents: [{ consentType: 'terms-of-use' }],
  };
  const { order } = await stage.team.post({ path: '/v3/order/testkit/register', body, answer: OrderAnswer });
  return waitForStep(stage, { id: order.id, step: 'testkit_registered' });
}

export async function completeOrder(stage: TourStage, { id }: TourOrder): Promise<TourOrder> {
  stage.page.step('Complete the test', 'POST /v3/order/{id}/test');
  const body = { interpretation: 'abnormal' };
  await stage.team.post({ path: `/v3/order/${id}/test?delay=1`, body, answer: OrderAnswer });
  return waitForStep(stage, { id, step: 'completed' });
}

export async function readResult({ team, page }: TourStage, { id }: TourOrder): Promise<TourResult> {
  page.step('Read the result', 'GET /v3/order/{id}/result');
  const result = await team.get({ path: `/v3/order/${id}/result`, answer: TourResult });
  page.fact(`${result.metadata.patient}, ${result.metadata.laboratory ?? ''}, ${result.metadata.status}`);
  page.table(
    ['NAME', 'VALUE', 'UNIT', 'RANGE', 'INTERPRETATION'],
    result.results.map(({ name, result: value, unit, reference_range: range, interpretation }) => ({
      cells: [
        name.slice(0, NAME_WIDTH),
        value.slice(0, VALUE_WIDTH),
        unit ?? '',
        range ?? '',
        interpretation,
      ],
      flagged: interpretation !== 'normal',
    })),
  );
  return result;
}

const NAME_WIDTH = 36;
const VALUE_WIDTH = 14;

/** Waits until the order has reached the step and its webhooks have arrived; without the webhooks until the timeout. */
async function waitForStep(
  { team, receiver }: TourStage,
  { id, step }: { id: string; step: string },
): Promise<TourOrder> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const order = await team.get({ path: `/v3/order/${id}`, answer: TourOrder });
    const there = order.last_event.status.endsWith(`.${step}`);
    if (there && missingWebhooks(order, receiver).length === 0) return order;
    if (performance.now() > deadline) {
      if (there) return order;
      throw new TourError(
        `The order is still at ${order.last_event.status} and did not reach ${step} in time.`,
      );
    }
    await pause(POLL_INTERVAL_MS);
  }
}

const TIMEOUT_MS = 12_000;
const POLL_INTERVAL_MS = 100;

/** The steps of the order without a verified webhook. */
export const missingWebhooks = (order: TourOrder, receiver: LocalReceiver): string[] =>
  order.events
    .map(({ status }) => status)
    .filter((status) => !receiver.received.some((one) => one.verified && one.status === status));

const LINE_WIDTH = 90;

/** As many marker names as fit on one line. */
function listNames(names: readonly string[]): string {
  let line = `${names.length} markers: `;
  for (const [index, name] of names.entries()) {
    const next = `${line}${index === 0 ? '' : ', '}${name}`;
    if (next.length > LINE_WIDTH) return `${line}, ...`;
    line = next;
  }
  return line;
}

const PATIENT = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  dob: '1985-12-10',
  gender: 'female',
  phone_number: '+14155550132',
  email: 'ada@example.com',
};

const HOME = {
  receiver_name: 'Ada Lovelace',
  first_line: '548 Market Street',
  city: 'San Francisco',
  state: 'CA',
  zip: '94104',
  country: 'US',
  phone_number: '+14155550132',
};
