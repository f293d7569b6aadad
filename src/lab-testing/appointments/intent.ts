import { createHash } from 'node:crypto';
import type { VisitPlace } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { newRandomId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { lockOrder, type Order } from '../orders/orders.ts';
import type { Appointment } from './appointment.ts';
import type { AppointmentType } from './status.ts';
import * as store from './store.ts';
import { settleAt } from './timers.ts';
import type { Visit } from './view.ts';

/*
 * A booking begins as an intent: an appointment that nobody was told of, written and committed before the provider is
 * asked. From then on it is finished by whoever comes first, the request or the job: told of, removed, or withdrawn.
 */

/** What a request means to do, or what an earlier one with the same idempotency key has begun or done. */
export interface Intent {
  readonly visit: Visit;
  readonly now: Date;
  /** Whether the provider is still to be asked. */
  readonly isOpen: boolean;
}

/** Names a request by its idempotency key and what it asks for; without a key no two requests are the same. */
export function requestKeyOf(repeatKey: string | undefined, ...asked: readonly string[]): Buffer | null {
  if (repeatKey === undefined) return null;
  return createHash('sha256')
    .update(JSON.stringify([repeatKey, ...asked]))
    .digest();
}

/** What this request has begun or done before, if it was sent before. */
export async function findEarlier(
  work: Work,
  order: Order,
  requestKey: Buffer | null,
): Promise<Intent | undefined> {
  const appointment = requestKey && (await store.findByRequest(work, order.id, requestKey));
  if (!appointment) return undefined;
  const isOpen = appointment.told_at === null || appointment.errand === 'move';
  return { visit: { order, appointment }, now: work.now, isOpen };
}

/** 409 for an order that has an appointment to come, told of or under way. */
export async function requireFree(work: Work, order: Order): Promise<void> {
  const active = await store.findActive(work, order.id);
  if (!active) return;
  throw new DomainError(
    'conflict',
    active.told_at === null
      ? 'An appointment of this order is being booked at the moment'
      : 'The order has an appointment already. Reschedule it, or cancel it first.',
  );
}

export interface NewIntent {
  readonly order: Order;
  readonly type: AppointmentType;
  readonly provider: Appointment['provider'];
  readonly kind: Appointment['kind'];
  readonly place: VisitPlace;
  readonly slot: { readonly slotId: string; readonly startAt: Date; readonly endAt: Date } | null;
  readonly notes: string | null;
  readonly untilRequisition: boolean;
  readonly requestKey: Buffer | null;
  /** How long the request waits for the provider. */
  readonly patienceMs: number;
  /** How long it is tried in the background where the request does not wait for the end of it; null where it does. */
  readonly asyncMs: number | null;
}

/** What was begun is finished even where its request died; so long it is tried before it is given up. */
const FINISHED_WITHIN_MS = 15 * MINUTE;
/** What the request itself needs beyond its patience. */
const GRACE_MS = 20 * SECOND;

export async function insertIntent(work: Work, intent: NewIntent): Promise<Visit> {
  const { order, slot, place } = intent;
  const confirmBy = intent.asyncMs === null ? null : later(work.now, intent.asyncMs);
  const appointment = await store.insertAppointment(work, {
    id: newRandomId(),
    order_id: order.id,
    user_id: order.user_id,
    type: intent.type,
    provider: intent.provider,
    kind: intent.kind,
    status: 'pending',
    start_at: slot?.startAt ?? null,
    end_at: slot?.endAt ?? null,
    time_zone: place.timeZone,
    provider_id: null,
    external_id: null,
    private: { place, slotId: slot?.slotId ?? null, notes: intent.notes },
    until_requisition: intent.untilRequisition,
    request_key: intent.requestKey,
    told_at: null,
    confirm_by: confirmBy,
    errand: intent.kind === 'slots' ? 'book' : 'request',
    errand_until: confirmBy ?? later(work.now, FINISHED_WITHIN_MS),
    errand_sent_at: null,
  });
  await settleLater(work, appointment, intent.patienceMs);
  return { order, appointment };
}

/** The job looks after what a request began, once the request should be through. */
export const settleLater = (work: Work, appointment: Appointment, patienceMs: number): Promise<void> =>
  settleAt(work, appointment, later(work.now, patienceMs + GRACE_MS));

/** The appointment as nobody else can change it until this work ends; its order is hidden while its user is deleted. */
export async function lockAppointment(
  work: Work,
  id: string,
): Promise<{ order: Order | undefined; appointment: Appointment } | undefined> {
  const seen = await store.findAppointment(work, id);
  if (!seen) return undefined;
  const order = await lockOrder(work, seen.order_id);
  const appointment = await store.findAppointment(work, id);
  return appointment && { order, appointment };
}

/** Whether this is still a booking under way that nobody was told of. */
export const isIntent = ({ told_at, errand }: Appointment): boolean =>
  told_at === null && (errand === 'book' || errand === 'request');

/** The provider said no before anybody was told: nothing of the booking is left. */
export const undoIntent = (app: App, tenant: Tenant, id: string): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked && isIntent(locked.appointment)) await store.removeAppointment(work, id);
  });

/** The caller is told no while the provider may have booked: the job cancels there, and then removes it here. */
export const withdrawIntent = (app: App, tenant: Tenant, id: string): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const locked = await lockAppointment(work, id);
    if (locked && isIntent(locked.appointment)) await withdraw(work, locked.appointment);
  });

export async function withdraw(work: Work, appointment: Appointment): Promise<void> {
  await store.changeAppointment(work, appointment, {
    errand: 'withdraw',
    errand_until: null,
    errand_tries: 0,
    errand_sent_at: null,
  });
  await settleAt(work, appointment, work.now);
}
