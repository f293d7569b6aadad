import { z } from 'zod';
import { DAY, later } from '../../platform/clock.ts';
import { MODALITIES, type OrderModality } from '../../ordering/orders/status.ts';
import { connectDevices, waitForDevices } from './add-wearables.ts';
import { createEndpoints, hasSettledEndpoints, settleEndpoints } from './add-webhooks.ts';
import { BOOKING_LAB } from './book-visits.ts';
import { createChance, type DemoChance } from './chance.ts';
import { forEachAtOnce, type DemoClient } from './client.ts';
import { openDemoClock } from './demo-clock.ts';
import type { DemoOptions } from './options.ts';
import { createPeople, DEMO_PREFIX, type ClinicPerson } from './people.ts';
import type { DemoClinic } from './clinic.ts';
import { readKnownOrders, runOrderDay } from './place-orders.ts';
import { CLINIC_DAYS, planOrders, type DemoOrder } from './plan-orders.ts';
import { openDemoReceiver, type DemoReceiver } from './receiver.ts';
import { sendUnmatchedResults } from './send-unmatched.ts';
import { uploadReports } from './upload-reports.ts';

/** What a run has made, by name. */
type DemoCounts = Readonly<Record<string, number>>;

/**
 * Fills a sandbox through the API: sets its clock two years back, then places and advances orders day by day as the
 * clock moves to the present. What exists is not made again, so an interrupted run is continued by the next.
 */
export async function fillClinic(options: DemoOptions): Promise<DemoCounts> {
  const { client, seed, report } = options;
  const chance = createChance(seed);
  const people = createPeople(chance, options.people);
  const plan = planOrders(chance, options.people);
  const users = await readUsers(options);
  if (users.size >= people.length && (await hasSettledEndpoints(options))) {
    report('This sandbox holds a complete demo already: nothing was made.');
    return {};
  }
  const clock = await openDemoClock(options, users.size === 0);
  report(`${people.length} people, ${plan.length} orders`);
  await createUsers(options, people, users);
  const clinic: DemoClinic = {
    client,
    seed,
    people,
    users,
    orders: await readKnownOrders(client),
    heldUntil: dayOf(later(options.now(), HELD_DAYS * DAY)),
    visitsFrom: dayOf(later(options.now(), VISITS_AFTER_DAYS * DAY)),
    labTests: await findLabTests(client),
  };
  for (const day of daysOf(plan)) {
    if (day >= CLINIC_DAYS) break;
    await clock.moveTo(day);
    await runOrderDay(clinic, plan, day);
    if (day % REPORT_EVERY_DAYS === 0) report(`${dayOf(clock.dateOf(day))}: ${clinic.orders.size} orders`);
  }
  await clock.moveTo(CLINIC_DAYS);
  const receiver = await openDemoReceiver();
  try {
    const counts = await fillPresent(options, { clinic, plan, chance, receiver });
    await clock.moveToPresent();
    return counts;
  } finally {
    await receiver.close();
  }
}

interface PresentPlan {
  readonly clinic: DemoClinic;
  readonly plan: readonly DemoOrder[];
  readonly chance: DemoChance;
  readonly receiver: DemoReceiver;
}

/** What happens today: critical and unmatched results, devices, uploads, and webhooks that fail. */
async function fillPresent(
  options: DemoOptions,
  { clinic, plan, chance, receiver }: PresentPlan,
): Promise<DemoCounts> {
  const { report } = options;
  report("devices, webhooks and today's orders");
  const devices = await connectDevices(clinic);
  const endpoints = await createEndpoints(options, receiver);
  await runOrderDay(clinic, plan, CLINIC_DAYS);
  report('unmatched results and uploaded reports');
  const unmatched = await sendUnmatchedResults(options, clinic);
  await enableReview(options);
  const uploads = await uploadReports(options, clinic, chance);
  report('retries of webhooks, and the history of devices');
  await settleEndpoints(options, endpoints, receiver);
  await waitForDevices(clinic, devices);
  return {
    users: clinic.people.length,
    orders: plan.length,
    'orders with results': plan.filter(({ stages }) => stages.at(-1)?.step === 'completed').length,
    'booked visits': plan.filter(({ stages }) => stages.at(-1)?.isBooked === true).length,
    'critical results': plan.filter(({ stages }) => stages.at(-1)?.interpretation === 'critical').length,
    'unmatched results': unmatched,
    'uploaded reports': uploads,
    'people with devices': devices.length,
    'webhook endpoints': endpoints.ids.length,
  };
}

