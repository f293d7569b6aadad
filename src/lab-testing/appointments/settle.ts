import { z } from 'zod';
import type { ProviderVisit } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { findOrder } from '../orders/orders.ts';
import { lastAnswer, type Appointment } from './appointment.ts';
import { askInTime, askToBook, isAway, providerOf, type Asked } from './ask-provider.ts';
import { cancelWith } from './cancel.ts';
import { isIntent, lockAppointment, withdraw } from './intent.ts';
import { dropMove } from './reschedule.ts';
import * as store from './store.ts';
import { isPutOff, settled, takeAnswer, takeMove } from './take-answer.ts';
import { hasEnded, settleAgain, settleAt, settleTimer } from './timers.ts';
import type { Visit } from './view.ts';

/** A job has time. */
const PATIENCE_MS = 30 * SECOND;

/**
 * Does what is open with the provider: a booking whose request died or did not wait, a move of which nobody knows what
 * became, a confirmation, a cancellation. The provider is asked between two transactions, and what was changed
 * meanwhile is seen in the second.
 */
export const settleAppointment = defineJob({
  ...settleTimer,
  async run(app: App, tenant, { appointment_id: id }) {
    const seen = await readTenant(app, tenant, (work) => look(work, id));
    if (!seen?.appointment.errand) return;
    const { appointment, order, now } = seen;
    switch (appointment.errand) {
      case 'cancel':
      case 'withdraw':
        return callOff(app, tenant, { appointment, now });
      case 'move':
        return findOut(app, tenant, { appointment, now });
      default:
        // The order of a user in the grace period of a deletion comes back with its user, or goes with it.
        if (!order) return again(app, tenant, { id, errand: appointment.errand });
        return book(app, tenant, { visit: { order, appointment }, now });
    }
  },
});

async function look(work: Work, id: string) {
  const appointment = await store.findAppointment(work, id);
  return appointment && { appointment, order: await findOrder(work, appointment.order_id), now: work.now };
}

interface Seen {
  readonly appointment: Appointment;
  readonly now: Date;
}

/** Books, requests or confirms. */
async function book(app: App, tenant: Tenant, { visit, now }: { visit: Visit; now: Date }): Promise<void> {
  const { id, errand, provider: name } = visit.appointment;
  const asking = Promise.resolve().then(() => {
    const provider = providerOf(app, tenant, name);
    const last = lastAnswer(visit.appointment);
    return errand === 'confirm' && last
      ? provider.confirm({ appointmentId: id, last })
      : askToBook(provider, visit, now);
  });
  const asked = await askInTime(asking, PATIENCE_MS);
  await inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked?.appointment.errand !== errand) return;
    const { order, appointment } = locked;
    // Hidden since we asked: the answer is asked for again, by the same id, once the user is back.
    if (!order) return tryLater(work, appointment);
    await writeDown(work, { order, appointment }, asked);
  });
}

async function writeDown(work: Work, visit: Visit, asked: Asked): Promise<void> {
  const { appointment } = visit;
  if (asked.is === 'answered') {
    const taken = await takeAnswer(work, visit, asked.visit);
    if (isPutOff(appointment, asked.visit)) await goOnAsking(work, taken);
  } else if (asked.is === 'refused') {
    if (isIntent(appointment)) await store.removeAppointment(work, appointment.id);
    else await cancelWith(work, visit, { message: asked.error.message });
  } else {
    await goOnAsking(work, visit, asked.retryAfterSeconds);
  }
}

/** Later and later, until it is given up. */
async function goOnAsking(work: Work, visit: Visit, retryAfterSeconds?: number): Promise<void> {
  const { appointment } = visit;
  const { errand_until: until } = appointment;
  if (until === null || work.now < until) await tryLater(work, appointment, retryAfterSeconds);
  else if (isIntent(appointment)) await withdraw(work, appointment);
  else await cancelWith(work, visit, { message: 'The scheduling provider did not confirm in time' });
}

async function tryLater(work: Work, appointment: Appointment, retryAfterSeconds?: number): Promise<void> {
  await settleAgain(work, appointment, retryAfterSeconds);
  await store.changeAppointment(work, appointment, { errand_tries: appointment.errand_tries + 1 });
}

interface Again extends Pick<Appointment, 'id' | 'errand'> {
  readonly retryAfterSeconds?: number | undefined;
}

