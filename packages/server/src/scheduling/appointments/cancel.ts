import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Appointment } from './appointment.ts';
import { lockOrderForVisit } from './rules.ts';
import { getReason } from './reasons.ts';
import { appointmentMachine, type AppointmentType } from './status.ts';
import * as store from './store.ts';
import { recordChange, noPendingAction } from './apply-provider-visit.ts';
import { hasEnded, isPollingOver, scheduleProviderAction } from './timers.ts';
import type { AppointmentWithOrder } from './view.ts';

interface CancelCommand {
  readonly orderId: string;
  readonly type: AppointmentType;
  readonly reasonId: string;
  readonly note: string | null;
}

/**
 * Cancels the appointment of an order; a job notifies the provider. 404 for an unknown reason and for an order without
 * an appointment, 400 for an appointment in progress or ended.
 */
export async function cancelVisit(work: Work, command: CancelCommand): Promise<AppointmentWithOrder> {
  const { type, note } = command;
  const order = await lockOrderForVisit(work, command.orderId, type);
  const reason = getReason(type, command.reasonId);
  const active = await store.findActiveAppointment(work, order.id);
  const appointment = requireFound(
    active?.told_at ? active : await store.findPublished(work, order.id, type),
    'Appointment',
  );
  requireCancellable(work, appointment);
  const { id, name } = reason;
  return cancelAppointment(
    work,
    { order, appointment },
    { cancellation_reason_id: id, cancellation_reason: name, note },
  );
}

/**
 * A visit in progress cannot be cancelled. If its time is over and the provider has not reported an outcome, the team
 * can cancel it; if the provider reported that it began, only after polling has stopped.
 */
function requireCancellable({ now }: Work, appointment: Appointment): void {
  const { status, start_at } = appointment;
  const { active, cancel } = appointmentMachine[status];
  if (!cancel && !(active && isPollingOver(now, appointment))) {
    throw new DomainError('bad_request', `An appointment that is ${status} cannot be cancelled`);
  }
  if (start_at !== null && start_at <= now && !hasEnded(now, appointment)) {
    throw new DomainError('bad_request', 'An appointment that has begun cannot be cancelled');
  }
}

/** Cancels without checking the rules, releases the held slot, and schedules the notification of the provider. */
export async function cancelAppointment(
  work: Work,
  visit: AppointmentWithOrder,
  data: Record<string, unknown>,
): Promise<AppointmentWithOrder> {
  const { appointment } = visit;
  await scheduleProviderAction(work, appointment, work.now);
  return recordChange(work, visit, {
    changes: { ...noPendingAction, errand: 'cancel', wish: null, confirm_by: null },
    path: ['cancelled'],
    data,
  });
}
