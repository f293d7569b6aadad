import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { LabNetwork, Requisition, RequisitionName } from '../../adapters/lab-network/port.ts';
import { HOUR, isoMoment, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { accountOf } from './account.ts';
import type { Order } from './order.ts';
import { advance, amend } from './orders.ts';
import { bringsPhysician, physicianOf } from './physicians.ts';
import { requisitionOf } from './requisition.ts';
import { isRegisteredOnItsWay, isScheduled, lookAgain, requisitionTimer } from './requisition-timer.ts';
import { topLevel, type Step } from './status.ts';
import { hasOrder, lockOrder } from './row-store.ts';
import * as reading from './read-store.ts';

/** What can be done for an order as it stands. */
type Turn =
  | { do: 'nothing' }
  | { do: 'move'; to: Step }
  | { do: 'request'; requisition: Requisition; network: LabNetwork }
  | { do: 'withdraw'; requisition: RequisitionName; network: LabNetwork; isNoted: boolean }
  /** The reason is told to the team; none where the order is not to be seen at the moment. */
  | { do: 'wait'; reason: string | null };

const nothing: Turn = { do: 'nothing' };

interface Look {
  id: string;
  tries: number;
}

/**
 * Looks at an order and does what is ours to do: asks the laboratory for the requisition, or takes it back from a
 * cancelled order. The laboratory is asked by the order's id, so asking again after a crash makes one requisition. What
 * is cancelled while it is asked may be taken back before the laboratory knows of it: whatever came of the asking, the
 * order is looked at once more, and taken back after it.
 */
export const requestRequisition = defineJob({
  ...requisitionTimer,
  async run(app: App, tenant, { order_id: id, tries }) {
    const look = { id, tries };
    const turn = await readTenant(app, tenant, (work) => turnOf(app, work, id));
    switch (turn.do) {
      case 'nothing':
        return;
      case 'move':
        return inTenant(app, tenant, (work) => moveOn(work, id, turn.to));
      case 'withdraw':
        return withdraw(app, tenant, { look, turn });
      case 'wait':
        return wait(app, tenant, { look, reason: turn.reason });
      default:
        return request(app, tenant, { look, turn });
    }
  },
});

async function turnOf(app: App, work: Work, id: string): Promise<Turn> {
  const order = await reading.findOrder(work, id);
  // An order of a user in the grace period of a deletion comes back with its user, or goes with it.
  if (!order) return (await hasOrder(work, id)) ? { do: 'wait', reason: null } : nothing;
  const network = app.labNetworks[work.tenant.environment];
  if (isCancelled(order)) {
    const requisition = { orderId: order.id, lab: order.lab_slug, tenant: work.tenant };
    const isNoted = order.waiting_reason !== null;
    return network ? { do: 'withdraw', requisition, network, isNoted } : nothing;
  }
  if (isRegisteredOnItsWay(order)) return { do: 'move', to: 'testkit_registered' };
  if (!isDue(work, order)) return nothing;
  if (order.registrable && order.step === 'ordered') return { do: 'move', to: 'awaiting_registration' };
  if (!network) {
    return { do: 'wait', reason: `No laboratory network is connected in ${work.tenant.environment}` };
  }
  return requestOf(app, work, { order, network });
}

const isCancelled = ({ modality, step }: Order): boolean => topLevel(modality, step) === 'cancelled';

/** Whether the laboratory is to be asked now. In sandbox only a scheduled order goes on without being simulated. */
const isDue = (work: Work, order: Order): boolean =>
  (order.step === 'ordered' && !isScheduled(work, order) && isOurs(work, order)) ||
  (order.step === 'testkit_registered' && work.tenant.environment === 'production');

const isOurs = (work: Work, order: Order): boolean =>
  work.tenant.environment === 'production' || order.activate_by !== null;

async function requestOf(
  app: App,
  work: Work,
  { order, network }: { order: Order; network: LabNetwork },
): Promise<Turn> {
  const account = await accountOf(work, order);
  if (order.lab_account_id !== null && !account) {
    return { do: 'wait', reason: `Lab account ${order.lab_account_id} is closed to the team` };
  }
  const physician = physicianOf(app, order);
  if (!physician && !bringsPhysician(account) && work.tenant.environment === 'production') {
    return { do: 'wait', reason: 'No physician of the service is licensed where the patient lives' };
  }
  return { do: 'request', network, requisition: await requisitionOf(work, order, physician) };
}

async function moveOn(work: Work, id: string, to: Step): Promise<void> {
  const order = await lockOrder(work, id);
  const isStillSo =
    to === 'awaiting_registration' ? order?.step === 'ordered' : order?.step === 'with_customer';
  if (order && isStillSo) await advance(work, order, { to });
}

async function request(
  app: App,
  tenant: Tenant,
  { look, turn }: { look: Look; turn: Extract<Turn, { do: 'request' }> },
): Promise<void> {
  const { network, requisition } = turn;
  try {
    const { sampleId } = await network.requestTests(requisition);
    const kept = await inTenant(app, tenant, (work) => keep(work, look.id, sampleId));
    if (kept === 'not wanted any more') await network.withdrawTests(requisition);
  } catch (error) {
    app.log.warn({ order_id: look.id, team_id: tenant.teamId, err: error }, 'no requisition was obtained');
    const reason = reasonOf(error) ?? 'The laboratory network did not take the requisition';
    await wait(app, tenant, { look, reason });
  }
}

/** Tells the laboratory of a cancellation until it has heard of it, however long that takes. */
async function withdraw(
  app: App,
  tenant: Tenant,
  { look, turn }: { look: Look; turn: Extract<Turn, { do: 'withdraw' }> },
): Promise<void> {
  try {
    await turn.network.withdrawTests(turn.requisition);
  } catch (error) {
    app.log.warn({ order_id: look.id, team_id: tenant.teamId, err: error }, 'no requisition was taken back');
    const reason = reasonOf(error) ?? 'The laboratory network did not take the cancellation';
    return wait(app, tenant, { look, reason, isWithdrawal: true });
  }
  if (turn.isNoted) {
    await inTenant(app, tenant, async (work) => {
      const order = await lockOrder(work, look.id);
      if (order) await amend(work, order, { waiting_reason: null });
    });
  }
}

/** What the team can act on, in its own words. */
const reasonOf = (error: unknown): string | undefined =>
  error instanceof DomainError && error.kind === 'unavailable' && typeof error.detail === 'string'
    ? error.detail
    : undefined;

/** Writes down that the laboratory has the requisition, if the order still stands where it was asked for. */
async function keep(work: Work, id: string, sampleId: string): Promise<'done' | 'not wanted any more'> {
  const order = await lockOrder(work, id);
  if (!order && (await hasOrder(work, id))) {
    await lookAgain(work, { orderId: id, dueAt: later(work.now, LONGEST_MS) });
    return 'done';
  }
  if (!order) return 'not wanted any more';
  if (isCancelled(order)) await lookAgain(work, { orderId: id, dueAt: work.now });
  if (!isDue(work, order)) return 'done';
  const changes = order.sample_id === null ? { sample_id: sampleId } : {};
  await advance(work, order, { to: 'requisition_created', changes });
  return 'done';
}

/** How long an order that cannot go on is left alone before it is looked at again. */
const WAITS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];
const LONGEST_MS = 6 * HOUR;

