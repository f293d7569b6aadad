import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectionMethod } from '../../packages/server/src/ordering/catalog/schema.ts';
import type { Answer, Api } from './api.ts';
import { FILE } from './sdk.ts';
import { ADDRESS, PATIENT, PHYSICIAN, type World } from './world.ts';

// Objects that calls need, made when they are asked for: most calls change what they are about.

type AppointmentKind = 'psc' | 'phlebotomy';

export async function createUser({ api, number }: World): Promise<string> {
  return (await api.post('/v2/user', { client_user_id: `client-${Date.now()}-${number()}` })).user_id;
}

export async function findLabTest(
  { api, once }: World,
  method: CollectionMethod,
  lab?: string,
): Promise<Answer> {
  const tests = await once(`tests ${method}`, () => api.get(`/v3/lab_tests?collection_method=${method}`));
  const found = tests.find((each: Answer) => lab === undefined || each.lab.slug === lab);
  return found ?? once(`test ${method} ${lab}`, () => createLabTest(api, method, lab ?? 'quest'));
}

async function createLabTest(api: Api, method: CollectionMethod, lab: string): Promise<Answer> {
  const { markers } = await api.get(`/v3/lab_tests/markers?lab_slug=${lab}&size=5`);
  return api.post('/v3/lab_tests', {
    name: `At ${lab}`,
    method,
    description: '',
    marker_ids: [markers[0].id],
  });
}

interface OrderOptions {
  readonly method: CollectionMethod;
  /** The status to which the order is simulated. */
  readonly status?: string;
  readonly more?: object;
}

export async function createOrder(world: World, { method, status, more }: OrderOptions): Promise<Answer> {
  const test = await findLabTest(world, method, method === 'walk_in_test' ? 'quest' : undefined);
  const body = {
    user_id: await createUser(world),
    lab_test_id: test.id,
    patient_details: PATIENT,
    patient_address: ADDRESS,
    physician: PHYSICIAN,
    ...more,
  };
  const { order } = await world.api.post('/v3/order', body);
  if (status !== undefined) await world.api.post(`/v3/order/${order.id}/test?final_status=${status}`);
  return order;
}

/** An order that waits for the booking of its appointment. */
export const createBookable = (world: World, kind: AppointmentKind): Promise<Answer> =>
  createOrder(world, {
    method: kind === 'psc' ? 'walk_in_test' : 'at_home_phlebotomy',
    status: 'requisition_created',
  });

/** An order with a booked appointment. */
export async function createBooked(world: World, kind: AppointmentKind): Promise<Answer> {
  const order = await createBookable(world, kind);
  const body = { booking_key: await nextBookingKey(world, kind) };
  await world.api.post(`/v3/order/${order.id}/${kind}/appointment/book`, body);
  return order;
}

export async function nextBookingKey({ api, once, number }: World, kind: AppointmentKind): Promise<string> {
  const slots = await once(`slots ${kind}`, () => findSlots(api, kind));
  const slot = slots[number() % slots.length];
  if (slot === undefined) throw new Error(`There is no free slot of ${kind}`);
  return slot;
}

/** Slots that are far enough to be rescheduled. */
async function findSlots(api: Api, kind: AppointmentKind): Promise<string[]> {
  const { zip, country: _, ...home } = ADDRESS;
  const answer =
    kind === 'psc'
      ? await api.post('/v3/order/psc/appointment/availability?lab=quest&zip_code=94104&radius=10')
      : await api.post('/v3/order/phlebotomy/appointment/availability', { ...home, zip_code: zip });
  return answer.slots.slice(2).flatMap((day: Answer) => day.slots.map((slot: Answer) => slot.booking_key));
}

export const completedOrder = (world: World) =>
  world.once('completed', () => createOrder(world, { method: 'walk_in_test', status: 'completed' }));
export const questId = async (world: World): Promise<number> => {
  const labs = await world.once('labs', () => world.api.get('/v3/lab_tests/labs'));
  return labs.find((each: Answer) => each.slug === 'quest').id;
};
export const marker = (world: World) =>
  world.once('marker', async () => {
    const { markers } = await world.api.get('/v3/lab_tests/markers?lab_slug=quest&size=5');
    return markers[0];
  });
export const someSummary = (world: World, name: 'workouts' | 'sleep'): Promise<string> =>
  world.once(`a summary of ${name}`, async () => {
    const from = dayFromNow(-20);
    return waitFor(`summary of ${name}`, async () => {
      const found = await world.api.get(`/v2/summary/${name}/${world.userId}?start_date=${from}`);
      return found[name][0]?.id;
    });
  });
export const someDevice = async (world: World): Promise<string> =>
  (await world.api.get(`/v2/user/${world.userId}/device`))[0].id;
export const payorCode = async (world: World): Promise<string> =>
  (await world.api.post('/v3/insurance/search/payor', { insurance_name: 'aetna' }))[0].code;
export const knownUser = (world: World): Promise<string> =>
  world.once('known', async () => {
    const user = await createUser(world);
    await world.api.patch(`/v2/user/${user}/info`, { ...PATIENT, address: ADDRESS });
    return user;
  });
export const insuredUser = (world: World): Promise<string> =>
  world.once('insured', async () => {
    const user = await createUser(world);
    const insured = { ...PATIENT, address: ADDRESS };
    const body = { payor_code: await payorCode(world), member_id: 'M-1', relationship: 'Self', insured };
    await world.api.post(`/v2/user/${user}/insurance`, body);
    return user;
  });
export const reportJob = (world: World): Promise<string> =>
  world.once('report', async () => {
    const form = new FormData();
    form.set('user_id', await createUser(world));
    form.append('file', new Blob([FILE.$file], { type: 'application/pdf' }), 'report.pdf');
    return (await world.api.upload('/lab_report/v1/parser/job', form)).id;
  });

/** Jobs read messages and fill the history of a demo: what they make appears some time after the answer. */
async function waitFor<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < LOOKS_MAX; count += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`There is no ${what}`);
}
const LOOK_EVERY_MS = 100;
/** At least half a minute. */
const LOOKS_MAX = 300;

export const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** A result of a laboratory that names no order of the team, so that a person has to decide. */
export async function unmatchedResult(world: World): Promise<Answer> {
  await createOrder(world, { method: 'walk_in_test', status: 'requisition_created' });
  const connection = await world.once('laboratory', () =>
    world.management.post(`${world.managed}/lab_connection`, {
      lab: 'quest',
      name: 'Quest Teterboro',
      inbound: 'mllp',
      outbound: 'none',
      lab_application: 'LIS',
      lab_facility: `LAB${Date.now()}`,
    }),
  );
  const message = [
    `MSH|^~\\&|LIS|${connection.lab_facility}|ALIQUOT|${connection.our_facility}|20260302120000||ORU^R01|M${Date.now()}|P|2.5.1`,
    'PID|1||77||Lovelace^Ada||19851210|F',
    'OBR|1|UNKNOWN|L1|100^Panel^L|||20260301090000',
    'OBX|1|NM|2345-7^Glucose^LN||90|mg/dL|70-99|N|||F',
  ].join('\r');
  await world.management.post(`${world.managed}/lab_connection/${connection.id}/simulated_message`, {
    message,
  });
  return waitFor(
    'unmatched result',
    async () => (await world.api.get('/v3/unmatched_result?limit=1')).data[0],
  );
}
