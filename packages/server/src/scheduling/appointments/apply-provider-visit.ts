import type { ProviderVisit } from '../../adapters/scheduling/port.ts';
import type { Work } from '../../platform/work.ts';
import { advanceOrder, amendOrder, factsOf } from '../../ordering/orders/orders.ts';
import type { Appointment, RescheduleTarget } from './appointment.ts';
import { releasePlaces, confirmOnlyPlace, confirmPlaces } from './held-place-store.ts';
import { appointmentMachine, findStatePath, orderStepFor, type AppointmentState } from './status.ts';
import * as store from './store.ts';
import { scheduleExpiry, schedulePoll, scheduleProviderAction } from './timers.ts';
import { emitAppointment, type AppointmentWithOrder } from './view.ts';

type AppointmentEventData = Record<string, unknown> | null;

interface AppointmentChange {
  readonly changes: store.AppointmentChanges;
  /** The statuses to pass through, ending with the new one; empty if only details changed. */
  readonly path: readonly AppointmentState[];
  /** Data of the last event. */
  readonly data: AppointmentEventData;
}

/** Clears the pending action. */
export const noPendingAction = {
  errand: null,
  errand_until: null,
  errand_tries: 0,
  errand_sent_at: null,
} as const;

/**
 * The only function that changes the status of an appointment. Writes the row, the events, the order's step, the timers
 * and the webhook in one transaction, which holds the lock on the order.
 */
