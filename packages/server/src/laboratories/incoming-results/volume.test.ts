import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../../test/seeded-random.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { observationsOf } from '../../../test/received-reports.ts';
import type { ReceivedReport, RequestedTest } from '../../adapters/lab-network/port.ts';
import { inTenant } from '../../app.ts';
import { resolveOrderSet, type LabTest } from '../../ordering/catalog/catalog.ts';
import { advanceOrder, insertOrder, type Order } from '../../ordering/orders/orders.ts';
import { receiveReport, type ReportReceipt } from './incoming-results.ts';

/**
 * A laboratory's year with all that goes wrong, and the books of it: nothing is lost, and nothing reaches a stranger.
 * `VOLUME=10000` is the whole year; what runs with every change is a quarter of it.
 */
const REPORTS = Number(process.env['VOLUME'] ?? 2_500);
const ORDERS = Math.ceil(REPORTS / 6);
/** Lanes share no orders, so that they can go side by side. */
const LANES = 4;
const BATCH = 50;

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const { below, pick } = seededRandom(20261121);

// prettier-ignore
const FIRST = ['Maria', 'Marie', 'Mary Ann', 'John', 'Jon', 'Jean', 'Joan', 'Alexander', 'Alexandra', 'Alexandre', 'Li', 'Lee', 'Bo',
  'Katherine', 'Catherine', 'Kathryn', 'Mohammed', 'Muhammad', 'Ana', 'Anna', 'Anne', 'Robert', 'Roberta', 'Zoe', 'Chloe'];
// prettier-ignore
const LAST = ['Smith', 'Smyth', 'Garcia', 'Garcia-Lopez', 'Lopez', "O'Brien", 'OBrien', 'Johnson', 'Johnston', 'Lee', 'Li', 'Nguyen',
  'Anderson', 'Andersen', 'Van der Berg', 'Vandenberg', 'Muller', 'Miller', 'Rodriguez', 'Rodrigues'];
/** Few days, so that many share one: twins, and strangers of the same name. */
const day = () => `19${60 + below(20)}-0${1 + below(9)}-1${below(10)}`;

interface VolumeTestPatient {
  readonly first_name: string;
  readonly last_name: string;
  readonly dob: string;
  readonly gender: 'male' | 'female';
}

function people(count: number): VolumeTestPatient[] {
  const made = new Map<string, VolumeTestPatient>();
  while (made.size < count) {
    const one: VolumeTestPatient = {
      first_name: pick(FIRST),
      last_name: pick(LAST),
      dob: day(),
      gender: pick(['male', 'female']),
    };
    // A twin now and then: the same but for the first name.
    for (const person of below(6) === 0 ? [one, { ...one, first_name: pick(FIRST) }] : [one]) {
      // Two who agree in everything that a laboratory is told are one to it.
      made.set(
        `${person.first_name} ${person.last_name} ${person.dob}`.toLowerCase().replaceAll(/[^a-z0-9]/g, ''),
        person,
      );
    }
  }
  return [...made.values()].slice(0, count);
}

/** Writes users and orders, as an import does; every twelfth order is cancelled. */
async function placeAll(test: LabTest): Promise<Order[]> {
  const everybody = people(ORDERS);
  const userIds = everybody.map(() => randomUUID());
  await service.ownerPool.query('alter table app_user no force row level security');
  await service.ownerPool.query(
    `insert into app_user (team_id, environment, id, client_user_id, created_at)
     select $1, 'sandbox', id, 'volume-' || id, $2 from unnest($3::uuid[]) as id`,
    [team.tenant.teamId, service.clock.now(), userIds],
  );
  const contact = { phone_number: '+14155550132', email: 'somebody@example.com' };
  const place = async (from: number) =>
    inTenant(service.app, team.tenant, async (work) => {
      const orders: Order[] = [];
      for (let n = from; n < Math.min(from + BATCH, ORDERS); n += 1) {
        const order = await insertOrder(work, {
          test,
          clientUserId: `volume-${userIds[n]}`,
          people: { ...nobody, patient: { ...contact, ...(everybody[n] as VolumeTestPatient) } },
          row: {
            user_id: userIds[n] ?? '',
            registrable: false,
            step: 'requisition_bypassed',
            sample_id: `S${100_000 + n}`,
          },
        });
        orders.push(n % 12 === 0 ? await advanceOrder(work, order, { to: 'cancelled' }) : order);
      }
      return orders;
    });
  const orders: Order[] = [];
  for (let from = 0; from < ORDERS; from += BATCH) orders.push(...(await place(from)));
  return orders;
}

const nobody = {
  patient: null,
  address: null,
  shipping: null,
  clinicalNotes: null,
  aoeAnswers: [],
  consents: [],
};

