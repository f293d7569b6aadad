import { z } from 'zod';
import type { ProviderVisit } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { findOrder } from '../../ordering/orders/orders.ts';
import { lastProviderVisit, type Appointment } from './appointment.ts';
import {
  awaitOutcome,
  sendBooking,
  isProviderUnreachable,
  requireProvider,
  type ProviderOutcome,
} from './call-provider.ts';
import { cancelAppointment } from './cancel.ts';
import { isIntent, lockAppointment, withdrawBooking } from './intent.ts';
import { dropReschedule } from './reschedule.ts';
import * as store from './store.ts';
import {
  isConfirmationDeferred,
  noPendingAction,
  applyProviderVisit,
  applyReschedule,
} from './apply-provider-visit.ts';
import { hasEnded, retryProviderAction, scheduleProviderAction, providerActionTimer } from './timers.ts';
import type { AppointmentWithOrder } from './view.ts';

/** Timeout for the provider's answer. Longer than for requests. */
const PROVIDER_TIMEOUT_MS = 30 * SECOND;

/**
 * Carries out the pending action (`errand`) of an appointment at its provider: a booking whose request died or did not
 * wait, a reschedule with unknown outcome, a confirmation, a cancellation, or the withdrawal of a booking.
 *
 * The provider is called between two transactions. The second one detects concurrent changes by comparing the pending
 * action, and leaves a changed appointment alone. All provider calls are idempotent, so a crash leads to a retry.
 */
export const runProviderAction = defineJob({
  ...providerActionTimer,
  async run(app: App, tenant, { appointment_id: id }) {
    const seen = await readTenant(app, tenant, (work) => readAppointment(work, id));
    if (!seen?.appointment.errand) return;
    const { appointment, order, now } = seen;
    switch (appointment.errand) {
      case 'cancel':
      case 'withdraw':
        return cancelAtProvider(app, tenant, { appointment, now });
      case 'move':
        return resolveReschedule(app, tenant, { appointment, now });
      default:
        // During the grace period of a user deletion, the order may still be restored or erased.
        if (!order) return retryLater(app, tenant, { id, errand: appointment.errand });
        return sendBookingOrConfirmation(app, tenant, { visit: { order, appointment }, now });
    }
  },
});

async function readAppointment(work: Work, id: string) {
  const appointment = await store.findAppointment(work, id);
  return appointment && { appointment, order: await findOrder(work, appointment.order_id), now: work.now };
}

interface ReadAppointment {
  readonly appointment: Appointment;
  readonly now: Date;
}

/** Books, requests or confirms. */
async function sendBookingOrConfirmation(
  app: App,
  tenant: Tenant,
  { visit, now }: { visit: AppointmentWithOrder; now: Date },
): Promise<void> {
  const { id, errand, provider: name } = visit.appointment;
  const asking = Promise.resolve().then(() => {
    const provider = requireProvider(app, tenant, name);
    const last = lastProviderVisit(visit.appointment);
    return errand === 'confirm' && last
      ? provider.confirm({ appointmentId: id, last })
      : sendBooking(provider, visit, now);
  });
  const asked = await awaitOutcome(asking, PROVIDER_TIMEOUT_MS);
  await inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked?.appointment.errand !== errand) return;
    const { order, appointment } = locked;
    // The user was deleted in the meantime. Retry by the same id, in case the user is restored.
    if (!order) return scheduleRetry(work, appointment);
    await recordOutcome(work, { order, appointment }, asked);
  });
}

async function recordOutcome(work: Work, visit: AppointmentWithOrder, asked: ProviderOutcome): Promise<void> {
  const { appointment } = visit;
  if (asked.is === 'answered') {
    const taken = await applyProviderVisit(work, visit, asked.visit);
    if (isConfirmationDeferred(appointment, asked.visit)) await retryOrGiveUp(work, taken);
  } else if (asked.is === 'refused') {
    if (isIntent(appointment)) await store.removeAppointment(work, appointment.id);
    else await cancelAppointment(work, visit, { message: asked.error.message });
  } else {
    await retryOrGiveUp(work, visit, asked.retryAfterSeconds);
  }
}

/** Retries with growing delays until the deadline, then withdraws or cancels. */
async function retryOrGiveUp(
  work: Work,
  visit: AppointmentWithOrder,
  retryAfterSeconds?: number,
): Promise<void> {
  const { appointment } = visit;
  const { errand_until: until } = appointment;
  if (until === null || work.now < until) await scheduleRetry(work, appointment, retryAfterSeconds);
  else if (isIntent(appointment)) await withdrawBooking(work, appointment);
  else await cancelAppointment(work, visit, { message: 'The scheduling provider did not confirm in time' });
}

async function scheduleRetry(
  work: Work,
  appointment: Appointment,
  retryAfterSeconds?: number,
): Promise<void> {
  await retryProviderAction(work, appointment, retryAfterSeconds);
  await store.updateAppointment(work, appointment, { errand_tries: appointment.errand_tries + 1 });
}

