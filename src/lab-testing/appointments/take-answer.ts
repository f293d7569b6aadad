import type { ProviderVisit } from '../../adapters/scheduling/port.ts';
import type { Work } from '../../platform/work.ts';
import { advance, amend, factsOf } from '../orders/orders.ts';
import type { Appointment, MoveWish } from './appointment.ts';
import { freePlaces, keepOnly, keepPlaces } from './place-store.ts';
import { appointmentMachine, statesTo, stepWith, type AppointmentState } from './status.ts';
import * as store from './store.ts';
import { expireLater, followLater, settleAt } from './timers.ts';
import { tell, type Visit } from './view.ts';

type Data = Record<string, unknown> | null;

interface Change {
  readonly changes: store.AppointmentChanges;
  /** The statuses that are passed, the last one to stay; none where only particulars changed. */
  readonly path: readonly AppointmentState[];
  /** What is said with the last of them. */
  readonly data: Data;
}

/** No errand is open any more. */
export const settled = { errand: null, errand_until: null, errand_tries: 0, errand_sent_at: null } as const;

/**
 * The only way an appointment changes status: row, events, the order's own step, timers and the webhook, in one
 * transaction that holds the lock of the order.
 */
export async function record(
  work: Work,
  { order, appointment }: Visit,
  { changes, path, data }: Change,
): Promise<Visit> {
  const isNew = appointment.told_at === null;
  const last = path.at(-1);
  let changed = await store.changeAppointment(work, appointment, {
    ...changes,
    ...(last ? { status: last } : {}),
    told_at: appointment.told_at ?? work.now,
    sequence: appointment.sequence + (isNew || path.length === 0 ? 0 : 1),
  });
  let moved = order;
  for (const [index, state] of path.entries()) {
    const isLast = index === path.length - 1;
    changed = await store.insertEvent(work, changed, {
      status: appointmentMachine[state].event,
      data: isLast ? data : null,
    });
    const step = stepWith(appointment.type, state, factsOf(moved));
    if (step) moved = await advance(work, moved, { to: step, changes: { appointment_id: changed.id } });
  }
  // Where its journey has no step for it, the order still says which appointment it has.
  if (isNew && moved.appointment_id !== changed.id)
    moved = await amend(work, moved, { appointment_id: changed.id });
  const visit = { order: moved, appointment: changed };
  await attendLater(work, visit);
  if (path.length > 0) await tell(work, visit, isNew ? 'created' : 'updated');
  return visit;
}

/** What is to be done for the appointment by itself from now on. */
async function attendLater(work: Work, visit: Visit): Promise<void> {
  const { appointment } = visit;
  if (!appointmentMachine[appointment.status].active) await freeUnlessCompleted(work, appointment);
  await followLater(work, appointment);
  await expireLater(work, visit);
}

const freeUnlessCompleted = async (work: Work, appointment: Appointment): Promise<void> =>
  appointment.status === 'cancelled' ? freePlaces(work, appointment) : undefined;

/** A place is only kept until the requisition comes, whatever the provider calls it. */
const statusOf = ({ until_requisition }: Appointment, { status }: ProviderVisit): AppointmentState =>
  until_requisition && status === 'confirmed' ? 'reserved' : status;

export const saidIn = ({ said }: ProviderVisit): Data => (said === null ? null : { message: said });

/**
 * Writes down what the provider says of an appointment: the first answer makes it known to the team, later ones
 * change it. What the table does not allow, and what is known, changes nothing.
 */
export async function takeAnswer(work: Work, visit: Visit, answer: ProviderVisit): Promise<Visit> {
  const { appointment } = visit;
  const status = statusOf(appointment, answer);
  const isNew = appointment.told_at === null;
  const isMoved = isNewTime(appointment, answer);
  const path = isNew ? [status] : pathTo(appointment, status, isMoved);
  if (!path) return visit;
  if (isNew || settles(appointment)) await keepPlaces(work, appointment);
  const taken = await record(work, visit, {
    changes: {
      ...errandAfter(appointment, answer),
      provider_id: answer.providerId,
      external_id: answer.externalId,
      start_at: answer.startAt ?? appointment.start_at,
      end_at: answer.endAt ?? appointment.end_at,
      ...(status === 'pending' ? {} : { confirm_by: null }),
    },
    path,
    data: saidIn(answer),
  });
  // Moved by the provider to a slot whose name we do not know: the old place is free again.
  if (!isNew && isMoved) await freePlaces(work, taken.appointment);
  return confirmWhereDue(work, taken);
}

const settles = ({ errand }: Appointment) =>
  errand === 'book' || errand === 'request' || errand === 'confirm';

/** A provider that takes a confirmation and leaves the visit reserved has still to do it. */
export const isPutOff = ({ errand }: Appointment, { status }: ProviderVisit): boolean =>
  errand === 'confirm' && status === 'reserved';

/** What was put off is asked again until the visit would begin, which the provider may have moved. */
function errandAfter(appointment: Appointment, answer: ProviderVisit): Partial<store.AppointmentChanges> {
  if (isPutOff(appointment, answer)) return { errand_until: answer.startAt ?? appointment.start_at };
  return settles(appointment) ? settled : {};
}

const isNewTime = ({ start_at, end_at }: Appointment, { startAt, endAt }: ProviderVisit): boolean =>
  (startAt !== null && startAt.getTime() !== start_at?.getTime()) ||
  (endAt !== null && endAt.getTime() !== end_at?.getTime());

function pathTo(
  { status }: Appointment,
  to: AppointmentState,
  isMoved: boolean,
): readonly AppointmentState[] | undefined {
  if (to !== status) return statesTo(status, to);
  if (!isMoved) return [];
  return appointmentMachine[status].next.includes(to) ? [to] : [];
}

/** The errand to have a reserved visit confirmed: until it would begin. */
export const toConfirm = ({ start_at }: Appointment) =>
  ({ errand: 'confirm', errand_tries: 0, errand_until: start_at }) as const;

/** A place that is only reserved although the requisition is there has to be confirmed with the provider. */
export async function confirmWhereDue(work: Work, visit: Visit): Promise<Visit> {
  const { appointment } = visit;
  const isDue =
    appointment.status === 'reserved' && !appointment.until_requisition && appointment.errand === null;
  if (!isDue) return visit;
  await settleAt(work, appointment, work.now);
  return { ...visit, appointment: await store.changeAppointment(work, appointment, toConfirm(appointment)) };
}

/** The provider has moved the appointment to where it was wished: only now is the old place free. */
export async function takeMove(
  work: Work,
  visit: Visit,
  { wish, answer }: { wish: MoveWish; answer: ProviderVisit },
): Promise<Visit> {
  const { place, slotId, notes } = wish;
  const { appointment } = visit;
  await keepOnly(work, appointment, Buffer.from(wish.keyIndex, 'base64'));
  const moved = await record(work, visit, {
    changes: {
      ...settled,
      private: { place, slotId, notes },
      wish: null,
      time_zone: place.timeZone,
      provider_id: answer.providerId,
      external_id: answer.externalId,
      start_at: answer.startAt ?? new Date(wish.startAt),
      end_at: answer.endAt ?? new Date(wish.endAt),
    },
    path: movedPath(appointment, answer),
    data: saidIn(answer),
  });
  return confirmWhereDue(work, moved);
}

/** A visit that was moved is told of even where its status stays. */
function movedPath(appointment: Appointment, answer: ProviderVisit): readonly AppointmentState[] {
  const status = statusOf(appointment, answer);
  const path = status === appointment.status ? [status] : statesTo(appointment.status, status);
  return path ?? [appointment.status];
}