/** Whom the sample was really taken from, and what the laboratory sends of it. */
interface SentReport {
  readonly truth: string;
  readonly report: ReceivedReport;
}

const slip = (name: string) => {
  const at = below(name.length);
  return name.slice(0, at) + pick(['', 'x', name[at] ?? '', 'a']) + name.slice(at + 1);
};

function reportOf(order: Order, tests: readonly RequestedTest[]): ReceivedReport {
  const patient = order.private.patient;
  if (!patient) throw new Error('Every order has its patient');
  const status = pick(['final', 'final', 'final', 'partial', 'corrected'] as const);
  return {
    lab: order.lab_slug,
    accountNumber: null,
    controlId: randomUUID(),
    placerOrderId: pick([order.id, null]),
    sampleIds: [order.sample_id ?? ''],
    status,
    patient: {
      firstName: patient.first_name,
      lastName: patient.last_name,
      dob: patient.dob,
      gender: patient.gender === 'male' ? 'male' : 'female',
      patientId: null,
    },
    collectedAt: order.created_at,
    receivedAt: null,
    reportedAt: new Date(order.created_at.getTime() + below(40) * 3_600_000),
    laboratory: 'Volume laboratory',
    clia: null,
    observations: tests.flatMap((test) =>
      observationsOf(test, {
        value: valueOf(test),
        status: status === 'partial' ? 'preliminary' : 'final',
      }),
    ),
    notes: [],
  };
}

/** Something within the usual range, so that nobody has to be told of it at once. */
function valueOf({ expected: [first] }: RequestedTest): string {
  const low = first?.low ?? 0;
  return (low + ((first?.high ?? low + 4) - low) * (below(5) / 4)).toFixed(3);
}

type ReportFault = (sent: SentReport, lane: readonly Order[], before: readonly SentReport[]) => SentReport;
const patientOf = ({ report }: SentReport) =>
  report.patient ?? { firstName: null, lastName: null, dob: null, gender: null, patientId: null };
const changed = (sent: SentReport, change: Partial<ReceivedReport>): SentReport => ({
  ...sent,
  report: { ...sent.report, ...change },
});
const renamed = (sent: SentReport, change: object) =>
  changed(sent, { patient: { ...patientOf(sent), ...change } });

const faults: Record<string, ReportFault> = {
  none: (sent) => sent,
  again: (sent, _, before) => (before.length > 0 ? pick(before) : sent),
  'again under another id': (sent, _, before) =>
    before.length > 0 ? changed(pick(before), { controlId: randomUUID() }) : sent,
  "another's sample id": (sent, lane) =>
    changed(sent, { placerOrderId: null, sampleIds: [pick(lane).sample_id ?? ''] }),
  "another's sample id beside ours": (sent, lane) =>
    changed(sent, { sampleIds: [pick(lane).sample_id ?? ''] }),
  "another's order id": (sent, lane) => changed(sent, { placerOrderId: pick(lane).id }),
  'unknown ids': (sent) => changed(sent, { placerOrderId: randomUUID(), sampleIds: ['LOST'] }),
  'a slip in a name': (sent) => {
    const { firstName, lastName } = patientOf(sent);
    return renamed(
      sent,
      below(2) ? { firstName: slip(firstName ?? '') } : { lastName: slip(lastName ?? '') },
    );
  },
  'names exchanged': (sent) =>
    renamed(sent, { firstName: patientOf(sent).lastName, lastName: patientOf(sent).firstName }),
  "another's sample id and a slip": (sent, lane) =>
    changed(renamed(sent, { firstName: slip(patientOf(sent).firstName ?? '') }), {
      placerOrderId: null,
      sampleIds: [pick(lane).sample_id ?? ''],
    }),
  'a wrong date of birth': (sent) => renamed(sent, { dob: day() }),
  'no date of birth': (sent) => renamed(sent, { dob: null }),
  'no patient': (sent) => changed(sent, { patient: null }),
  'no patient and a wrong sample id': (sent, lane) =>
    changed(sent, { patient: null, placerOrderId: null, sampleIds: [pick(lane).sample_id ?? ''] }),
  'another laboratory': (sent) => changed(sent, { lab: 'quest' }),
  "a relative's sample id": (sent, lane) => {
    const last = patientOf(sent).lastName;
    const relatives = lane.filter(({ private: { patient } }) => patient?.last_name === last);
    return changed(sent, {
      placerOrderId: null,
      sampleIds: [pick(relatives.length > 0 ? relatives : lane).sample_id ?? ''],
    });
  },
};

function reportsOf(lane: readonly Order[], tests: readonly RequestedTest[], count: number): SentReport[] {
  const sent: SentReport[] = [];
  const names = Object.keys(faults);
  while (sent.length < count) {
    const order = pick(lane);
    const clean: SentReport = { truth: order.user_id, report: reportOf(order, tests) };
    const fault = below(3) === 0 ? undefined : faults[pick(names)];
    sent.push(fault ? fault(clean, lane, sent) : clean);
  }
  return sent;
}