interface ActionRetry extends Pick<Appointment, 'id' | 'errand'> {
  readonly retryAfterSeconds?: number | undefined;
}

const retryLater = (
  app: App,
  tenant: Tenant,
  { id, errand, retryAfterSeconds }: ActionRetry,
): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked?.appointment.errand === errand)
      await scheduleRetry(work, locked.appointment, retryAfterSeconds);
  });

/** Delay before a cancellation is verified at the provider. */
const VERIFY_AFTER_MS = 2 * MINUTE;

/**
 * Cancels at the provider, and verifies it a little later: a booking request that was still in flight may arrive after
 * the cancellation.
 */
async function cancelAtProvider(
  app: App,
  tenant: Tenant,
  { appointment, now }: ReadAppointment,
): Promise<void> {
  const { id, errand, errand_sent_at: sentAt } = appointment;
  // The visit is over: the provider is notified, and its refusal is ignored.
  const isOver = hasEnded(now, appointment);
  const close = () => inTenant(app, tenant, (work) => finishCancellation(work, appointment));
  try {
    const provider = requireProvider(app, tenant, appointment.provider);
    const looking = () => provider.look({ appointmentId: id, last: lastProviderVisit(appointment), now });
    if (sentAt !== null && (isOver || (await isGone(looking())))) return await close();
    await provider.cancel({ appointmentId: id, ...readReason(appointment) });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (isOver && !isProviderUnreachable(error)) return close();
    app.log.warn(
      { appointment_id: id, team_id: tenant.teamId, err: error },
      'cancelling a visit failed, will retry',
    );
    return retryLater(app, tenant, { id, errand, retryAfterSeconds: error.retryAfterSeconds });
  }
  await inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked?.appointment.errand !== errand) return;
    await store.updateAppointment(work, locked.appointment, { errand_sent_at: work.now });
    await scheduleProviderAction(work, appointment, later(work.now, VERIFY_AFTER_MS));
  });
}

async function isGone(looking: Promise<ProviderVisit | undefined>): Promise<boolean> {
  const visit = await looking;
  return visit === undefined || visit.status === 'cancelled' || visit.status === 'completed';
}

async function finishCancellation(work: Work, { id, errand }: Appointment): Promise<void> {
  const locked = await lockAppointment(work, id);
  if (locked?.appointment.errand !== errand) return;
  if (errand === 'withdraw') await store.removeAppointment(work, id);
  else await store.updateAppointment(work, locked.appointment, noPendingAction);
}

const CancellationData = z.object({ cancellation_reason: z.string(), note: z.string().nullish() });

function readReason({ events, errand }: Appointment): { reason: string; note: string | null } {
  const said = CancellationData.safeParse(events.at(-1)?.data);
  if (said.success) return { reason: said.data.cancellation_reason, note: said.data.note ?? null };
  return { reason: errand === 'withdraw' ? 'The booking was not completed' : 'Cancelled', note: null };
}

/** How often a reschedule with unknown outcome is checked. */
const RESCHEDULE_CHECKS_MAX = 3;

/** Checks whether the provider carried out a reschedule that it did not answer. */
async function resolveReschedule(
  app: App,
  tenant: Tenant,
  { appointment, now }: ReadAppointment,
): Promise<void> {
  const { id, wish, errand } = appointment;
  const visit = await Promise.resolve()
    .then(() => requireProvider(app, tenant, appointment.provider))
    .then((provider) => provider.look({ appointmentId: id, last: lastProviderVisit(appointment), now }))
    .catch((error: unknown) => {
      if (error instanceof DomainError) return error;
      throw error;
    });
  if (visit instanceof DomainError) {
    return retryLater(app, tenant, { id, errand, retryAfterSeconds: visit.retryAfterSeconds });
  }
  const isMoved = wish !== null && visit?.startAt?.getTime() === Date.parse(wish.startAt);
  if (!isMoved && appointment.errand_tries < RESCHEDULE_CHECKS_MAX)
    return retryLater(app, tenant, { id, errand });
  await inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (!locked || !isSameReschedule(appointment, locked.appointment)) return;
    const { order, appointment: current } = locked;
    if (!isMoved) return dropReschedule(work, id);
    // The user was deleted in the meantime. Retry, in case the user is restored.
    if (!order) return scheduleRetry(work, current);
    await applyReschedule(work, { order, appointment: current }, { wish, answer: visit });
  });
}

/** Whether the reschedule was neither finished nor requested again since it was read. */
function isSameReschedule(seen: Appointment, current: Appointment): boolean {
  const isOpen = current.errand === 'move' && current.wish?.keyIndex === seen.wish?.keyIndex;
  return isOpen && current.errand_tries === seen.errand_tries;
}