const enableReview = ({ client, orgId, teamId }: DemoOptions): Promise<unknown> =>
  client.management({
    method: 'PATCH',
    path: `/v1/org/${orgId}/team/${teamId}`,
    body: { sandbox: { lab_report_review_enabled: true } },
    answer: z.unknown(),
  });

const HELD_DAYS = 30;
/** Not today: the demo takes a minute, and an appointment of the next hours would soon be over. */
const VISITS_AFTER_DAYS = 1;
const REPORT_EVERY_DAYS = 140;
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

const daysOf = (plan: readonly DemoOrder[]): number[] =>
  [...new Set(plan.flatMap(({ day, stages }) => [day, ...stages.map((stage) => stage.day)]))].toSorted(
    (a, b) => a - b,
  );

const USERS_PAGE = 500;

/** The users of the team by client_user_id. Throws for users that no demo made, unless they may exist. */
async function readUsers({ client, again }: DemoOptions): Promise<Map<string, string>> {
  const answer = z.object({ users: z.array(z.object({ user_id: z.string(), client_user_id: z.string() })) });
  const users = new Map<string, string>();
  for (let isLast = false; !isLast;) {
    const path = `/v2/user?limit=${USERS_PAGE}&offset=${users.size}`;
    const page = await client.team({ method: 'GET', path, answer });
    for (const user of page.users) users.set(user.client_user_id, user.user_id);
    isLast = page.users.length < USERS_PAGE;
    const foreign = page.users.find(({ client_user_id: id }) => !id.startsWith(DEMO_PREFIX));
    if (foreign && !again)
      throw new Error(
        'The sandbox of this team has users. A demo needs an empty one: create a team, or add --again to put it ' +
          'next to these users, without a history.',
      );
  }
  return users;
}

async function createUsers(
  { client }: DemoOptions,
  people: readonly ClinicPerson[],
  users: Map<string, string>,
): Promise<void> {
  await forEachAtOnce(people, async ({ clientUserId, timeZone, patient, address }) => {
    const body = {
      client_user_id: clientUserId,
      fallback_time_zone: timeZone,
      fallback_birth_date: patient.dob,
    };
    const answer = z.object({ user_id: z.string() });
    const id =
      users.get(clientUserId) ??
      (await client.team({ method: 'POST', path: '/v2/user', body, answer })).user_id;
    const { receiver_name: _name, ...home } = address;
    const info = { ...patient, address: home };
    await client.team({ method: 'PATCH', path: `/v2/user/${id}/info`, body: info, answer: z.unknown() });
    users.set(clientUserId, id);
  });
}

async function findLabTests(client: DemoClient): Promise<ReadonlyMap<OrderModality, string>> {
  const answer = z.array(
    z.object({ id: z.string(), method: z.string(), lab: z.object({ slug: z.string() }).nullable() }),
  );
  const tests = await client.team({ method: 'GET', path: '/v3/lab_tests', answer });
  return new Map(
    MODALITIES.map((modality) => {
      const ofMethod = tests.filter(({ method }) => method === modality);
      const bookable = ofMethod.find(({ lab }) => modality === 'walk_in_test' && lab?.slug === BOOKING_LAB);
      const test = bookable ?? ofMethod[0];
      if (!test) throw new Error(`The team has no lab test that is collected by ${modality}.`);
      return [modality, test.id];
    }),
  );
}
