import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { ProviderVisit } from '../../adapters/scheduling/port.ts';
import { lastAnswer, type Appointment } from './appointment.ts';
import { providerOf } from './ask-provider.ts';
import { cancelWith } from './cancel.ts';
import { lockAppointment } from './intent.ts';
import { appointmentMachine } from './status.ts';
import * as store from './store.ts';
import { takeAnswer } from './take-answer.ts';
import { followLater, followTimer } from './timers.ts';
import type { Visit } from './view.ts';

/** Looks what the provider made of an appointment, and sets when it looks next. */
export const followAppointment = defineJob({
  ...followTimer,
  canWait: true,
  async run(app: App, tenant, { appointment_id: id }) {
    const seen = await readTenant(app, tenant, async (work) => {
      const appointment = await store.findAppointment(work, id);
      return appointment && { appointment, now: work.now };
    });
    if (!seen || !isFollowed(seen.appointment)) return;
    const { answer, retryAfterSeconds } = await ask(app, tenant, seen);
    await inTenant(app, tenant, async (work) => {
      const locked = await lockAppointment(work, id);
      if (!locked) return;
      await followLater(work, locked.appointment, retryAfterSeconds);
      const { order, appointment } = locked;
      if (!order || !isFollowed(appointment) || appointment.errand !== null) return;
      const { appointment: known } = answer ? await takeAnswer(work, { order, appointment }, answer) : locked;
      await giveUpWhereDue(work, { order, appointment: known });
    });
  },
});

const isFollowed = ({ status, told_at }: Appointment): boolean =>
  appointmentMachine[status].active && told_at !== null;

interface Said {
  readonly answer?: ProviderVisit | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** What the provider says now; no answer where it cannot be asked at the moment, or knows nothing. */
async function ask(
  app: App,
  tenant: Tenant,
  { appointment, now }: { appointment: Appointment; now: Date },
): Promise<Said> {
  const { id: appointmentId } = appointment;
  try {
    const provider = providerOf(app, tenant, appointment.provider);
    return { answer: await provider.look({ appointmentId, last: lastAnswer(appointment), now }) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    app.log.warn(
      { appointment_id: appointmentId, reason: error.message },
      'scheduling provider did not answer',
    );
    return { retryAfterSeconds: error.retryAfterSeconds };
  }
}

/** The team did not want to wait any longer than this for a confirmation. */
async function giveUpWhereDue(work: Work, visit: Visit): Promise<void> {
  const { status, confirm_by } = visit.appointment;
  if (status !== 'pending' || confirm_by === null || work.now < confirm_by) return;
  await cancelWith(work, visit, { message: 'The scheduling provider did not confirm in time' });
}
