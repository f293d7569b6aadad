import { z } from 'zod';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from '../orders/orders.ts';
import type { Appointment } from './appointment.ts';
import { appointmentMachine } from './status.ts';
import { FIRM_BEFORE_MS } from './view.ts';

const Input = z.object({ appointment_id: z.guid() });
export type AppointmentInput = z.output<typeof Input>;

/** Does what is open with the provider: one timer for each appointment. */
export const settleTimer = { name: 'appointments.settle', input: Input };
/** Looks what the provider made of it. */
export const followTimer = { name: 'appointments.follow', input: Input };
/** Gives up what waits for a requisition that does not come. */
export const expireTimer = { name: 'appointments.expire', input: Input };

const at = ({ id }: Pick<Appointment, 'id'>, dueAt: Date) => ({
  key: id,
  dueAt,
  input: { appointment_id: id },
});

export const settleAt = (work: Work, appointment: Pick<Appointment, 'id'>, dueAt: Date): Promise<void> =>
  setTimer(work, settleTimer, at(appointment, dueAt));

/** How long after a failure an errand is run again. */
const AGAIN_MS = [15 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
const LONGEST_MS = 4 * HOUR;

export const againAfter = (now: Date, tries: number): Date => later(now, AGAIN_MS[tries] ?? LONGEST_MS);

/** Not before the provider wants to be asked again, and no later than when the errand is given up. */
export function settleAgain(work: Work, appointment: Appointment, retryAfterSeconds = 0): Promise<void> {
  const { errand_tries: tries, errand_until: until } = appointment;
  const next = laterOf(againAfter(work.now, tries), later(work.now, retryAfterSeconds * SECOND));
  return settleAt(work, appointment, until !== null && until > work.now ? earlier(until, next) : next);
}

/** Days after its end at which a visit is not asked about any more. */
const FOLLOWED_DAYS = 7;
const PENDING_OFTEN_MS = 5 * MINUTE;
const PENDING_SELDOM_MS = HOUR;

/**
 * Sets when the provider is asked next: soon while it has not confirmed, at the beginning and at the end of the
 * visit, and now and then in between, because it may move or cancel by itself. Not before the provider wants to be
 * asked again, unless the time is up in which it was to confirm.
 */
export async function followLater(
  work: Work,
  appointment: Appointment,
  retryAfterSeconds = 0,
): Promise<void> {
  const { confirm_by: confirmBy } = appointment;
  const next = nextLook(work.now, appointment);
  if (!next) return;
  const rested = laterOf(next, later(work.now, retryAfterSeconds * SECOND));
  const dueAt = confirmBy && confirmBy > work.now ? earlier(confirmBy, rested) : rested;
  await setTimer(work, followTimer, at(appointment, dueAt));
}

function nextLook(now: Date, { status, start_at, end_at, created_at }: Appointment) {
  if (!appointmentMachine[status].active) return undefined;
  if (status === 'pending' || start_at === null || end_at === null) {
    const isYoung = now < later(created_at, HOUR);
    return later(now, isYoung ? PENDING_OFTEN_MS : PENDING_SELDOM_MS);
  }
  if (now < start_at) return earlier(start_at, later(now, 12 * HOUR));
  if (now < end_at) return earlier(end_at, later(now, HOUR));
  return isGivenUpOn(now, { end_at }) ? undefined : later(now, HOUR);
}

/** Whether the visit's time is over, whatever the provider has said of it. */
export const hasEnded = (now: Date, { end_at }: Pick<Appointment, 'end_at'>): boolean =>
  end_at !== null && end_at <= now;

/** Whether the provider is not asked any more what became of the visit. */
export const isGivenUpOn = (now: Date, { end_at }: Pick<Appointment, 'end_at'>): boolean =>
  end_at !== null && later(end_at, FOLLOWED_DAYS * DAY) <= now;

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
const laterOf = (one: Date, other: Date): Date => (one < other ? other : one);

const WAITS_FOR_REQUISITION_MS = 8 * HOUR;

/**
 * When a visit without a requisition is given up: 8 hours after it was booked, unless the order is scheduled for a
 * day of its own, and 2 hours before it would begin.
 */
export function expiryOfReservation(order: Order, { created_at, start_at }: Appointment): Date | undefined {
  const ends = [
    ...(order.activate_by === null ? [later(created_at, WAITS_FOR_REQUISITION_MS)] : []),
    ...(start_at === null ? [] : [later(start_at, -FIRM_BEFORE_MS)]),
  ];
  return ends.toSorted((one, other) => one.getTime() - other.getTime())[0];
}

/** An order that is put off may have a later end than this; the job looks, and sets itself anew. */
export async function expireLater(
  work: Work,
  { order, appointment }: { order: Order; appointment: Appointment },
): Promise<void> {
  const end = appointment.until_requisition ? expiryOfReservation(order, appointment) : undefined;
  if (end) await expireAt(work, appointment, end);
}

export const expireAt = (work: Work, appointment: Pick<Appointment, 'id'>, dueAt: Date): Promise<void> =>
  setTimer(work, expireTimer, at(appointment, dueAt));
