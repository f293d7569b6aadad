import type { SchedulingProvider, SchedulingProviderName } from '../src/adapters/scheduling/port.ts';
import { order, patient } from './examples.ts';
import type { Answer, Caller, House, TeamInHand } from './house.ts';

/** The two kinds of visit, as a test asks for them. */
export type VisitKind = 'psc' | 'phlebotomy';

const METHOD = { psc: 'walk_in_test', phlebotomy: 'at_home_phlebotomy' } as const;

export const home = {
  first_line: '548 Market Street',
  second_line: 'Apt 4',
  city: 'San Francisco',
  state: 'CA',
  zip_code: '94104',
};

const tests = new WeakMap<TeamInHand, Partial<Record<VisitKind, string>>>();

/** The team's lab test of this kind; at a center it is one of Quest, whose appointments can be made here. */
async function labTestOf(team: TeamInHand, kind: VisitKind): Promise<string> {
  const known = tests.get(team)?.[kind];
  if (known) return known;
  const list = (await team.get(`/v3/lab_tests?collection_method=${METHOD[kind]}`)).json;
  const found = list.find(({ lab }: { lab: { slug: string } }) => kind !== 'psc' || lab.slug === 'quest');
  const id = found ? found.id : await ownTest(team);
  tests.set(team, { ...tests.get(team), [kind]: id });
  return id;
}

async function ownTest(team: TeamInHand): Promise<string> {
  const markers = (await team.get('/v3/lab_tests/markers?lab_slug=quest&size=5')).json.markers;
  const body = { name: 'At Quest', method: 'walk_in_test', description: '', marker_ids: [markers[0].id] };
  const made = await team.post('/v3/lab_tests', body);
  if (made.status !== 200) throw new Error(`No lab test: ${made.text}`);
  return made.json.id;
}

export interface PlaceWish {
  /** What a sandbox does on purpose, by the patient's last name. */
  readonly lastName?: string;
  readonly more?: object;
  /** Where the order is walked to before. */
  readonly to?: string | null;
}

/** An order of this kind that has its requisition; answers its id. */
export async function orderFor(
  team: TeamInHand,
  kind: VisitKind,
  { lastName = 'Lovelace', more = {}, to = 'requisition_created' }: PlaceWish = {},
): Promise<string> {
  const body = order(await team.user(), await labTestOf(team, kind));
  const patient_address = { ...body.patient_address, access_notes: 'Gate code 1815' };
  const patient_details = { ...patient, last_name: lastName };
  const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };
  const placed = await team.post('/v3/order', {
    ...body,
    patient_address,
    patient_details,
    physician,
    ...more,
  });
  if (placed.status !== 200) throw new Error(`No order: ${placed.text}`);
  const { id } = placed.json.order;
  if (to !== null) {
    const walked = await team.post(`/v3/order/${id}/test?final_status=${to}`);
    if (walked.status !== 200) throw new Error(`No walk: ${walked.text}`);
  }
  return id;
}

export interface Slot {
  booking_key: string;
  start: string;
  end: string;
  expires_at: string;
  num_appointments_available: number;
}
export interface Day {
  date: string;
  location: { code: string; iana_timezone: string; distance: number } | null;
  slots: Slot[];
}

/** One center near that home: a whole city has thousands of slots. */
const CENTER = '&site_codes=QST-CA-05';

export const asked = (team: Caller, kind: VisitKind, query = ''): Promise<Answer> =>
  kind === 'psc'
    ? team.post(`/v3/order/psc/appointment/availability?lab=quest${query || CENTER}`)
    : team.post(`/v3/order/phlebotomy/appointment/availability${query}`, home);

/** Free slots, from tomorrow on: the first days of an answer may be too near for what a test means to do. */
export async function slotsOf(team: Caller, kind: VisitKind, query = ''): Promise<Slot[]> {
  const answer = await asked(team, kind, query);
  if (answer.status !== 200) throw new Error(`No availability: ${answer.text}`);
  const days: Day[] = answer.json.slots;
  const first = days[0]?.date ?? '';
  const slots = days.filter(({ date }) => date > first).flatMap((day) => day.slots);
  return slots.toSorted((a, b) => a.start.localeCompare(b.start));
}

export async function slotOf(team: Caller, kind: VisitKind, index = 0): Promise<Slot> {
  const slot = (await slotsOf(team, kind))[index];
  if (!slot) throw new Error('No slot is free');
  return slot;
}

export const pathOf = (kind: VisitKind, orderId: string, what = '') =>
  `/v3/order/${orderId}/${kind}/appointment${what}`;

/** Books the slot, or the first that is free. */
export async function book(
  team: Caller,
  kind: VisitKind,
  orderId: string,
  more: { slot?: Slot | undefined; body?: object; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const slot = more.slot ?? (await slotOf(team, kind));
  const body = { booking_key: slot.booking_key, ...more.body };
  return team.post(pathOf(kind, orderId, '/book'), body, more.headers);
}

/** Puts a provider of the test's own before the one of the sandbox: what it does not say, the sandbox does. */
export function standIn(
  house: House,
  name: SchedulingProviderName,
  change: (own: SchedulingProvider) => Partial<SchedulingProvider>,
): () => void {
  const all: Partial<Record<SchedulingProviderName, SchedulingProvider>> =
    house.app.schedulingProviders.sandbox;
  const own = all[name];
  if (!own) throw new Error(`No provider ${name}`);
  all[name] = { ...own, ...change(own) };
  return () => {
    all[name] = own;
  };
}

/** What there is of an order, counted past every lock: nothing that was refused may leave a trace. */
export async function traces(house: House, orderId: string): Promise<Record<string, number>> {
  const { rows } = await house.owner.query(
    `select (select count(*) from appointment where order_id = $1)::int as appointments,
      (select count(*) from appointment_place where order_id = $1)::int as places,
      (select count(*) from lab_order_event where order_id = $1)::int as order_events`,
    [orderId],
  );
  return rows[0];
}
