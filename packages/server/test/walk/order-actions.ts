import { order, registration, shipping } from '../examples.ts';
import type { ApiResponse } from '../service.ts';
import {
  requestAvailability as availability,
  appointmentPath,
  type AvailabilityDay,
  type AppointmentKind,
} from '../appointments.ts';
import { STATUS_DETAILS, STEPS } from '../../src/ordering/orders/status.ts';
import { SCENARIO_NAMES } from '../../src/simulation/scenarios.ts';
import { sendChange, randomPatient, type Clinic, type ClinicUser, type PlacedOrder } from './clinic.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** A random action. It is sent even if it is not possible now, because it must then be rejected properly. */
export type WalkAction = (clinic: Clinic, roll: SeededRandom) => Promise<unknown>;

const PHYSICIAN = { physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' } };

export const pickUser = (clinic: Clinic, { pick }: SeededRandom): ClinicUser | undefined =>
  clinic.users.size === 0 ? undefined : pick([...clinic.users.values()]);

export const pickOrder = (
  clinic: Clinic,
  { pick }: SeededRandom,
  modality?: string,
): PlacedOrder | undefined => {
  const all = [...clinic.orders.values()].filter(
    (one) => modality === undefined || one.modality === modality,
  );
  // Recent orders are used more often.
  const some = all.slice(-6);
  return some.length === 0 ? undefined : pick(some);
};

/** Records an order from a successful response. */
function recordOrder(clinic: Clinic, { status, json }: ApiResponse): void {
  if (status !== 200) return;
  const { id, user_id: userId, lab_test: test, sample_id: sampleId } = json.order;
  clinic.orders.set(id, { id, userId, modality: test.method });
  if (test.method === 'testkit' && sampleId !== null) clinic.kits.set(id, sampleId);
}

const createUser: WalkAction = async (clinic, roll) => {
  const clientUserId = `c-${roll.below(12)}`;
  const { status, json } = await sendChange(clinic, roll, {
    method: 'post',
    path: '/v2/user',
    body: { client_user_id: clientUserId },
  });
  if (status === 200) clinic.users.set(json.user_id, { id: json.user_id, clientUserId, deleted: false });
};

const placeOrder: WalkAction = async (clinic, roll) => {
  const user = pickUser(clinic, roll);
  if (!user) return;
  const test = roll.pick(clinic.tests);
  const activate_by = roll.oneIn(8) ? { activate_by: '2026-03-20' } : {};
  const body = {
    ...order(user.id, test.id),
    ...PHYSICIAN,
    patient_details: randomPatient(roll),
    ...activate_by,
  };
  recordOrder(clinic, await sendChange(clinic, roll, { method: 'post', path: '/v3/order', body }));
};

const sendKit: WalkAction = async (clinic, roll) => {
  const user = pickUser(clinic, roll);
  const kit = clinic.tests.find(({ method }) => method === 'testkit');
  if (!user || !kit) return;
  const body = { user_id: user.id, lab_test_id: kit.id, shipping_details: shipping };
  recordOrder(clinic, await sendChange(clinic, roll, { method: 'post', path: '/v3/order/testkit', body }));
};

const registerKit: WalkAction = async (clinic, roll) => {
  const user = pickUser(clinic, roll);
  if (!user) return;
  const known = [...clinic.kits.entries()].slice(-5);
  const [orderId, kit] = known.length === 0 ? [] : roll.pick(known);
  const holder = orderId !== undefined && !roll.oneIn(4) ? clinic.orders.get(orderId)?.userId : user.id;
  const sampleId = kit === undefined || roll.oneIn(4) ? `STOCK-${roll.below(4)}` : kit;
  const body = { ...registration(sampleId, holder), patient_details: randomPatient(roll) };
  recordOrder(
    clinic,
    await sendChange(clinic, roll, { method: 'post', path: '/v3/order/testkit/register', body }),
  );
};

const importOrder: WalkAction = async (clinic, roll) => {
  const user = pickUser(clinic, roll);
  if (!user) return;
  const test = roll.pick(clinic.tests);
  const { lab_test_id: _none, ...rest } = order(user.id, test.id);
  const body = {
    ...rest,
    ...PHYSICIAN,
    patient_details: randomPatient(roll),
    billing_type: 'client_bill',
    collection_method: test.method,
    order_set: { lab_test_ids: [test.id] },
    sample_id: `IMPORTED-${roll.below(5)}`,
  };
  recordOrder(clinic, await sendChange(clinic, roll, { method: 'post', path: '/v3/order/import', body }));
};

const recreateOrder: WalkAction = async (clinic, roll) => {
  const old = pickOrder(clinic, roll);
  if (!old) return;
  const test = clinic.tests.find(({ method }) => method === old.modality);
  const body = {
    ...order(old.userId, test?.id ?? ''),
    ...PHYSICIAN,
    patient_details: randomPatient(roll),
    recreate_from_order_id: old.id,
    update_reason: roll.pick(['INCORRECT_LAB', 'OTHER', 'INCORRECT_PATIENT']),
  };
  recordOrder(clinic, await sendChange(clinic, roll, { method: 'post', path: '/v3/order', body }));
};

const changeOrder =
  (method: 'post' | 'patch', ending: string, body?: (roll: SeededRandom) => object): WalkAction =>
  async (clinic, roll) => {
    const one = pickOrder(clinic, roll);
    const path = `/v3/order/${one?.id}${ending}`;
    if (one)
      recordOrder(
        clinic,
        await sendChange(clinic, roll, { method, path, ...(body && { body: body(roll) }) }),
      );
  };

const simulateOrder: WalkAction = async (clinic, roll) => {
  const one = pickOrder(clinic, roll);
  if (!one) return;
  const flags = {
    interpretation: roll.pick(['normal', 'normal', 'abnormal', 'critical']),
    has_missing_results: roll.oneIn(4),
  };
  const detail = roll.oneIn(4) ? `&status_detail=${roll.pick(STATUS_DETAILS)}` : '';
  const query = roll.pick([
    () => 'step=true',
    () => 'final_status=requisition_created',
    () => `final_status=${roll.pick(STEPS)}${detail}`,
    () => `final_status=${roll.pick(STEPS)}&delay=${roll.below(61)}`,
    () => `scenario=${roll.pick(SCENARIO_NAMES)}`,
    () => `scenario=${roll.pick(SCENARIO_NAMES)}&step=true`,
    () => `scenario=${roll.pick(SCENARIO_NAMES)}&delay=${roll.below(61)}`,
  ])();
  const wish = { method: 'post', path: `/v3/order/${one.id}/test?${query}`, body: flags } as const;
  await sendChange(clinic, roll, wish);
};

const pickVisit = (clinic: Clinic, roll: SeededRandom) => {
  const kind: AppointmentKind = roll.oneIn(2) ? 'psc' : 'phlebotomy';
  const one = pickOrder(clinic, roll, kind === 'psc' ? 'walk_in_test' : 'at_home_phlebotomy');
  return { kind, one };
};

/** A booking key of one of the first slots, so that actions compete for the same slots. */
async function pickBookingKey(
  { team }: Clinic,
  roll: SeededRandom,
  kind: AppointmentKind,
): Promise<string | undefined> {
  const answer = await availability(team, kind);
  const days: AvailabilityDay[] = answer.json?.slots ?? [];
  const slots = days.flatMap((day) => day.slots).slice(roll.oneIn(4) ? 0 : 20);
  return slots[roll.below(3)]?.booking_key;
}

const bookOrMove =
  (method: 'post' | 'patch', what: '/book' | '/reschedule'): WalkAction =>
  async (clinic, roll) => {
    const { kind, one } = pickVisit(clinic, roll);
    if (!one) return;
    const booking_key = await pickBookingKey(clinic, roll, kind);
    if (booking_key === undefined) return;
    const body = { booking_key, ...(roll.oneIn(4) && kind === 'psc' ? { async_confirmation: true } : {}) };
    await sendChange(clinic, roll, { method, path: appointmentPath(kind, one.id, what), body });
  };

const requestVisit: WalkAction = async (clinic, roll) => {
  const one = pickOrder(clinic, roll, 'at_home_phlebotomy');
  if (!one) return;
  const address = { first_line: '548 Market Street', city: 'San Francisco', state: 'CA', zip_code: '94104' };
  const body = { address, provider: 'phlebfinders' };
  await sendChange(clinic, roll, {
    method: 'post',
    path: appointmentPath('phlebotomy', one.id, '/request'),
    body,
  });
};

const cancelVisit: WalkAction = async (clinic, roll) => {
  const { kind, one } = pickVisit(clinic, roll);
  if (!one) return;
  const { json } = await clinic.team.get(`/v3/order/${kind}/appointment/cancellation-reasons`);
  const body = { cancellation_reason_id: json[0].id };
  await sendChange(clinic, roll, { method: 'patch', path: appointmentPath(kind, one.id, '/cancel'), body });
};

// prettier-ignore
export const orderActions: Readonly<Record<string, WalkAction>> = {
  'create a user':    createUser,
  'place':            placeOrder,
  'place again':      placeOrder,
  'send a kit':       sendKit,
  'register':         registerKit,
  'import':           importOrder,
  'recreate':         recreateOrder,
  'cancel':           changeOrder('post', '/cancel'),
  'draw':             changeOrder('patch', '/draw_completed'),
  'put off':          changeOrder('patch', '', ({ pick }) => ({ activate_by: pick(['2026-03-10', '2026-05-01', null]) })),
  'simulate':         simulateOrder,
  'simulate on':      simulateOrder,
  'simulate further': simulateOrder,
  'book':             bookOrMove('post', '/book'),
  'move a visit':     bookOrMove('patch', '/reschedule'),
  'request a visit':  requestVisit,
  'call a visit off': cancelVisit,
};
