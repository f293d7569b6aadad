import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { HOUR, isoTimestamp } from '../../platform/clock.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { factsOf } from '../../ordering/orders/orders.ts';
import { canMove } from '../../ordering/orders/status.ts';
import type { Appointment, RescheduleTarget } from './appointment.ts';
import { awaitOutcome, sendReschedule, requireProvider } from './call-provider.ts';
import { captureRefusal, RETRY_AFTER_SECONDS, SYNC_TIMEOUT_MS, type PreparedBooking } from './book.ts';
import { createBookingKeyReader, type BookingKey } from './booking-key.ts';
import * as intents from './intent.ts';
import { releasePlace } from './held-place-store.ts';
import { lockOrderForVisit, locationOfKey, requireTimeForRequisition } from './rules.ts';
import { appointmentMachine, type AppointmentType } from './status.ts';
import * as store from './store.ts';
import { confirmIfDue, noPendingAction, applyReschedule } from './apply-provider-visit.ts';
import { requireSlotCapacity, requireUnusedKey, holdPlace } from './hold-place.ts';
import { canReschedule, CHANGE_CUTOFF_MS, type AppointmentWithOrder } from './view.ts';

interface RescheduleCommand {
  readonly orderId: string;
  readonly type: AppointmentType;
  readonly bookingKey: string;
  /** Null keeps the notes. */
  readonly notes: string | null;
  readonly idempotencyKey: string | undefined;
}

/**
 * Moves the appointment to another slot. Both slots are held until the provider has agreed. If the provider does not
 * answer in time, the old time stands, and the job checks whether it was moved. Call outside any transaction.
 */
export function prepareReschedule(
  app: App,
  tenant: Tenant,
  command: RescheduleCommand,
): Promise<PreparedBooking> {
  return captureRefusal(async () => {
    const readKey = createBookingKeyReader(app, tenant);
    const intent = await inTenant(app, tenant, (work) => createRescheduleIntent(work, command, readKey));
    const { visit, now, isOpen } = intent;
    const { id, provider } = visit.appointment;
    if (!isOpen) return { is: 'known', id };
    const asked = await awaitOutcome(
      Promise.resolve().then(() => sendReschedule(requireProvider(app, tenant, provider), visit, now)),
      SYNC_TIMEOUT_MS,
    );
    if (asked.is === 'refused') {
      await inTenant(app, tenant, (work) => dropReschedule(work, id));
      return asked;
    }
    return asked.is === 'unknown'
      ? { is: 'refused', error: notRescheduledError(asked.retryAfterSeconds) }
      : { is: 'asked', id, asked };
  });
}

const notRescheduledError = (retryAfterSeconds = RETRY_AFTER_SECONDS) =>
  new DomainError(
    'unavailable',
    'The scheduling provider did not answer in time; the appointment is unchanged unless an event says otherwise',
    retryAfterSeconds,
  );

async function createRescheduleIntent(
  work: Work,
  command: RescheduleCommand,
  readKey: (text: string) => BookingKey,
): Promise<intents.BookingIntent> {
  const { type } = command;
  const order = await lockOrderForVisit(work, command.orderId, type);
  const requestKey = intents.digestRequest(command.idempotencyKey, 'move', command.bookingKey);
  const earlier = await intents.findEarlierIntent(work, order, requestKey);
  if (earlier) return earlier.isOpen ? restartReschedule(work, earlier) : earlier;
  const active = await store.findActiveAppointment(work, order.id);
  const told = active?.told_at ? active : await store.findPublished(work, order.id, type);
  const appointment = requireFound(told, 'Appointment');
  requireReschedulable(work, { order, appointment });
  const key = readKey(command.bookingKey);
  if (key.provider !== appointment.provider) {
    throw new DomainError('bad_request', `The booking key is not for ${appointment.provider}`);
  }
  await requireUnusedKey(work, order.id, key);
  const place = await locationOfKey(work, { order, type, key });
  if (appointment.until_requisition) requireTimeForRequisition(work, key.startAt);
  if (key.slotId === appointment.private.slotId) {
    throw new DomainError('bad_request', 'The appointment is at this time already');
  }
  await requireSlotCapacity(work, order.id, key);
  await holdPlace(work, appointment, key);
  const wish: RescheduleTarget = {
    place,
    slotId: key.slotId,
    notes: command.notes ?? appointment.private.notes,
    startAt: isoTimestamp(key.startAt),
    endAt: isoTimestamp(key.endAt),
    keyIndex: key.mac.toString('base64'),
  };
  const wished = await store.updateAppointment(work, appointment, {
    ...noPendingAction,
    errand: 'move',
    wish,
    request_key: requestKey,
  });
  await intents.scheduleActionAfterRequest(work, wished, SYNC_TIMEOUT_MS);
  return { visit: { order, appointment: wished }, now: work.now, isOpen: true };
}

