import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { LabNetwork, Requisition, RequisitionName } from '../../adapters/lab-network/port.ts';
import { HOUR, isoMoment, later, MINUTE } from '../../platform/clock.ts';
import { DomainError, type ErrorKind } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { accountOf } from './account.ts';
import type { Order } from './order.ts';
import { advance, amend } from './orders.ts';
import { bringsPhysician, physicianOf } from './physicians.ts';
import { requisitionOf } from './requisition.ts';
import {
  isRegisteredOnItsWay,
  isScheduled,
  isThereUnasked,
  lookAgain,
  named,
  requisitionTimer,
} from './requisition-timer.ts';
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
  lab: string | undefined;
}

/**
 * Looks at an order and does what is ours to do: asks the laboratory for the requisition, or takes it back from a
 * cancelled order. The laboratory is asked by the order's id, so asking again after a crash makes one requisition. What
 * is cancelled while it is asked may be taken back before the laboratory knows of it: whatever came of the asking, the
 * order is looked at once more, and taken back after it.
 */
export const requestRequisition = defineJob({
  ...requisitionTimer,
  asksLaboratory: true,
  async run(app: App, tenant, { order_id: id, tries, lab }) {
    const look = { id, tries, lab };
    const turn = await readTenant(app, tenant, (work) => turnOf(app, work, look));
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

async function turnOf(app: App, work: Work, { id, lab }: Look): Promise<Turn> {
  const order = await reading.findOrder(work, id);
  const network = app.labNetworks[work.tenant.environment];
  if (!order) {
    // An order of a user in the grace period of a deletion comes back with its user, or goes with it.
    if (await hasOrder(work, id)) return { do: 'wait', reason: null };
    if (lab === undefined || !network) return nothing;
    return {
      do: 'withdraw',
      requisition: { orderId: id, lab, tenant: work.tenant },
      network,
      isNoted: false,
    };
  }
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
  (work.tenant.environment === 'production' &&
    (order.step === 'testkit_registered' || isThereUnasked(order)));

const isOurs = (work: Work, order: Order): boolean =>
  work.tenant.environment === 'production' || order.activate_by !== null;

const NO_PHYSICIANS = 'The order names no physician, and the service has none of its own (PHYSICIANS)';
const NONE_LICENSED = 'No physician of the service is licensed where the patient lives';

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
    return { do: 'wait', reason: app.config.PHYSICIANS.length === 0 ? NO_PHYSICIANS : NONE_LICENSED };
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
    await inTenant(app, tenant, (work) => keep(work, requisition, sampleId));
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
    const refusal = detailOf(error, 'conflict');
    if (refusal !== undefined) return inTenant(app, tenant, (work) => note(work, look.id, refusal));
    const reason = reasonOf(error) ?? 'The laboratory network did not take the cancellation';
    return wait(app, tenant, { look, reason, isWithdrawal: true });
  }
  if (turn.isNoted) await inTenant(app, tenant, (work) => note(work, look.id, null));
}

/** Says of a cancelled order what its laboratory says to that; it is asked once, and the team has to speak with it. */
async function note(work: Work, id: string, reason: string | null): Promise<void> {
  const order = await lockOrder(work, id);
  if (order && order.waiting_reason !== reason) await amend(work, order, { waiting_reason: reason });
}

/** What the team can act on, in its own words. */
const reasonOf = (error: unknown): string | undefined => detailOf(error, 'unavailable');

const detailOf = (error: unknown, kind: ErrorKind): string | undefined =>
  error instanceof DomainError && error.kind === kind && typeof error.detail === 'string'
    ? error.detail
    : undefined;

/** Writes down that the laboratory has the requisition, if the order still stands where it was asked for. */
async function keep(work: Work, { orderId, lab }: Requisition, sampleId: string): Promise<void> {
  const order = await lockOrder(work, orderId);
  if (!order) {
    const isInGrace = await hasOrder(work, orderId);
    const dueAt = isInGrace ? later(work.now, LONGEST_MS) : work.now;
    return lookAgain(work, { orderId, lab, dueAt });
  }
  if (isCancelled(order)) await lookAgain(work, { ...named(order), dueAt: work.now });
  if (!isDue(work, order)) return;
  if (isThereUnasked(order)) {
    // Its journey has gone on, and does not come back for what was late.
    if (order.waiting_reason !== null) await amend(work, order, { waiting_reason: null });
    return;
  }
  const changes = order.sample_id === null ? { sample_id: sampleId } : {};
  await advance(work, order, { to: 'requisition_created', changes });
}

/** How long an order that cannot go on is left alone before it is looked at again. */
const WAITS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];
const LONGEST_MS = 6 * HOUR;
/** So often a laboratory is told of an order that is erased: a month long. */
const TRIES_FOR_ERASED = 120;

interface Waiting {
  readonly look: Look;
  readonly reason: string | null;
  readonly isWithdrawal?: boolean;
}

/** An order never waits in silence: the log, its `notes` and an event say what for, and it is looked at again. */
async function wait(app: App, tenant: Tenant, waiting: Waiting): Promise<void> {
  const { look, reason } = waiting;
  const dueAt = await inTenant(app, tenant, (work) => putOff(work, waiting));
  const waits = { order_id: look.id, team_id: tenant.teamId, reason };
  if (dueAt === 'never') return app.log.error(waits, 'the order of an erased user stays with its laboratory');
  if (dueAt) app.log.warn({ ...waits, next_look_at: isoMoment(dueAt) }, 'an order waits');
}

async function putOff(
  work: Work,
  { look: { id, tries, lab }, reason, isWithdrawal = false }: Waiting,
): Promise<Date | 'never' | undefined> {
  const order = await lockOrder(work, id);
  if (!order && !(await hasOrder(work, id))) {
    if (lab === undefined) return undefined;
    if (isWithdrawal && tries >= TRIES_FOR_ERASED) return 'never';
  }
  if (order && isCancelled(order) && !isWithdrawal) {
    await lookAgain(work, { ...named(order), dueAt: work.now });
    return undefined;
  }
  // Put off since it was read: who did so has set the timer.
  if (order && !isWithdrawal && !isDue(work, order)) return undefined;
  const next = later(work.now, reason === null ? LONGEST_MS : (WAITS_MS[tries] ?? LONGEST_MS));
  if (order && order.waiting_reason !== reason) await amend(work, order, { waiting_reason: reason });
  // An order that is hidden may be erased at this very moment: then the erasure has set the timer, and sooner.
  const yields = reason === null;
  await lookAgain(work, { orderId: id, lab: order?.lab_slug ?? lab, dueAt: next, tries: tries + 1, yields });
  return next;
}