it(`${REPORTS} reports with faults: the books balance, and none is attached to a stranger's order`, async () => {
  const { rows: markers } = await service.ownerPool.query<{ id: number }>(
    `select m.id from marker m join lab l on l.id = m.lab_id
     where l.slug = 'labcorp' and m.type = 'biomarker' and m.a_la_carte_enabled and m.is_orderable order by m.id limit 1`,
  );
  const markerIds = markers.map(({ id }) => id);
  const test = await inTenant(service.app, team.tenant, (work) =>
    resolveOrderSet(work, { labSlug: 'labcorp', addOn: { markerIds }, collectionMethod: 'walk_in_test' }),
  );
  const tests = test.markers.map(({ id, expectedResults, ...marker }) => ({
    ...marker,
    markerId: id,
    expected: expectedResults,
  }));
  const orders = await placeAll(test);

  const lanes = Array.from({ length: LANES }, (_, lane) => {
    const own = orders.filter((_order, n) => n % LANES === lane);
    return reportsOf(own, tests, REPORTS / LANES);
  });

  const taken = await Promise.all(lanes.map(takeAll));

  const all = lanes.flatMap((sent, lane) => sent.map((one, n) => ({ ...one, taken: taken[lane]?.[n] })));

  const owners = new Map(orders.map(({ id, user_id: userId }) => [id, userId]));
  const strangers = all.filter(
    ({ taken: one, truth }) => one?.outcome === 'attached' && owners.get(one.orderId) !== truth,
  );
  expect(strangers).toEqual([]);

  const count = (outcome: ReportReceipt['outcome']) =>
    all.filter(({ taken: one }) => one?.outcome === outcome).length;
  const books = { attached: count('attached'), review: count('review'), repeat: count('repeat') };
  expect(books.attached + books.review + books.repeat).toBe(REPORTS);
  // Enough of each, or the books prove nothing.
  expect(Math.min(books.attached, books.review)).toBeGreaterThan(REPORTS / 5);
  expect(books.repeat).toBeGreaterThan(REPORTS / 50);
  expect(await kept()).toEqual({ matched: books.attached, pending_customer_review: books.review });
  await expectVersions(orders);
}, 240_000);

/** What the database has of it, by status. */
async function kept(): Promise<Record<string, number>> {
  const { rows } = await service.ownerPool.query<{ status: string; count: number }>(
    'select status, count(*)::int from incoming_result where team_id = $1 group by status',
    [team.tenant.teamId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Versions are counted without a gap, only orders that got a report have any, and no cancelled one moved. */
async function expectVersions(orders: readonly Order[]): Promise<void> {
  const { rows } = await service.ownerPool.query(
    `select count(*) filter (where versions <> newest)::int as gaps, count(*) filter (where step = 'cancelled')::int as dead,
       count(*) filter (where step not in ('completed', 'corrected', 'partial_results'))::int as unmoved, count(*)::int as reported
     from (select o.step, count(*) as versions, max(r.version) as newest from lab_result r
       join lab_order o on o.id = r.order_id where o.team_id = $1 group by o.id, o.step) as each`,
    [team.tenant.teamId],
  );
  expect(rows[0]).toMatchObject({ gaps: 0, dead: 0, unmoved: 0 });
  expect(rows[0].reported).toBeGreaterThan(orders.length / 2);
}

/** A batch is one transaction; in it go side by side those reports that do not name the same order. */
async function takeAll(sent: readonly SentReport[]): Promise<ReportReceipt[]> {
  const taken: ReportReceipt[] = [];
  for (let from = 0; from < sent.length; from += BATCH) {
    const rounds = roundsOf(sent.slice(from, from + BATCH));
    const outcomes = await inTenant(service.app, team.tenant, async (work) => {
      const all: ReportReceipt[] = [];
      for (const round of rounds) {
        const take = ({ report }: SentReport) => receiveReport(work, report, { messageId: `${from}` });
        all.push(...(await Promise.all(round.map(take))));
      }
      return all;
    });
    taken.push(...outcomes);
  }
  return taken;
}

function roundsOf(batch: readonly SentReport[]): SentReport[][] {
  const rounds: SentReport[][] = [];
  let named = new Set<string>();
  for (const sent of batch) {
    const { placerOrderId, sampleIds, controlId } = sent.report;
    const names = [sent.truth, placerOrderId ?? '', controlId, ...sampleIds].filter((name) => name !== '');
    if (rounds.length === 0 || names.some((name) => named.has(name))) {
      rounds.push([]);
      named = new Set();
    }
    for (const name of names) named.add(name);
    rounds.at(-1)?.push(sent);
  }
  return rounds;
}
