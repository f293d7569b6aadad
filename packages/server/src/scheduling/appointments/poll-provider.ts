import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { ProviderVisit } from '../../adapters/scheduling/port.ts';
import { lastProviderVisit, type Appointment } from './appointment.ts';
import { requireProvider } from './call-provider.ts';
import { cancelAppointment } from './cancel.ts';
import { lockAppointment } from './intent.ts';
import { appointmentMachine } from './status.ts';
import * as store from './store.ts';
import { applyProviderVisit } from './apply-provider-visit.ts';
import { schedulePoll, pollTimer } from './timers.ts';
import type { AppointmentWithOrder } from './view.ts';

/** Polls the provider for the state of an appointment, and schedules the next poll. */
export const pollAppointment = defineJob({
  ...pollTimer,
  canWait: true,
  async run(app: App, tenant, { appointment_id: id }) {
    const seen = await readTenant(app, tenant, async (work) => {
      const appointment = await store.findAppointment(work, id);
      return appointment && { appointment, now: work.now };
    });
    if (!seen || !isPolled(seen.appointment)) return;
    const { answer, retryAfterSeconds } = await fetchVisit(app, tenant, seen);
    await inTenant(app, tenant, async (work) => {
      const locked = await lockAppointment(work, id);
      if (!locked) return;
      await schedulePoll(work, locked.appointment, retryAfterSeconds);
      const { order, appointment } = locked;
      if (!order || !isPolled(appointment) || appointment.errand !== null) return;
      const { appointment: known } = answer
        ? await applyProviderVisit(work, { order, appointment }, answer)
        : locked;
      await cancelIfUnconfirmed(work, { order, appointment: known });
    });
  },
});

const isPolled = ({ status, told_at }: Appointment): boolean =>
  appointmentMachine[status].active && told_at !== null;

interface PollAnswer {
  readonly answer?: ProviderVisit | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The state at the provider; no answer if it is unreachable or does not know the appointment. */
async function fetchVisit(
  app: App,
  tenant: Tenant,
  { appointment, now }: { appointment: Appointment; now: Date },
): Promise<PollAnswer> {
  const { id: appointmentId } = appointment;
  try {
    const provider = requireProvider(app, tenant, appointment.provider);
    return { answer: await provider.look({ appointmentId, last: lastProviderVisit(appointment), now }) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    app.log.warn(
      { appointment_id: appointmentId, reason: error.message },
      'scheduling provider request failed',
    );
    return { retryAfterSeconds: error.retryAfterSeconds };
  }
}

/** Cancels a pending appointment after the team's timeout for the confirmation (`confirm_by`). */
async function cancelIfUnconfirmed(work: Work, visit: AppointmentWithOrder): Promise<void> {
  const { status, confirm_by } = visit.appointment;
  if (status !== 'pending' || confirm_by === null || work.now < confirm_by) return;
  await cancelAppointment(work, visit, { message: 'The scheduling provider did not confirm in time' });
}
