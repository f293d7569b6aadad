import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { isoMoment } from '../../platform/clock.ts';
import { DomainError, found } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { factsOf } from '../orders/orders.ts';
import { canMove } from '../orders/status.ts';
import type { MoveWish } from './appointment.ts';
import { askInTime, askToMove, providerOf } from './ask-provider.ts';
import { refusable, RETRY_AFTER_SECONDS, SYNC_PATIENCE_MS, type Prepared } from './book.ts';
import { bookingKeyReader, type BookingKey } from './booking-key.ts';
import * as intents from './intent.ts';
import { freePlace } from './place-store.ts';
import { lockOrderOf, placeOfKey, requireTimeForRequisition } from './rules.ts';
import type { AppointmentType } from './status.ts';
import * as store from './store.ts';
import { confirmWhereDue, settled, takeMove } from './take-answer.ts';
import { requirePlace, requireUnused, takePlace } from './take-place.ts';
import { canReschedule, FIRM_BEFORE_MS, type Visit } from './view.ts';

export interface MoveCommand {
  readonly orderId: string;
  readonly type: AppointmentType;
  readonly bookingKey: string;
  /** Null leaves the notes as they are. */
  readonly notes: string | null;
  readonly repeatKey: string | undefined;
}

/**
 * Moves the appointment to another slot. Both places are held until the provider has agreed; outside any transaction.
 * Where it does not answer in time the old time stands, and the job finds out whether it moved it all the same.
 */
export function prepareMove(app: App, tenant: Tenant, command: MoveCommand): Promise<Prepared> {
  return refusable(async () => {
    const readKey = bookingKeyReader(app, tenant);
    const intent = await inTenant(app, tenant, (work) => openMove(work, command, readKey));
    const { visit, now, isOpen } = intent;
    const { id, provider } = visit.appointment;
    if (!isOpen) return { is: 'known', id };
    const asked = await askInTime(
      Promise.resolve().then(() => askToMove(providerOf(app, tenant, provider), visit, now)),
      SYNC_PATIENCE_MS,
    );
    if (asked.is === 'refused') {
      await inTenant(app, tenant, (work) => dropMove(work, id));
      return asked;
    }
    return asked.is === 'unknown'
      ? { is: 'refused', error: notMoved(asked.retryAfterSeconds) }
      : { is: 'asked', id, asked };
  });
}

const notMoved = (retryAfterSeconds = RETRY_AFTER_SECONDS) =>
  new DomainError(
    'unavailable',
    'The scheduling provider did not answer in time; the appointment stands as it was unless an event says otherwise',
    retryAfterSeconds,
  );

async function openMove(
  work: Work,
  command: MoveCommand,
  readKey: (text: string) => BookingKey,
): Promise<intents.Intent> {
  const { type } = command;
  const order = await lockOrderOf(work, command.orderId, type);
  const requestKey = intents.requestKeyOf(command.repeatKey, 'move', command.bookingKey);
  const earlier = await intents.findEarlier(work, order, requestKey);
  if (earlier) return earlier.isOpen ? askOnceMore(work, earlier) : earlier;
  const active = await store.findActive(work, order.id);
  const told = active?.told_at ? active : await store.findTold(work, order.id, type);
  const appointment = found(told, 'Appointment');
  requireMovable(work, { order, appointment });
  const key = readKey(command.bookingKey);
  if (key.provider !== appointment.provider) {
    throw new DomainError('bad_request', `The booking key is not of ${appointment.provider}`);
  }
  await requireUnused(work, order.id, key);
  const place = await placeOfKey(work, { order, type, key });
  if (appointment.until_requisition) requireTimeForRequisition(work, key.startAt);
  if (key.slotId === appointment.private.slotId) {
    throw new DomainError('bad_request', 'The appointment is at this time already');
  }
  await requirePlace(work, order.id, key);
  await takePlace(work, appointment, key);
  const wish: MoveWish = {
    place,
    slotId: key.slotId,
    notes: command.notes ?? appointment.private.notes,
    startAt: isoMoment(key.startAt),
    endAt: isoMoment(key.endAt),
    keyIndex: key.mac.toString('base64'),
  };
  const wished = await store.changeAppointment(work, appointment, {
    ...settled,
    errand: 'move',
    wish,
    request_key: requestKey,
  });
  await intents.settleLater(work, wished, SYNC_PATIENCE_MS);
  return { visit: { order, appointment: wished }, now: work.now, isOpen: true };
}

/** While the same move is asked again, the job begins anew to look for it: it does not drop what is under way. */
async function askOnceMore(work: Work, intent: intents.Intent): Promise<intents.Intent> {
  const { order, appointment } = intent.visit;
  const asked = await store.changeAppointment(work, appointment, { errand_tries: 0 });
  await intents.settleLater(work, asked, SYNC_PATIENCE_MS);
  return { ...intent, visit: { order, appointment: asked } };
}

/** 400 for an appointment that stands as it is, 409 for an order that has gone on without it. */
function requireMovable(work: Work, { order, appointment }: Visit): void {
  const { status, until_requisition } = appointment;
  if (!canReschedule(work, appointment)) {
    throw new DomainError(
      'bad_request',
      `An appointment that is ${status} cannot be rescheduled here: it has to be reserved or confirmed by a provider ` +
        `with slots, without another change under way, and to begin in more than ${FIRM_BEFORE_MS / 3_600_000} hours`,
    );
  }
  if (!until_requisition && !canMove(factsOf(order), 'appointment_scheduled')) {
    throw new DomainError(
      'conflict',
      `Transition from ${order.step} to appointment_scheduled is not allowed`,
    );
  }
}

/** The provider did not move it: the new place is free again, the old time stands, and a repeat asks anew. */
export async function dropMove(work: Work, id: string): Promise<void> {
  const locked = await intents.lockAppointment(work, id);
  const wish = locked?.appointment.errand === 'move' ? locked.appointment.wish : null;
  if (!locked || !wish) return;
  await freePlace(work, locked.appointment, Buffer.from(wish.keyIndex, 'base64'));
  const stands = await store.changeAppointment(work, locked.appointment, {
    ...settled,
    wish: null,
    request_key: null,
  });
  if (locked.order) await confirmWhereDue(work, { order: locked.order, appointment: stands });
}

/** Writes down that the provider has moved the appointment, in the transaction that keeps the answer. */
export async function finishMove(work: Work, prepared: Prepared): Promise<Visit> {
  if (prepared.is === 'refused') throw prepared.error;
  const locked = await intents.lockAppointment(work, prepared.id);
  const order = found(locked?.order, 'Order');
  const appointment = found(locked?.appointment, 'Appointment');
  const visit = { order, appointment };
  const { errand, wish } = appointment;
  // Where the job was faster, or the appointment was cancelled meanwhile, there is nothing left to write.
  if (prepared.is === 'known' || prepared.asked.is !== 'answered' || errand !== 'move' || !wish) return visit;
  return takeMove(work, visit, { wish, answer: prepared.asked.visit });
}
