import { DomainError, found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Appointment } from './appointment.ts';
import { lockOrderOf } from './rules.ts';
import { getReason } from './reasons.ts';
import { appointmentMachine, type AppointmentType } from './status.ts';
import * as store from './store.ts';
import { record, settled } from './take-answer.ts';
import { hasEnded, isGivenUpOn, settleAt } from './timers.ts';
import type { Visit } from './view.ts';

export interface CancelCommand {
  readonly orderId: string;
  readonly type: AppointmentType;
  readonly reasonId: string;
  readonly note: string | null;
}

/**
 * Cancels the appointment of an order; the provider is told by a job. 404 for an unknown reason and for an order
 * without an appointment, 400 for one that is going on or has come to its end.
 */
export async function cancelVisit(work: Work, command: CancelCommand): Promise<Visit> {
  const { type, note } = command;
  const order = await lockOrderOf(work, command.orderId, type);
  const reason = getReason(type, command.reasonId);
  const active = await store.findActive(work, order.id);
  const appointment = found(
    active?.told_at ? active : await store.findTold(work, order.id, type),
    'Appointment',
  );
  requireCancellable(work, appointment);
  const { id, name } = reason;
  return cancelWith(
    work,
    { order, appointment },
    { cancellation_reason_id: id, cancellation_reason: name, note },
  );
}

/**
 * A visit that is going on stands. One whose time is over without a word of the provider is the team's to end; one that
 * the provider has seen begin, once it is not asked about any more.
 */
function requireCancellable({ now }: Work, appointment: Appointment): void {
  const { status, start_at } = appointment;
  const { active, cancel } = appointmentMachine[status];
  if (!cancel && !(active && isGivenUpOn(now, appointment))) {
    throw new DomainError('bad_request', `An appointment that is ${status} cannot be cancelled`);
  }
  if (start_at !== null && start_at <= now && !hasEnded(now, appointment)) {
    throw new DomainError('bad_request', 'An appointment that has begun cannot be cancelled');
  }
}

/** Cancels without asking whether one may, frees the places and has the provider told. */
export async function cancelWith(work: Work, visit: Visit, data: Record<string, unknown>): Promise<Visit> {
  const { appointment } = visit;
  await settleAt(work, appointment, work.now);
  return record(work, visit, {
    changes: { ...settled, errand: 'cancel', wish: null, confirm_by: null },
    path: ['cancelled'],
    data,
  });
}
