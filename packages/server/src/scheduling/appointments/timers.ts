import { z } from 'zod';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from '../../ordering/orders/orders.ts';
import type { Appointment } from './appointment.ts';
import { appointmentMachine } from './status.ts';
import { CHANGE_CUTOFF_MS } from './view.ts';

const AppointmentTimerInput = z.object({ appointment_id: z.guid() });

/** Runs the pending action at the provider: one timer per appointment. */
export const providerActionTimer = { name: 'appointments.settle', input: AppointmentTimerInput };
/** Polls the provider. */
export const pollTimer = { name: 'appointments.follow', input: AppointmentTimerInput };
/** Cancels a reservation without a requisition. */
export const expireTimer = { name: 'appointments.expire', input: AppointmentTimerInput };

const toTimer = ({ id }: Pick<Appointment, 'id'>, dueAt: Date) => ({
  key: id,
  dueAt,
  input: { appointment_id: id },
});

export const scheduleProviderAction = (
  work: Work,
  appointment: Pick<Appointment, 'id'>,
  dueAt: Date,
): Promise<void> => setTimer(work, providerActionTimer, toTimer(appointment, dueAt));

/** Retry delays after a failure, by the number of tries. */
const RETRY_DELAYS_MS = [
  15 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
];
const RETRY_DELAY_MAX_MS = 4 * HOUR;

export const nextRetryAt = (now: Date, tries: number): Date =>
  later(now, RETRY_DELAYS_MS[tries] ?? RETRY_DELAY_MAX_MS);

/** Schedules a retry: not before the provider's retry-after time, and not after the action's deadline. */
export function retryProviderAction(
  work: Work,
  appointment: Appointment,
  retryAfterSeconds = 0,
): Promise<void> {
  const { errand_tries: tries, errand_until: until } = appointment;
  const next = laterOf(nextRetryAt(work.now, tries), later(work.now, retryAfterSeconds * SECOND));
  return scheduleProviderAction(
    work,
    appointment,
    until !== null && until > work.now ? earlier(until, next) : next,
  );
}

/** Days after the end of a visit at which polling stops. */
const POLLED_DAYS = 7;
const PENDING_POLL_FAST_MS = 5 * MINUTE;
const PENDING_POLL_SLOW_MS = HOUR;

/**
 * Schedules the next poll: often while the appointment is pending, at the start and the end of the visit, and regularly
 * in between, because the provider may move or cancel it on its own. Not before the provider's retry-after time, unless
 * the deadline for the confirmation comes first.
 */
export async function schedulePoll(
  work: Work,
  appointment: Appointment,
  retryAfterSeconds = 0,
): Promise<void> {
  const { confirm_by: confirmBy } = appointment;
  const next = nextPollAt(work.now, appointment);
  if (!next) return;
  const rested = laterOf(next, later(work.now, retryAfterSeconds * SECOND));
  const dueAt = confirmBy && confirmBy > work.now ? earlier(confirmBy, rested) : rested;
  await setTimer(work, pollTimer, toTimer(appointment, dueAt));
}

function nextPollAt(now: Date, { status, start_at, end_at, created_at }: Appointment) {
  if (!appointmentMachine[status].active) return undefined;
  if (status === 'pending' || start_at === null || end_at === null) {
    const isYoung = now < later(created_at, HOUR);
    return later(now, isYoung ? PENDING_POLL_FAST_MS : PENDING_POLL_SLOW_MS);
  }
  if (now < start_at) return earlier(start_at, later(now, 12 * HOUR));
  if (now < end_at) return earlier(end_at, later(now, HOUR));
  return isPollingOver(now, { end_at }) ? undefined : later(now, HOUR);
}

/** Whether the end time of the visit has passed, whatever its status is. */
export const hasEnded = (now: Date, { end_at }: Pick<Appointment, 'end_at'>): boolean =>
  end_at !== null && end_at <= now;

/** Whether the provider is no longer polled about the visit. */
export const isPollingOver = (now: Date, { end_at }: Pick<Appointment, 'end_at'>): boolean =>
  end_at !== null && later(end_at, POLLED_DAYS * DAY) <= now;

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
const laterOf = (one: Date, other: Date): Date => (one < other ? other : one);

const REQUISITION_WAIT_MS = 8 * HOUR;

/**
 * When a reservation without a requisition expires: 8 hours after the booking, unless the order is scheduled, and at
 * the latest 2 hours before the visit.
 */
export function reservationExpiry(order: Order, { created_at, start_at }: Appointment): Date | undefined {
  const ends = [
    ...(order.activate_by === null ? [later(created_at, REQUISITION_WAIT_MS)] : []),
    ...(start_at === null ? [] : [later(start_at, -CHANGE_CUTOFF_MS)]),
  ];
  return ends.toSorted((one, other) => one.getTime() - other.getTime())[0];
}

/** Schedules the expiry. If the order is rescheduled later, the job recalculates it and sets the timer again. */
export async function scheduleExpiry(
  work: Work,
  { order, appointment }: { order: Order; appointment: Appointment },
): Promise<void> {
  const end = appointment.until_requisition ? reservationExpiry(order, appointment) : undefined;
  if (end) await scheduleExpiryAt(work, appointment, end);
}

export const scheduleExpiryAt = (
  work: Work,
  appointment: Pick<Appointment, 'id'>,
  dueAt: Date,
): Promise<void> => setTimer(work, expireTimer, toTimer(appointment, dueAt));
