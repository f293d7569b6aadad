import { createHash } from 'node:crypto';
import type { VisitLocation } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { newRandomId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { lockOrder, type Order } from '../../ordering/orders/orders.ts';
import type { Appointment } from './appointment.ts';
import type { AppointmentType } from './status.ts';
import * as store from './store.ts';
import { scheduleProviderAction } from './timers.ts';
import type { AppointmentWithOrder } from './view.ts';

/*
 * A booking starts as an intent: an unpublished appointment that is committed before the provider is called. A crash
 * therefore never loses a booking at the provider. The request or the background job, whichever is first, finishes the
 * intent: it publishes, removes or withdraws it.
 */

/** A booking in progress, or the one that an earlier request with the same idempotency key started. */
export interface BookingIntent {
  readonly visit: AppointmentWithOrder;
  readonly now: Date;
  /** Whether the provider still has to be called. */
  readonly isOpen: boolean;
}

/** Digest of the idempotency key and the request; null without a key. */
export function digestRequest(repeatKey: string | undefined, ...asked: readonly string[]): Buffer | null {
  if (repeatKey === undefined) return null;
  return createHash('sha256')
    .update(JSON.stringify([repeatKey, ...asked]))
    .digest();
}

/** The intent of an earlier request with the same digest. */
export async function findEarlierIntent(
  work: Work,
  order: Order,
  requestKey: Buffer | null,
): Promise<BookingIntent | undefined> {
  const appointment = requestKey && (await store.findByRequestKey(work, order.id, requestKey));
  if (!appointment) return undefined;
  const isOpen = appointment.told_at === null || appointment.errand === 'move';
  return { visit: { order, appointment }, now: work.now, isOpen };
}

/** 409 if the order has an active appointment, or one is being booked. */
export async function requireNoActiveAppointment(work: Work, order: Order): Promise<void> {
  const active = await store.findActiveAppointment(work, order.id);
  if (!active) return;
  throw new DomainError(
    'conflict',
    active.told_at === null
      ? 'An appointment for this order is already being booked'
      : 'The order already has an appointment. Reschedule it, or cancel it first.',
  );
}

interface NewBookingIntent {
  readonly order: Order;
  readonly type: AppointmentType;
  readonly provider: Appointment['provider'];
  readonly kind: Appointment['kind'];
  readonly place: VisitLocation;
  readonly slot: { readonly slotId: string; readonly startAt: Date; readonly endAt: Date } | null;
  readonly notes: string | null;
  readonly untilRequisition: boolean;
  readonly requestKey: Buffer | null;
  /** Timeout of the request for the provider's answer. */
  readonly timeoutMs: number;
  /** How long the booking is retried in the background; null for a synchronous request. */
  readonly asyncMs: number | null;
}

/** How long the job retries a booking whose request died. */
const BOOKING_RETRY_MS = 15 * MINUTE;
/** Time that a request needs beyond its timeout. */
const REQUEST_OVERHEAD_MS = 20 * SECOND;

export async function insertIntent(work: Work, intent: NewBookingIntent): Promise<AppointmentWithOrder> {
  const { order, slot, place } = intent;
  const confirmBy = intent.asyncMs === null ? null : later(work.now, intent.asyncMs);
  const appointment = await store.insertAppointment(work, {
    id: newRandomId(),
    order_id: order.id,
    user_id: order.user_id,
    type: intent.type,
    provider: intent.provider,
    kind: intent.kind,
    status: 'pending',
    start_at: slot?.startAt ?? null,
    end_at: slot?.endAt ?? null,
    time_zone: place.timeZone,
    provider_id: null,
    external_id: null,
    private: { place, slotId: slot?.slotId ?? null, notes: intent.notes },
    until_requisition: intent.untilRequisition,
    request_key: intent.requestKey,
    told_at: null,
    confirm_by: confirmBy,
    errand: intent.kind === 'slots' ? 'book' : 'request',
    errand_until: confirmBy ?? later(work.now, BOOKING_RETRY_MS),
    errand_sent_at: null,
  });
  await scheduleActionAfterRequest(work, appointment, intent.timeoutMs);
  return { order, appointment };
}

/** Schedules the job for a time when the request must have finished. */
export const scheduleActionAfterRequest = (
  work: Work,
  appointment: Appointment,
  patienceMs: number,
): Promise<void> =>
  scheduleProviderAction(work, appointment, later(work.now, patienceMs + REQUEST_OVERHEAD_MS));

/** Locks the appointment, through its order, until this work ends. The order is undefined while its user is deleted. */
export async function lockAppointment(
  work: Work,
  id: string,
): Promise<{ order: Order | undefined; appointment: Appointment } | undefined> {
  const seen = await store.findAppointment(work, id);
  if (!seen) return undefined;
  const order = await lockOrder(work, seen.order_id);
  const appointment = await store.findAppointment(work, id);
  return appointment && { order, appointment };
}

/** Whether the booking is still unpublished. */
export const isIntent = ({ told_at, errand }: Appointment): boolean =>
  told_at === null && (errand === 'book' || errand === 'request');

/** Removes an unpublished booking that the provider refused. */
export const removeIntent = (app: App, tenant: Tenant, id: string): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked && isIntent(locked.appointment)) await store.removeAppointment(work, id);
  });

/** Withdraws a booking with unknown outcome: the job cancels it at the provider, and then removes it. */
export const withdrawIntent = (app: App, tenant: Tenant, id: string): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked && isIntent(locked.appointment)) await withdrawBooking(work, locked.appointment);
  });

export async function withdrawBooking(work: Work, appointment: Appointment): Promise<void> {
  await store.updateAppointment(work, appointment, {
    errand: 'withdraw',
    errand_until: null,
    errand_tries: 0,
    errand_sent_at: null,
  });
  await scheduleProviderAction(work, appointment, work.now);
}
