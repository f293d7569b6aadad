import { order, registration, shipping } from '../examples.ts';
import type { Answer } from '../house.ts';
import { asked as availability, pathOf, type Day, type VisitKind } from '../visits.ts';
import { STATUS_DETAILS, STEPS } from '../../src/lab-testing/orders/status.ts';
import { SCENARIO_NAMES } from '../../src/lab-testing/simulation/scenarios.ts';
import { change, somebody, type Clinic, type Person, type Placed } from './clinic.ts';
import type { Dice } from '../dice.ts';

/** Something that somebody does. What is not possible now is asked for all the same: it has to be refused well. */
export type Deed = (clinic: Clinic, roll: Dice) => Promise<unknown>;

const PHYSICIAN = { physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' } };

export const anyone = (clinic: Clinic, { pick }: Dice): Person | undefined =>
  clinic.people.size === 0 ? undefined : pick([...clinic.people.values()]);

export const anyOrder = (clinic: Clinic, { pick }: Dice, modality?: string): Placed | undefined => {
  const all = [...clinic.orders.values()].filter(
    (one) => modality === undefined || one.modality === modality,
  );
  // The young are busier than the old.
  const some = all.slice(-6);
  return some.length === 0 ? undefined : pick(some);
};

/** Writes down an order that was answered. */
function note(clinic: Clinic, { status, json }: Answer): void {
  if (status !== 200) return;
  const { id, user_id: userId, lab_test: test, sample_id: sampleId } = json.order;
  clinic.orders.set(id, { id, userId, modality: test.method });
  if (test.method === 'testkit' && sampleId !== null) clinic.kits.set(id, sampleId);
}

const createUser: Deed = async (clinic, roll) => {
  const clientUserId = `c-${roll.below(12)}`;
  const { status, json } = await change(clinic, roll, {
    method: 'post',
    path: '/v2/user',
    body: { client_user_id: clientUserId },
  });
  if (status === 200) clinic.people.set(json.user_id, { id: json.user_id, clientUserId, deleted: false });
};

const place: Deed = async (clinic, roll) => {
  const user = anyone(clinic, roll);
  if (!user) return;
  const test = roll.pick(clinic.tests);
  const activate_by = roll.once(8) ? { activate_by: '2026-03-20' } : {};
  const body = { ...order(user.id, test.id), ...PHYSICIAN, patient_details: somebody(roll), ...activate_by };
  note(clinic, await change(clinic, roll, { method: 'post', path: '/v3/order', body }));
};

const sendKit: Deed = async (clinic, roll) => {
  const user = anyone(clinic, roll);
  const kit = clinic.tests.find(({ method }) => method === 'testkit');
  if (!user || !kit) return;
  const body = { user_id: user.id, lab_test_id: kit.id, shipping_details: shipping };
  note(clinic, await change(clinic, roll, { method: 'post', path: '/v3/order/testkit', body }));
};

const register: Deed = async (clinic, roll) => {
  const user = anyone(clinic, roll);
  if (!user) return;
  const known = [...clinic.kits.entries()].slice(-5);
  const [orderId, kit] = known.length === 0 ? [] : roll.pick(known);
  const holder = orderId !== undefined && !roll.once(4) ? clinic.orders.get(orderId)?.userId : user.id;
  const sampleId = kit === undefined || roll.once(4) ? `STOCK-${roll.below(4)}` : kit;
  const body = { ...registration(sampleId, holder), patient_details: somebody(roll) };
  note(clinic, await change(clinic, roll, { method: 'post', path: '/v3/order/testkit/register', body }));
};

const importOrder: Deed = async (clinic, roll) => {
  const user = anyone(clinic, roll);
  if (!user) return;
  const test = roll.pick(clinic.tests);
  const { lab_test_id: _none, ...rest } = order(user.id, test.id);
  const body = {
    ...rest,
    ...PHYSICIAN,
    patient_details: somebody(roll),
    billing_type: 'client_bill',
    collection_method: test.method,
    order_set: { lab_test_ids: [test.id] },
    sample_id: `IMPORTED-${roll.below(5)}`,
  };
  note(clinic, await change(clinic, roll, { method: 'post', path: '/v3/order/import', body }));
};

const recreate: Deed = async (clinic, roll) => {
  const old = anyOrder(clinic, roll);
  if (!old) return;
  const test = clinic.tests.find(({ method }) => method === old.modality);
  const body = {
    ...order(old.userId, test?.id ?? ''),
    ...PHYSICIAN,
    patient_details: somebody(roll),
    recreate_from_order_id: old.id,
    update_reason: roll.pick(['INCORRECT_LAB', 'OTHER', 'INCORRECT_PATIENT']),
  };
  note(clinic, await change(clinic, roll, { method: 'post', path: '/v3/order', body }));
};

const ofOrder =
  (method: 'post' | 'patch', ending: string, body?: (roll: Dice) => object): Deed =>
  async (clinic, roll) => {
    const one = anyOrder(clinic, roll);
    const path = `/v3/order/${one?.id}${ending}`;
    if (one) note(clinic, await change(clinic, roll, { method, path, ...(body && { body: body(roll) }) }));
  };

const simulate: Deed = async (clinic, roll) => {
  const one = anyOrder(clinic, roll);
  if (!one) return;
  const flags = {
    interpretation: roll.pick(['normal', 'normal', 'abnormal', 'critical']),
    has_missing_results: roll.once(4),
  };
  const detail = roll.once(4) ? `&status_detail=${roll.pick(STATUS_DETAILS)}` : '';
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
  await change(clinic, roll, wish);
};

const visited = (clinic: Clinic, roll: Dice) => {
  const kind: VisitKind = roll.once(2) ? 'psc' : 'phlebotomy';
  const one = anyOrder(clinic, roll, kind === 'psc' ? 'walk_in_test' : 'at_home_phlebotomy');
  return { kind, one };
};

/** One of the first slots, so that several want the same. */
async function someKey({ team }: Clinic, roll: Dice, kind: VisitKind): Promise<string | undefined> {
  const answer = await availability(team, kind);
  const days: Day[] = answer.json?.slots ?? [];
  const slots = days.flatMap((day) => day.slots).slice(roll.once(4) ? 0 : 20);
  return slots[roll.below(3)]?.booking_key;
}

const arrange =
  (method: 'post' | 'patch', what: '/book' | '/reschedule'): Deed =>
  async (clinic, roll) => {
    const { kind, one } = visited(clinic, roll);
    if (!one) return;
    const booking_key = await someKey(clinic, roll, kind);
    if (booking_key === undefined) return;
    const body = { booking_key, ...(roll.once(4) && kind === 'psc' ? { async_confirmation: true } : {}) };
    await change(clinic, roll, { method, path: pathOf(kind, one.id, what), body });
  };

const request: Deed = async (clinic, roll) => {
  const one = anyOrder(clinic, roll, 'at_home_phlebotomy');
  if (!one) return;
  const address = { first_line: '548 Market Street', city: 'San Francisco', state: 'CA', zip_code: '94104' };
  const body = { address, provider: 'phlebfinders' };
  await change(clinic, roll, { method: 'post', path: pathOf('phlebotomy', one.id, '/request'), body });
};

const callOff: Deed = async (clinic, roll) => {
  const { kind, one } = visited(clinic, roll);
  if (!one) return;
  const { json } = await clinic.team.get(`/v3/order/${kind}/appointment/cancellation-reasons`);
  const body = { cancellation_reason_id: json[0].id };
  await change(clinic, roll, { method: 'patch', path: pathOf(kind, one.id, '/cancel'), body });
};

// prettier-ignore
export const orderDeeds: Readonly<Record<string, Deed>> = {
  'create a user':    createUser,
  'place':            place,
  'place again':      place,
  'send a kit':       sendKit,
  'register':         register,
  'import':           importOrder,
  'recreate':         recreate,
  'cancel':           ofOrder('post', '/cancel'),
  'draw':             ofOrder('patch', '/draw_completed'),
  'put off':          ofOrder('patch', '', ({ pick }) => ({ activate_by: pick(['2026-03-10', '2026-05-01', null]) })),
  'simulate':         simulate,
  'simulate on':      simulate,
  'simulate further': simulate,
  'book':             arrange('post', '/book'),
  'move a visit':     arrange('patch', '/reschedule'),
  'request a visit':  request,
  'call a visit off': callOff,
};
