import { ApiError, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import type { OrderInput, Visit } from './draft.ts';

type Order = components['schemas']['ClientFacingOrder'];
type Provider = components['schemas']['AppointmentProviderInput'];

/** One order that is tried until its outcome is known. */
export interface Attempt {
  readonly key: string;
  readonly body: string;
}

/** Whether the service refused the request, so that there is certainly no order. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && !UNDECIDED.has(error.status);

/** A time-out, or another request with the same key that is not finished. */
const UNDECIDED = new Set([408, 409]);

/** A retry has the key of the first try, so that a lost answer never leads to a second order. */
export async function placeOrder(order: OrderInput, { key }: Attempt): Promise<Order> {
  const { data } = await client.POST('/v3/order', {
    body: order,
    params: { header: { 'X-Idempotency-Key': key, 'X-Idempotency-Error': 'no-cache' } },
  });
  if (!data) throw new Error('The service answered without the order');
  return data.order;
}

const WAIT_MS = 1000;
const WAITS = 25;

/** Visits can be booked when the laboratory has the requisition, usually after a few seconds. */
async function waitForRequisition(orderId: string): Promise<void> {
  for (let wait = 0; wait < WAITS; wait += 1) {
    const { data } = await client.GET('/v3/order/{order_id}', { params: { path: { order_id: orderId } } });
    if (data?.events.some(({ status }) => /requisition_(?:created|bypassed)/.test(status)) === true) return;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error('The laboratory has not yet received the order');
}

/**
 * In a sandbox no laboratory takes the requisition, so its step is simulated. One with a connected laboratory may refuse
 * that, and gets the requisition from there.
 */
async function simulateRequisition(orderId: string): Promise<void> {
  const query = { final_status: 'requisition_created' as const };
  await client
    .POST('/v3/order/{order_id}/test', { params: { path: { order_id: orderId }, query } })
    .catch(() => undefined);
}

interface Booking {
  readonly isSandbox: boolean;
  readonly order: Order;
  readonly visit: Visit;
  readonly address: OrderInput['patient_address'];
}

/** Books what was chosen. It fails where the slot was taken in the meantime; the order stays. */
export async function bookVisit({ isSandbox, order, visit, address }: Booking): Promise<void> {
  if (isSandbox) await simulateRequisition(order.id);
  await waitForRequisition(order.id);
  const params = {
    path: { order_id: order.id },
    header: { 'X-Idempotency-Key': `visit-${order.id}`, 'X-Idempotency-Error': 'no-cache' as const },
  };
  if (visit.kind === 'request') {
    await client.POST('/v3/order/{order_id}/phlebotomy/appointment/request', {
      params,
      body: { provider: visit.provider as Provider, address: toVisitAddress(address) },
    });
    return;
  }
  const body = { booking_key: visit.bookingKey, async_confirmation: true };
  if (order.details.type === 'walk_in_test')
    await client.POST('/v3/order/{order_id}/psc/appointment/book', { params, body });
  else await client.POST('/v3/order/{order_id}/phlebotomy/appointment/book', { params, body });
}

/** Visits write the ZIP code under another name than orders. */
export const toVisitAddress = ({
  first_line,
  second_line,
  city,
  state,
  zip,
  access_notes,
}: OrderInput['patient_address']) => ({
  first_line,
  city,
  state,
  zip_code: zip,
  second_line: second_line ?? null,
  access_notes: access_notes ?? null,
});