const again = (app: App, tenant: Tenant, { id, errand, retryAfterSeconds }: Again): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked?.appointment.errand === errand) await tryLater(work, locked.appointment, retryAfterSeconds);
  });

/** How long a provider may take with what we asked it before we look once more. */
const VERIFIED_AFTER_MS = 2 * MINUTE;

/**
 * Cancels at the provider, and looks a little later whether it stayed so: a booking that was on its way when we said
 * no may have come after the cancellation.
 */
async function callOff(app: App, tenant: Tenant, { appointment, now }: Seen): Promise<void> {
  const { id, errand, errand_sent_at: sentAt } = appointment;
  // Nobody is on the way any more: the provider is told, and need not agree.
  const isOver = hasEnded(now, appointment);
  const close = () => inTenant(app, tenant, (work) => closeOff(work, appointment));
  try {
    const provider = providerOf(app, tenant, appointment.provider);
    const looking = () => provider.look({ appointmentId: id, last: lastAnswer(appointment), now });
    if (sentAt !== null && (isOver || (await isGone(looking())))) return await close();
    await provider.cancel({ appointmentId: id, ...reasonOf(appointment) });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (isOver && !isAway(error)) return close();
    app.log.warn({ appointment_id: id, team_id: tenant.teamId, err: error }, 'a visit was not cancelled yet');
    return again(app, tenant, { id, errand, retryAfterSeconds: error.retryAfterSeconds });
  }
  await inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked?.appointment.errand !== errand) return;
    await store.changeAppointment(work, locked.appointment, { errand_sent_at: work.now });
    await settleAt(work, appointment, later(work.now, VERIFIED_AFTER_MS));
  });
}

async function isGone(looking: Promise<ProviderVisit | undefined>): Promise<boolean> {
  const visit = await looking;
  return visit === undefined || visit.status === 'cancelled' || visit.status === 'completed';
}

async function closeOff(work: Work, { id, errand }: Appointment): Promise<void> {
  const locked = await lockAppointment(work, id);
  if (locked?.appointment.errand !== errand) return;
  if (errand === 'withdraw') await store.removeAppointment(work, id);
  else await store.changeAppointment(work, locked.appointment, settled);
}

const Reason = z.object({ cancellation_reason: z.string(), note: z.string().nullish() });

function reasonOf({ events, errand }: Appointment): { reason: string; note: string | null } {
  const said = Reason.safeParse(events.at(-1)?.data);
  if (said.success) return { reason: said.data.cancellation_reason, note: said.data.note ?? null };
  return { reason: errand === 'withdraw' ? 'The booking was not completed' : 'Cancelled', note: null };
}

/** So often a move of which nobody knows is looked for. */
const LOOKS = 3;

/** Whether the provider moved the appointment, of which we had no answer. */
async function findOut(app: App, tenant: Tenant, { appointment, now }: Seen): Promise<void> {
  const { id, wish, errand } = appointment;
  const visit = await Promise.resolve()
    .then(() => providerOf(app, tenant, appointment.provider))
    .then((provider) => provider.look({ appointmentId: id, last: lastAnswer(appointment), now }))
    .catch((error: unknown) => {
      if (error instanceof DomainError) return error;
      throw error;
    });
  if (visit instanceof DomainError) {
    return again(app, tenant, { id, errand, retryAfterSeconds: visit.retryAfterSeconds });
  }
  const isMoved = wish !== null && visit?.startAt?.getTime() === Date.parse(wish.startAt);
  if (!isMoved && appointment.errand_tries < LOOKS) return again(app, tenant, { id, errand });
  await inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (!locked || !isSameMove(appointment, locked.appointment)) return;
    const { order, appointment: current } = locked;
    if (!isMoved) return dropMove(work, id);
    // Hidden until its user is back, or erased with it.
    if (!order) return tryLater(work, current);
    await takeMove(work, { order, appointment: current }, { wish, answer: visit });
  });
}

/** Whether nobody finished the move since it was seen, nor asked for it once more. */
function isSameMove(seen: Appointment, current: Appointment): boolean {
  const isOpen = current.errand === 'move' && current.wish?.keyIndex === seen.wish?.keyIndex;
  return isOpen && current.errand_tries === seen.errand_tries;
}