/** A repeated request resets the job's tries, so that it does not drop the move in progress. */
async function restartReschedule(work: Work, intent: intents.BookingIntent): Promise<intents.BookingIntent> {
  const { order, appointment } = intent.visit;
  const asked = await store.updateAppointment(work, appointment, { errand_tries: 0 });
  await intents.scheduleActionAfterRequest(work, asked, SYNC_TIMEOUT_MS);
  return { ...intent, visit: { order, appointment: asked } };
}

/** 400 for an appointment that cannot be rescheduled, 409 for an order that has moved on without it. */
function requireReschedulable(work: Work, { order, appointment }: AppointmentWithOrder): void {
  const { until_requisition } = appointment;
  if (!canReschedule(work, appointment)) throw new DomainError('bad_request', whyFixed(appointment));
  if (!until_requisition && !canMove(factsOf(order), 'appointment_scheduled')) {
    throw new DomainError(
      'conflict',
      `Transition from ${order.step} to appointment_scheduled is not allowed`,
    );
  }
}

/** The one reason for which an appointment cannot be rescheduled. */
function whyFixed({ status, kind, errand, start_at }: Appointment): string {
  const what = 'The appointment cannot be rescheduled:';
  if (kind !== 'slots') return `${what} its provider sets the time; cancel it and request another one`;
  if (!appointmentMachine[status].move) return `${what} it is ${status}`;
  if (errand !== null) return `${what} another change of it is in progress; try again when that is done`;
  if (start_at === null) return `${what} it has no time yet`;
  return `${what} it begins in less than ${CHANGE_CUTOFF_MS / HOUR} hours`;
}

/** The provider did not move the appointment: releases the new slot and keeps the old time. */
export async function dropReschedule(work: Work, id: string): Promise<void> {
  const locked = await intents.lockAppointment(work, id);
  const wish = locked?.appointment.errand === 'move' ? locked.appointment.wish : null;
  if (!locked || !wish) return;
  await releasePlace(work, locked.appointment, Buffer.from(wish.keyIndex, 'base64'));
  const stands = await store.updateAppointment(work, locked.appointment, {
    ...noPendingAction,
    wish: null,
    request_key: null,
  });
  if (locked.order) await confirmIfDue(work, { order: locked.order, appointment: stands });
}

/** Records the reschedule, in the transaction that stores the response for the idempotency key. */
export async function finishReschedule(work: Work, prepared: PreparedBooking): Promise<AppointmentWithOrder> {
  if (prepared.is === 'refused') throw prepared.error;
  const locked = await intents.lockAppointment(work, prepared.id);
  const order = requireFound(locked?.order, 'Order');
  const appointment = requireFound(locked?.appointment, 'Appointment');
  const visit = { order, appointment };
  const { errand, wish } = appointment;
  // The job was faster, or the appointment was cancelled in the meantime.
  if (prepared.is === 'known' || prepared.asked.is !== 'answered' || errand !== 'move' || !wish) return visit;
  return applyReschedule(work, visit, { wish, answer: prepared.asked.visit });
}
