import type { SchedulingProvider, SchedulingProviderName } from '../src/adapters/scheduling/port.ts';
import { order, patient } from './examples.ts';
import type { ApiResponse, ApiClient, TestService, TestTeam } from './service.ts';

/** The two kinds of appointments. */
export type AppointmentKind = 'psc' | 'phlebotomy';

const METHOD = { psc: 'walk_in_test', phlebotomy: 'at_home_phlebotomy' } as const;

export const home = {
  first_line: '548 Market Street',
  second_line: 'Apt 4',
  city: 'San Francisco',
  state: 'CA',
  zip_code: '94104',
};

const knownLabTests = new WeakMap<TestTeam, Partial<Record<AppointmentKind, string>>>();

/** The team's lab test of this kind; for centers one of Quest, which supports booking. */
async function labTestOf(team: TestTeam, kind: AppointmentKind): Promise<string> {
  const known = knownLabTests.get(team)?.[kind];
  if (known) return known;
  const list = (await team.get(`/v3/lab_tests?collection_method=${METHOD[kind]}`)).json;
  const found = list.find(({ lab }: { lab: { slug: string } }) => kind !== 'psc' || lab.slug === 'quest');
  const id = found ? found.id : await createQuestLabTest(team);
  knownLabTests.set(team, { ...knownLabTests.get(team), [kind]: id });
  return id;
}

async function createQuestLabTest(team: TestTeam): Promise<string> {
  const markers = (await team.get('/v3/lab_tests/markers?lab_slug=quest&size=5')).json.markers;
  const body = { name: 'At Quest', method: 'walk_in_test', description: '', marker_ids: [markers[0].id] };
  const made = await team.post('/v3/lab_tests', body);
  if (made.status !== 200) throw new Error(`No lab test: ${made.text}`);
  return made.json.id;
}

interface VisitOrderOptions {
  /** The patient's last name, which selects a sandbox scenario. */
  readonly lastName?: string;
  readonly more?: object;
  /** The step that the order is simulated to; null for none. */
  readonly to?: string | null;
}

/** Places an order of this kind, by default with its requisition; returns its id. */
export async function orderFor(
  team: TestTeam,
  kind: AppointmentKind,
  { lastName = 'Lovelace', more = {}, to = 'requisition_created' }: VisitOrderOptions = {},
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

interface AvailabilitySlot {
  booking_key: string;
  start: string;
  end: string;
  expires_at: string;
  num_appointments_available: number;
}
export interface AvailabilityDay {
  date: string;
  location: { code: string; iana_timezone: string; distance: number } | null;
  slots: AvailabilitySlot[];
}

/** A single center near that home, because a whole city has thousands of slots. */
const CENTER = '&site_codes=QST-CA-05';

export const requestAvailability = (
  team: ApiClient,
  kind: AppointmentKind,
  query = '',
): Promise<ApiResponse> =>
  kind === 'psc'
    ? team.post(`/v3/order/psc/appointment/availability?lab=quest${query || CENTER}`)
    : team.post(`/v3/order/phlebotomy/appointment/availability${query}`, home);

/** Free slots after the first available day, which may be too close for rescheduling. */
export async function freeSlots(
  team: ApiClient,
  kind: AppointmentKind,
  query = '',
): Promise<AvailabilitySlot[]> {
  const answer = await requestAvailability(team, kind, query);
  if (answer.status !== 200) throw new Error(`No availability: ${answer.text}`);
  const days: AvailabilityDay[] = answer.json.slots;
  const first = days[0]?.date ?? '';
  const slots = days.filter(({ date }) => date > first).flatMap((day) => day.slots);
  return slots.toSorted((a, b) => a.start.localeCompare(b.start));
}

export async function freeSlot(team: ApiClient, kind: AppointmentKind, index = 0): Promise<AvailabilitySlot> {
  const slot = (await freeSlots(team, kind))[index];
  if (!slot) throw new Error('There is no free slot');
  return slot;
}

export const appointmentPath = (kind: AppointmentKind, orderId: string, what = '') =>
  `/v3/order/${orderId}/${kind}/appointment${what}`;

/** Books the slot, or the first free one. */
export async function bookAppointment(
  team: ApiClient,
  kind: AppointmentKind,
  orderId: string,
  more: { slot?: AvailabilitySlot | undefined; body?: object; headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
  const slot = more.slot ?? (await freeSlot(team, kind));
  const body = { booking_key: slot.booking_key, ...more.body };
  return team.post(appointmentPath(kind, orderId, '/book'), body, more.headers);
}

/** Overrides parts of a sandbox scheduling provider; returns a function that restores it. */
export function overrideProvider(
  service: TestService,
  name: SchedulingProviderName,
  change: (own: SchedulingProvider) => Partial<SchedulingProvider>,
): () => void {
  const all: Partial<Record<SchedulingProviderName, SchedulingProvider>> =
    service.app.schedulingProviders.sandbox;
  const own = all[name];
  if (!own) throw new Error(`No provider ${name}`);
  all[name] = { ...own, ...change(own) };
  return () => {
    all[name] = own;
  };
}

/** Counts the rows of an order's appointments: a rejected request must not leave any. */
export async function countAppointmentRows(
  service: TestService,
  orderId: string,
): Promise<Record<string, number>> {
  const { rows } = await service.ownerPool.query(
    `select (select count(*) from appointment where order_id = $1)::int as appointments,
      (select count(*) from appointment_place where order_id = $1)::int as places,
      (select count(*) from lab_order_event where order_id = $1)::int as order_events`,
    [orderId],
  );
  return rows[0];
}
