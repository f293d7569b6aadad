import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { TourError, type Client } from './client.ts';
import type { Page } from './page.ts';
import type { LocalReceiver } from './receiver.ts';

export interface Stage {
  readonly team: Client;
  readonly page: Page;
  readonly receiver: LocalReceiver;
}

const LabTest = z.object({
  id: z.string(),
  name: z.string(),
  sample_type: z.string(),
  lab: z.object({ name: z.string() }).nullable(),
  markers: z.array(z.object({ name: z.string() })).nullable(),
});
export const Order = z.object({
  id: z.string(),
  sample_id: z.string().nullable(),
  status: z.string(),
  last_event: z.object({ status: z.string() }),
  events: z.array(z.object({ status: z.string() })),
  details: z.object({
    data: z.object({ shipment: z.object({ outbound_tracking_url: z.string().nullable() }).nullish() }),
  }),
});
export type Order = z.output<typeof Order>;
const Answer = z.object({ order: Order });
const Result = z.object({
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
export type Result = z.output<typeof Result>;

export async function createUser({ team, page }: Stage): Promise<string> {
  page.step('A user', 'POST /v2/user');
  const name = `tour-${randomBytes(3).toString('hex')}`;
  const answer = z.object({ user_id: z.string() });
  const { user_id: id } = await team.post({ path: '/v2/user', body: { client_user_id: name }, answer });
  page.fact(`${name} is ${id}`);
  return id;
}

export async function chooseLabTest({ team, page }: Stage): Promise<string> {
  const path = '/v3/lab_tests?collection_method=testkit';
  page.step('A lab test', `GET ${path}`);
  const [test] = await team.get({ path, answer: z.array(LabTest) });
  if (!test) throw new TourError('The team has no lab test that is collected by a test kit.');
  page.fact(`${test.name}: ${test.sample_type.replaceAll('_', ' ')}, ${test.lab?.name ?? 'no laboratory'}`);
  page.fact(sentence(test.markers?.map(({ name }) => name) ?? []));
  return test.id;
}

export async function orderKit(
  stage: Stage,
  { userId, labTestId }: { userId: string; labTestId: string },
): Promise<Order> {
  const { team, page } = stage;
  page.step('An order', 'POST /v3/order/testkit');
  const body = { user_id: userId, lab_test_id: labTestId, shipping_details: HOME };
  const { order } = await team.post({ path: '/v3/order/testkit', body, answer: Answer });
  page.fact(`order ${order.id}, sample ${order.sample_id ?? 'not yet'}`);
  return waitFor(stage, { id: order.id, step: 'ordered' });
}

export async function sendKit(stage: Stage, { id }: Order): Promise<Order> {
  stage.page.step('The kit travels', 'POST /v3/order/{id}/test?final_status=with_customer');
  await stage.team.post({
    path: `/v3/order/${id}/test?final_status=with_customer&delay=1`,
    body: {},
    answer: Answer,
  });
  const order = await waitFor(stage, { id, step: 'with_customer' });
  const url = order.details.data.shipment?.outbound_tracking_url;
  if (url) stage.page.fact(`tracked at ${url}`);
  return order;
}

export async function registerKit(
  stage: Stage,
  { userId, sampleId }: { userId: string; sampleId: string | null },
): Promise<Order> {
  stage.page.step('The kit is registered', 'POST /v3/order/testkit/register');
  const body = {
    sample_id: sampleId,
    user_id: userId,
    patient_details: PATIENT,
    patient_address: HOME,
    consents: [{ consentType: 'terms-of-use' }],
  };
  const { order } = await stage.team.post({ path: '/v3/order/testkit/register', body, answer: Answer });
  return waitFor(stage, { id: order.id, step: 'testkit_registered' });
}

export async function finish(stage: Stage, { id }: Order): Promise<Order> {
  stage.page.step('The lab is at work', 'POST /v3/order/{id}/test');
  const body = { interpretation: 'abnormal' };
  await stage.team.post({ path: `/v3/order/${id}/test?delay=1`, body, answer: Answer });
  return waitFor(stage, { id, step: 'completed' });
}

export async function readResult({ team, page }: Stage, { id }: Order): Promise<Result> {
  page.step('The result', 'GET /v3/order/{id}/result');
  const result = await team.get({ path: `/v3/order/${id}/result`, answer: Result });
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

/** The order when it has come to the step, and its webhooks so far have come in; or as it is when patience ends. */
async function waitFor(
  { team, receiver }: Stage,
  { id, step }: { id: string; step: string },
): Promise<Order> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const order = await team.get({ path: `/v3/order/${id}`, answer: Order });
    const there = order.last_event.status.endsWith(`.${step}`);
    if (there && missing(order, receiver).length === 0) return order;
    if (performance.now() > deadline) {
      if (there) return order;
      throw new TourError(`The order stands at ${order.last_event.status} and does not come to ${step}.`);
    }
    await pause(LOOK_EVERY_MS);
  }
}

const PATIENCE_MS = 12_000;
const LOOK_EVERY_MS = 100;

/** The steps of the order that no verified webhook told of. */
export const missing = (order: Order, receiver: LocalReceiver): string[] =>
  order.events
    .map(({ status }) => status)
    .filter((status) => !receiver.arrivals.some((one) => one.verified && one.status === status));

const LINE_WIDTH = 90;

/** As many names as fit on a line. */
function sentence(names: readonly string[]): string {
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