export async function recordChange(
  work: Work,
  { order, appointment }: AppointmentWithOrder,
  { changes, path, data }: AppointmentChange,
): Promise<AppointmentWithOrder> {
  const isNew = appointment.told_at === null;
  const last = path.at(-1);
  let changed = await store.updateAppointment(work, appointment, {
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
    const step = orderStepFor(appointment.type, state, factsOf(moved));
    if (step) moved = await advanceOrder(work, moved, { to: step, changes: { appointment_id: changed.id } });
  }
  // If the order has no step for it, still store the appointment id on the order.
  if (isNew && moved.appointment_id !== changed.id)
    moved = await amendOrder(work, moved, { appointment_id: changed.id });
  const visit = { order: moved, appointment: changed };
  await updateTimers(work, visit);
  if (path.length > 0) await emitAppointment(work, visit, isNew ? 'created' : 'updated');
  return visit;
}

/** Sets the timers of the appointment, and releases the slot of a cancelled one. */
async function updateTimers(work: Work, visit: AppointmentWithOrder): Promise<void> {
  const { appointment } = visit;
  if (!appointmentMachine[appointment.status].active) await releaseIfCancelled(work, appointment);
  await schedulePoll(work, appointment);
  await scheduleExpiry(work, visit);
}

const releaseIfCancelled = async (work: Work, appointment: Appointment): Promise<void> =>
  appointment.status === 'cancelled' ? releasePlaces(work, appointment) : undefined;

/** Without a requisition, a confirmed visit counts as reserved only. */
const effectiveStatus = ({ until_requisition }: Appointment, { status }: ProviderVisit): AppointmentState =>
  until_requisition && status === 'confirmed' ? 'reserved' : status;

const toEventData = ({ said }: ProviderVisit): AppointmentEventData =>
  said === null ? null : { message: said };

/**
 * Applies the provider's state to an appointment. The first answer publishes the appointment; later ones change it. An
 * answer that is not new, or that the state machine does not allow, changes nothing.
 */
export async function applyProviderVisit(
  work: Work,
  visit: AppointmentWithOrder,
  answer: ProviderVisit,
): Promise<AppointmentWithOrder> {
  const { appointment } = visit;
  const status = effectiveStatus(appointment, answer);
  const isNew = appointment.told_at === null;
  const isMoved = isNewTime(appointment, answer);
  const path = isNew ? [status] : pathTo(appointment, status, isMoved);
  if (!path) return visit;
  if (isNew || isCompletedByVisit(appointment)) await confirmPlaces(work, appointment);
  const taken = await recordChange(work, visit, {
    changes: {
      ...actionAfter(appointment, answer),
      provider_id: answer.providerId,
      external_id: answer.externalId,
      start_at: answer.startAt ?? appointment.start_at,
      end_at: answer.endAt ?? appointment.end_at,
      ...(status === 'pending' ? {} : { confirm_by: null }),
    },
    path,
    data: toEventData(answer),
  });
  // The provider moved the visit to a slot with an unknown id, so the old slot is free again.
  if (!isNew && isMoved) await releasePlaces(work, taken.appointment);
  return confirmIfDue(work, taken);
}

const isCompletedByVisit = ({ errand }: Appointment) =>
  errand === 'book' || errand === 'request' || errand === 'confirm';

/** Whether the provider accepted a confirmation but has not confirmed yet. */
export const isConfirmationDeferred = ({ errand }: Appointment, { status }: ProviderVisit): boolean =>
  errand === 'confirm' && status === 'reserved';

/** A deferred confirmation is retried until the visit begins; the provider may have moved that time. */
function actionAfter(appointment: Appointment, answer: ProviderVisit): Partial<store.AppointmentChanges> {
  if (isConfirmationDeferred(appointment, answer))
    return { errand_until: answer.startAt ?? appointment.start_at };
  return isCompletedByVisit(appointment) ? noPendingAction : {};
}

const isNewTime = ({ start_at, end_at }: Appointment, { startAt, endAt }: ProviderVisit): boolean =>
  (startAt !== null && startAt.getTime() !== start_at?.getTime()) ||
  (endAt !== null && endAt.getTime() !== end_at?.getTime());

function pathTo(
  { status }: Appointment,
  to: AppointmentState,
  isMoved: boolean,
): readonly AppointmentState[] | undefined {
  if (to !== status) return findStatePath(status, to);
  if (!isMoved) return [];
  return appointmentMachine[status].next.includes(to) ? [to] : [];
}

/** The action to confirm a reserved visit; retried until the visit begins. */
export const confirmAction = ({ start_at }: Appointment) =>
  ({ errand: 'confirm', errand_tries: 0, errand_until: start_at }) as const;

/** Confirms a reserved visit with the provider once the requisition exists. */
export async function confirmIfDue(work: Work, visit: AppointmentWithOrder): Promise<AppointmentWithOrder> {
  const { appointment } = visit;
  const isDue =
    appointment.status === 'reserved' && !appointment.until_requisition && appointment.errand === null;
  if (!isDue) return visit;
  await scheduleProviderAction(work, appointment, work.now);
  return {
    ...visit,
    appointment: await store.updateAppointment(work, appointment, confirmAction(appointment)),
  };
}

/** Records a reschedule that the provider has agreed to, and releases the old slot. */
export async function applyReschedule(
  work: Work,
  visit: AppointmentWithOrder,
  { wish, answer }: { wish: RescheduleTarget; answer: ProviderVisit },
): Promise<AppointmentWithOrder> {
  const { place, slotId, notes } = wish;
  const { appointment } = visit;
  await confirmOnlyPlace(work, appointment, Buffer.from(wish.keyIndex, 'base64'));
  const moved = await recordChange(work, visit, {
    changes: {
      ...noPendingAction,
      private: { place, slotId, notes },
      wish: null,
      time_zone: place.timeZone,
      provider_id: answer.providerId,
      external_id: answer.externalId,
      start_at: answer.startAt ?? new Date(wish.startAt),
      end_at: answer.endAt ?? new Date(wish.endAt),
    },
    path: movedPath(appointment, answer),
    data: toEventData(answer),
  });
  return confirmIfDue(work, moved);
}

/** A reschedule emits an event even if the status does not change. */
function movedPath(appointment: Appointment, answer: ProviderVisit): readonly AppointmentState[] {
  const status = effectiveStatus(appointment, answer);
  const path = status === appointment.status ? [status] : findStatePath(appointment.status, status);
  return path ?? [appointment.status];
}
