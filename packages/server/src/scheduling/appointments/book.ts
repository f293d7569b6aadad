import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import {
  awaitOutcome,
  sendBooking,
  requireProvider,
  SLOT_TAKEN,
  type ProviderOutcome,
} from './call-provider.ts';
import { createBookingKeyReader, type BookingKey } from './booking-key.ts';
import * as intents from './intent.ts';
import { lockOrderForVisit, locationOfKey, requireTimeForRequisition, waitsForRequisition } from './rules.ts';
import type { AppointmentType } from './status.ts';
import * as store from './store.ts';
import { recordChange, applyProviderVisit } from './apply-provider-visit.ts';
import { requireSlotCapacity, requireUnusedKey, holdPlace } from './hold-place.ts';
import { retryProviderAction } from './timers.ts';
import type { AppointmentWithOrder } from './view.ts';

interface BookCommand {
  readonly orderId: string;
  readonly type: AppointmentType;
  readonly bookingKey: string;
  readonly notes: string | null;
  /** Whether to answer `pending` if the provider does not acknowledge in time. */
  readonly isAsync: boolean;
  readonly syncMs: number | null;
  readonly asyncMs: number | null;
  readonly idempotencyKey: string | undefined;
}

/** The outcome of the provider call, which the handler records in its transaction. */
export type PreparedBooking =
  | { readonly is: 'refused'; readonly error: DomainError }
  | { readonly is: 'asked'; readonly id: string; readonly asked: ProviderOutcome }
  /** Already done by an earlier request with the same idempotency key. */
  | { readonly is: 'known'; readonly id: string };

/** Default timeouts of a request for the provider's answer. */
export const SYNC_TIMEOUT_MS = 10 * SECOND;
const ASYNC_ACK_TIMEOUT_MS = 2500;
const ASYNC_TIMEOUT_MS = 15 * MINUTE;

const timeoutOf = ({ isAsync, syncMs }: BookCommand) =>
  syncMs ?? (isAsync ? ASYNC_ACK_TIMEOUT_MS : SYNC_TIMEOUT_MS);

/** Books a slot: commits an intent, then calls the provider. Call outside any transaction. */
export function prepareBooking(app: App, tenant: Tenant, command: BookCommand): Promise<PreparedBooking> {
  return captureRefusal(async () => {
    const readKey = createBookingKeyReader(app, tenant);
    const intent = await inTenant(app, tenant, (work) => createBookingIntent(work, command, readKey));
    return sendIntent(app, tenant, {
      intent,
      timeoutMs: timeoutOf(command),
      isAsync: command.isAsync,
    });
  });
}

/** Turns an error into an outcome that the handler throws, so that it is stored for the idempotency key. */
export async function captureRefusal(prepare: () => Promise<PreparedBooking>): Promise<PreparedBooking> {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof DomainError) return { is: 'refused', error };
    throw error;
  }
}

async function createBookingIntent(
  work: Work,
  command: BookCommand,
  readKey: (text: string) => BookingKey,
): Promise<intents.BookingIntent> {
  const { orderId, type, notes } = command;
  const order = await lockOrderForVisit(work, orderId, type);
  const requestKey = intents.digestRequest(command.idempotencyKey, 'book', command.bookingKey);
  const earlier = await intents.findEarlierIntent(work, order, requestKey);
  if (earlier) return earlier;
  const key = readKey(command.bookingKey);
  const untilRequisition = await waitsForRequisition(work, order);
  await requireUnusedKey(work, order.id, key);
  await intents.requireNoActiveAppointment(work, order);
  const place = await locationOfKey(work, { order, type, key });
  if (untilRequisition) requireTimeForRequisition(work, key.startAt);
  await requireSlotCapacity(work, order.id, key);
  const visit = await intents.insertIntent(work, {
    order,
    type,
    provider: key.provider,
    kind: 'slots',
    place,
    slot: key,
    notes,
    untilRequisition,
    requestKey,
    timeoutMs: timeoutOf(command),
    asyncMs: command.isAsync ? (command.asyncMs ?? ASYNC_TIMEOUT_MS) : null,
  });
  await holdPlace(work, visit.appointment, key);
  return { visit, now: work.now, isOpen: true };
}

interface BookingAttempt {
  readonly intent: intents.BookingIntent;
  readonly timeoutMs: number;
  readonly isAsync: boolean;
}

/** Sends a committed intent to the provider. Removes it after a refusal; withdraws it if the outcome is unknown. */
export async function sendIntent(
  app: App,
  tenant: Tenant,
  { intent, timeoutMs, isAsync }: BookingAttempt,
): Promise<PreparedBooking> {
  const { visit, now, isOpen } = intent;
  const { id, provider } = visit.appointment;
  if (!isOpen) return { is: 'known', id };
  const asked = await awaitOutcome(
    // A provider that is not connected counts as unreachable.
    Promise.resolve().then(() => sendBooking(requireProvider(app, tenant, provider), visit, now)),
    timeoutMs,
  );
  if (asked.is === 'refused') {
    await intents.removeIntent(app, tenant, id);
    return asked;
  }
  if (asked.is === 'unknown' && !isAsync) {
    await intents.withdrawIntent(app, tenant, id);
    return { is: 'refused', error: providerTimeoutError(asked.retryAfterSeconds) };
  }
  return { is: 'asked', id, asked };
}

export const RETRY_AFTER_SECONDS = 30;

const providerTimeoutError = (retryAfterSeconds = RETRY_AFTER_SECONDS): DomainError =>
  new DomainError(
    'unavailable',
    'The scheduling provider did not answer in time; nothing was booked',
    retryAfterSeconds,
  );

/** Records the provider's answer, in the transaction that stores the response for the idempotency key. */
export async function finishBooking(work: Work, prepared: PreparedBooking): Promise<AppointmentWithOrder> {
  if (prepared.is === 'refused') throw prepared.error;
  const locked = await intents.lockAppointment(work, prepared.id);
  // The job, or a concurrent request with the same key, has already removed it.
  if (!locked?.order) throw new DomainError('bad_request', SLOT_TAKEN);
  const visit = { order: locked.order, appointment: locked.appointment };
  if (visit.appointment.errand === 'withdraw') throw providerTimeoutError();
  if (prepared.is === 'known' || visit.appointment.told_at !== null) return visit;
  return prepared.asked.is === 'answered'
    ? applyProviderVisit(work, visit, prepared.asked.visit)
    : publishPending(work, visit, prepared.asked);
}

/** Publishes the appointment as `pending`, and lets the job retry the booking. */
async function publishPending(
  work: Work,
  visit: AppointmentWithOrder,
  asked: ProviderOutcome,
): Promise<AppointmentWithOrder> {
  const told = await recordChange(work, visit, { changes: {}, path: ['pending'], data: null });
  await retryProviderAction(
    work,
    told.appointment,
    asked.is === 'unknown' ? asked.retryAfterSeconds : undefined,
  );
  return told;
}

/** The newest published appointment of the order, or a 404. */
export async function findVisit(work: Work, order: AppointmentWithOrder['order'], type: AppointmentType) {
  const appointment = await store.findPublished(work, order.id, type);
  if (!appointment) throw new DomainError('not_found', 'Appointment not found');
  return { order, appointment };
}
