import { z } from 'zod';
import { publicStatus } from '../../ordering/orders/status.ts';
import { DemoCallError, forEachAtOnce, type DemoClient } from './client.ts';
import { bookVisit } from './book-visits.ts';
import { KnownOrder, type DemoClinic } from './clinic.ts';
import type { ClinicPerson } from './people.ts';
import type { DemoOrder, DemoOrderStage } from './plan-orders.ts';

const PAGE = 500;

/** Reads the orders that an earlier run made. */
export async function readKnownOrders(client: DemoClient): Promise<Map<string, KnownOrder>> {
  const known = new Map<string, KnownOrder>();
  const answer = z.object({ orders: z.array(KnownOrder) });
  for (let page = 1, isLast = false; !isLast; page += 1) {
    const path = `/v3/orders?page=${page}&size=${PAGE}`;
    const { orders } = await client.team({ method: 'GET', path, answer });
    for (const order of orders) if (order.passthrough !== null) known.set(order.passthrough, order);
    isLast = orders.length < PAGE;
  }
  return known;
}

/** Makes what is planned for a day and not done yet: new orders first, then the stages of all orders. */
export async function runOrderDay(
  clinic: DemoClinic,
  plan: readonly DemoOrder[],
  day: number,
): Promise<void> {
  const missing = plan.filter((order) => order.day <= day && !clinic.orders.has(order.mark));
  await forEachAtOnce(missing, (order) => placeOrder(clinic, order));
  await forEachAtOnce(plan, async (order) => {
    if (order.kit?.registeredAt != null && order.kit.registeredAt <= day) await registerKit(clinic, order);
    for (const stage of order.stages) if (stage.day <= day) await advance(clinic, order, stage);
  });
}

const OrderAnswer = z.object({ order: KnownOrder });

async function placeOrder(clinic: DemoClinic, order: DemoOrder): Promise<void> {
  const person = personOf(clinic, order);
  const user_id = clinic.users.get(person.clientUserId);
  const lab_test_id = clinic.labTests.get(order.modality);
  const { patient, address, timeZone: _zone } = person;
  const common = { user_id, lab_test_id, passthrough: order.mark };
  const shipping_details = { ...address, phone_number: patient.phone_number };
  const { order: made } = order.kit
    ? await clinic.client.team({
        method: 'POST',
        path: '/v3/order/testkit',
        body: { ...common, shipping_details },
        headers: { 'x-idempotency-key': keyOf(clinic, order) },
        answer: OrderAnswer,
      })
    : await clinic.client.team({
        method: 'POST',
        path: '/v3/order',
        body: {
          ...common,
          patient_details: patient,
          patient_address: address,
          ...(order.modality === 'walk_in_test' && { physician: PHYSICIAN }),
          ...(order.isHeld && { activate_by: clinic.heldUntil }),
        },
        headers: { 'x-idempotency-key': keyOf(clinic, order) },
        answer: OrderAnswer,
      });
  clinic.orders.set(order.mark, made);
}

/** The laboratory with bookable centers asks for one. The NPI is the example of its standard. */
const PHYSICIAN = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };

const keyOf = ({ seed }: DemoClinic, { mark }: DemoOrder): string => `demo:${seed}:${mark}`;

function personOf({ people }: DemoClinic, { person }: DemoOrder): ClinicPerson {
  const found = people[person];
  if (!found) throw new Error(`There is no person ${person}`);
  return found;
}

/** A kit can be registered once. */
async function registerKit(clinic: DemoClinic, order: DemoOrder): Promise<void> {
  const known = clinic.orders.get(order.mark);
  const isRegistered = known?.events.some(({ status }) => status.endsWith('.testkit_registered')) ?? true;
  if (isRegistered || !known || known.sample_id === null) return;
  const { patient, address, clientUserId } = personOf(clinic, order);
  const answer = await clinic.client.team({
    method: 'POST',
    path: '/v3/order/testkit/register',
    body: {
      sample_id: known.sample_id,
      user_id: clinic.users.get(clientUserId),
      patient_details: patient,
      patient_address: address,
      consents: [{ consentType: 'terms-of-use' }],
    },
    answer: OrderAnswer,
  });
  clinic.orders.set(order.mark, answer.order);
}

const TRIES = 5;

const hasBeenAt = (known: KnownOrder, { modality }: DemoOrder, step: DemoOrderStage['step']): boolean =>
  known.events.some(({ status }) => status === publicStatus(modality, step));

/** Brings an order to a stage, unless it has been there: by a booking, or by simulation. */
async function advance(clinic: DemoClinic, order: DemoOrder, stage: DemoOrderStage): Promise<void> {
  if (!stage.isBooked) return simulate(clinic, order, stage);
  await simulate(clinic, order, { ...stage, step: 'requisition_created' });
  const known = clinic.orders.get(order.mark);
  if (!known || hasBeenAt(known, order, stage.step)) return;
  if (await bookVisit(clinic, { order, orderId: known.id, person: personOf(clinic, order) })) {
    await refresh(clinic, order, known);
  } else await simulate(clinic, order, stage);
}

async function refresh(clinic: DemoClinic, order: DemoOrder, { id }: KnownOrder): Promise<void> {
  const path = `/v3/order/${id}`;
  clinic.orders.set(order.mark, await clinic.client.team({ method: 'GET', path, answer: KnownOrder }));
}

/** Simulates an order to a stage, unless it has been there. */
async function simulate(clinic: DemoClinic, order: DemoOrder, stage: DemoOrderStage): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    const known = clinic.orders.get(order.mark);
    if (!known || hasBeenAt(known, order, stage.step)) return;
    try {
      const path = `/v3/order/${known.id}/test?final_status=${stage.step}`;
      const person = { seed: `${clinic.seed}/${order.person}`, day: stage.day };
      const body = { interpretation: stage.interpretation, person };
      const simulated = await clinic.client.team({ method: 'POST', path, body, answer: OrderAnswer });
      clinic.orders.set(order.mark, simulated.order);
      return;
    } catch (error) {
      // The service also moves orders: it asks the laboratory for the requisition.
      if (!(error instanceof DemoCallError) || error.status !== 409 || tried === TRIES) throw error;
    }
    await refresh(clinic, order, known);
  }
}