interface Waiting {
  readonly look: Look;
  readonly reason: string | null;
  readonly isWithdrawal?: boolean;
}

/** An order never waits in silence: the log, its `notes` and an event say what for, and it is looked at again. */
async function wait(
  app: App,
  tenant: Tenant,
  { look: { id, tries }, reason, isWithdrawal = false }: Waiting,
): Promise<void> {
  const dueAt = await inTenant(app, tenant, async (work) => {
    const order = await lockOrder(work, id);
    if (order && isCancelled(order) && !isWithdrawal) {
      await lookAgain(work, { orderId: id, dueAt: work.now });
      return undefined;
    }
    // Put off since it was read: who did so has set the timer.
    if (order && !isWithdrawal && !isDue(work, order)) return undefined;
    const next = later(work.now, reason === null ? LONGEST_MS : (WAITS_MS[tries] ?? LONGEST_MS));
    if (order && order.waiting_reason !== reason) await amend(work, order, { waiting_reason: reason });
    await lookAgain(work, { orderId: id, dueAt: next, tries: tries + 1 });
    return next;
  });
  if (!dueAt) return;
  const waits = { order_id: id, team_id: tenant.teamId, reason, next_look_at: isoMoment(dueAt) };
  app.log.warn(waits, 'an order waits');
}
