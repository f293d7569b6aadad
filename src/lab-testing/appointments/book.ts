import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { askInTime, askToBook, providerOf, SLOT_TAKEN, type Asked } from './ask-provider.ts';
import { bookingKeyReader, type BookingKey } from './booking-key.ts';
import * as intents from './intent.ts';
import { lockOrderOf, placeOfKey, requireTimeForRequisition, waitsForRequisition } from './rules.ts';
import type { AppointmentType } from './status.ts';
import * as store from './store.ts';
import { record, takeAnswer } from './take-answer.ts';
import { requirePlace, requireUnused, takePlace } from './take-place.ts';
import { settleAgain } from './timers.ts';
import type { Visit } from './view.ts';

export interface BookCommand {
  readonly orderId: string;
  readonly type: AppointmentType;
  readonly bookingKey: string;
  readonly notes: string | null;
  /** Whether an answer is wanted even where the provider has not acknowledged in time. */
  readonly isAsync: boolean;
  readonly syncMs: number | null;
  readonly asyncMs: number | null;
  readonly repeatKey: string | undefined;
}

/** What the outside had to say, to be written down by the handler. */
export type Prepared =
  | { readonly is: 'refused'; readonly error: DomainError }
  | { readonly is: 'asked'; readonly id: string; readonly asked: Asked }
  /** An earlier request with the same idempotency key has done it. */
  | { readonly is: 'known'; readonly id: string };

/** How long a request waits for the provider where nothing is said: as long as it has to, or as the contract says. */
export const SYNC_PATIENCE_MS = 10 * SECOND;
const ASYNC_PATIENCE_MS = 2500;
const ASYNC_TIMEOUT_MS = 15 * MINUTE;

const patienceOf = ({ isAsync, syncMs }: BookCommand) =>
  syncMs ?? (isAsync ? ASYNC_PATIENCE_MS : SYNC_PATIENCE_MS);

/** Books a slot: the intent is committed, then the provider is asked. Outside any transaction. */
export function prepareBooking(app: App, tenant: Tenant, command: BookCommand): Promise<Prepared> {
  return refusable(async () => {
    const readKey = bookingKeyReader(app, tenant);
    const intent = await inTenant(app, tenant, (work) => openBooking(work, command, readKey));
    return askFor(app, tenant, {
      intent,
      patienceMs: patienceOf(command),
      isAsync: command.isAsync,
    });
  });
}

/** A no that the caller can act on is answered by the handler, so that it is kept for the idempotency key. */
export async function refusable(prepare: () => Promise<Prepared>): Promise<Prepared> {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof DomainError) return { is: 'refused', error };
    throw error;
  }
}

async function openBooking(
  work: Work,
  command: BookCommand,
  readKey: (text: string) => BookingKey,
): Promise<intents.Intent> {
  const { orderId, type, notes } = command;
  const order = await lockOrderOf(work, orderId, type);
  const requestKey = intents.requestKeyOf(command.repeatKey, 'book', command.bookingKey);
  const earlier = await intents.findEarlier(work, order, requestKey);
  if (earlier) return earlier;
  const key = readKey(command.bookingKey);
  const untilRequisition = await waitsForRequisition(work, order);
  await requireUnused(work, order.id, key);
  await intents.requireFree(work, order);
  const place = await placeOfKey(work, { order, type, key });
  if (untilRequisition) requireTimeForRequisition(work, key.startAt);
  await requirePlace(work, order.id, key);
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
    patienceMs: patienceOf(command),
    asyncMs: command.isAsync ? (command.asyncMs ?? ASYNC_TIMEOUT_MS) : null,
  });
  await takePlace(work, visit.appointment, key);
  return { visit, now: work.now, isOpen: true };
}

interface Asking {
  readonly intent: intents.Intent;
  readonly patienceMs: number;
  readonly isAsync: boolean;
}

/** Asks the provider for an intent that is committed, and undoes or withdraws it where the caller is told no. */
export async function askFor(
  app: App,
  tenant: Tenant,
  { intent, patienceMs, isAsync }: Asking,
): Promise<Prepared> {
  const { visit, now, isOpen } = intent;
  const { id, provider } = visit.appointment;
  if (!isOpen) return { is: 'known', id };
  const asked = await askInTime(
    // A provider that is not connected is one that does not answer.
    Promise.resolve().then(() => askToBook(providerOf(app, tenant, provider), visit, now)),
    patienceMs,
  );
  if (asked.is === 'refused') {
    await intents.undoIntent(app, tenant, id);
    return asked;
  }
  if (asked.is === 'unknown' && !isAsync) {
    await intents.withdrawIntent(app, tenant, id);
    return { is: 'refused', error: unavailable(asked.retryAfterSeconds) };
  }
  return { is: 'asked', id, asked };
}

export const RETRY_AFTER_SECONDS = 30;

export const unavailable = (retryAfterSeconds = RETRY_AFTER_SECONDS): DomainError =>
  new DomainError(
    'unavailable',
    'The scheduling provider did not answer in time; nothing was booked',
    retryAfterSeconds,
  );

/** Writes down what the provider answered, in the transaction that keeps the answer of the request. */
export async function finishBooking(work: Work, prepared: Prepared): Promise<Visit> {
  if (prepared.is === 'refused') throw prepared.error;
  const locked = await intents.lockAppointment(work, prepared.id);
  // The job, or a twin of this request, was faster: what it wrote is what holds.
  if (!locked?.order) throw new DomainError('bad_request', SLOT_TAKEN);
  const visit = { order: locked.order, appointment: locked.appointment };
  if (visit.appointment.errand === 'withdraw') throw unavailable();
  if (prepared.is === 'known' || visit.appointment.told_at !== null) return visit;
  return prepared.asked.is === 'answered'
    ? takeAnswer(work, visit, prepared.asked.visit)
    : tellPending(work, visit, prepared.asked);
}

/** The provider has not acknowledged yet: the team is told so, and the job goes on asking. */
async function tellPending(work: Work, visit: Visit, asked: Asked): Promise<Visit> {
  const told = await record(work, visit, { changes: {}, path: ['pending'], data: null });
  await settleAgain(work, told.appointment, asked.is === 'unknown' ? asked.retryAfterSeconds : undefined);
  return told;
}

/** The newest appointment of the order that the team was told of, or a 404. */
export async function findVisit(work: Work, order: Visit['order'], type: AppointmentType) {
  const appointment = await store.findTold(work, order.id, type);
  if (!appointment) throw new DomainError('not_found', 'Appointment not found');
  return { order, appointment };
}
