import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { LabNetwork, Requisition, RequisitionReference } from '../../adapters/lab-network/port.ts';
import { HOUR, isoTimestamp, later, MINUTE } from '../../platform/clock.ts';
import { DomainError, type ErrorKind } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { findOrderLabAccount } from './account.ts';
import type { Order } from './order.ts';
import { advanceOrder, amendOrder } from './orders.ts';
import { usesTeamPhysician, physicianOf } from './physicians.ts';
import { buildRequisition } from './requisition.ts';
import {
  isRegisteredInTransit,
  isScheduled,
  isAtLabWithoutRequisition,
  scheduleRequisitionCheck,
  toOrderAndLab,
  requisitionTimer,
} from './requisition-timer.ts';
import { topLevel, type OrderStep } from './status.ts';
import { hasOrder, lockOrder } from './row-store.ts';
import * as reading from './read-store.ts';

/** The next action for an order in its current state. */
type RequisitionAction =
  | { do: 'nothing' }
  | { do: 'move'; to: OrderStep }
  | { do: 'request'; requisition: Requisition; network: LabNetwork }
  | { do: 'withdraw'; requisition: RequisitionReference; network: LabNetwork; isNoted: boolean }
  /** The reason is shown to the team; null if the order is hidden at the moment. */
  | { do: 'wait'; reason: string | null };

const NO_ACTION: RequisitionAction = { do: 'nothing' };

interface RequisitionAttempt {
  id: string;
  tries: number;
  lab: string | undefined;
}

/**
 * Checks an order and takes the next automatic action: requests the requisition from the laboratory, or withdraws it
 * after a cancellation.
 *
 * Requests are idempotent by order id, so a retry after a crash does not create a second requisition. If an order is
 * cancelled during a request, the withdrawal may reach the laboratory first. Therefore every request, whatever its
 * outcome, schedules another check of a cancelled order, and the requisition is withdrawn again.
 */
export const requestRequisition = defineJob({
  ...requisitionTimer,
  asksLaboratory: true,
  async run(app: App, tenant, { order_id: id, tries, lab }) {
    const look = { id, tries, lab };
    const turn = await readTenant(app, tenant, (work) => decideAction(app, work, look));
    switch (turn.do) {
      case 'nothing':
        return;
      case 'move':
        return inTenant(app, tenant, (work) => advanceIfUnchanged(work, id, turn.to));
      case 'withdraw':
        return withdrawFromLab(app, tenant, { look, turn });
      case 'wait':
        return reportWaiting(app, tenant, { look, reason: turn.reason });
      default:
        return requestFromLab(app, tenant, { look, turn });
    }
  },
});

async function decideAction(
  app: App,
  work: Work,
  { id, lab }: RequisitionAttempt,
): Promise<RequisitionAction> {
  const order = await reading.findOrder(work, id);
  const network = app.labNetworks[work.tenant.environment];
  if (!order) {
    // During the grace period of a user deletion, the order may still be restored or erased.
    if (await hasOrder(work, id)) return { do: 'wait', reason: null };
    if (lab === undefined || !network) return NO_ACTION;
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
    return network ? { do: 'withdraw', requisition, network, isNoted } : NO_ACTION;
  }
  if (isRegisteredInTransit(order)) return { do: 'move', to: 'testkit_registered' };
  if (!isRequestDue(work, order)) return NO_ACTION;
  if (order.registrable && order.step === 'ordered') return { do: 'move', to: 'awaiting_registration' };
  if (!network) {
    return { do: 'wait', reason: `No laboratory network is connected in ${work.tenant.environment}` };
  }
  return prepareRequest(app, work, { order, network });
}

const isCancelled = ({ modality, step }: Order): boolean => topLevel(modality, step) === 'cancelled';

/** Whether the requisition is to be requested now. In sandbox, only scheduled orders advance without a simulation. */
const isRequestDue = (work: Work, order: Order): boolean =>
  (order.step === 'ordered' && !isScheduled(work, order) && advancesAutomatically(work, order)) ||
  (work.tenant.environment === 'production' &&
    (order.step === 'testkit_registered' || isAtLabWithoutRequisition(order)));

const advancesAutomatically = (work: Work, order: Order): boolean =>
  work.tenant.environment === 'production' || order.activate_by !== null;

const NO_PHYSICIANS = 'The order has no physician, and the service has none configured (PHYSICIANS)';
const NONE_LICENSED = "No physician of the service is licensed in the patient's state";

async function prepareRequest(
  app: App,
  work: Work,
  { order, network }: { order: Order; network: LabNetwork },
): Promise<RequisitionAction> {
  const account = await findOrderLabAccount(work, order);
  if (order.lab_account_id !== null && !account) {
    return { do: 'wait', reason: `Lab account ${order.lab_account_id} is closed to the team` };
  }
  const physician = physicianOf(app, work, order);
  if (!physician && !usesTeamPhysician(account) && work.tenant.environment === 'production') {
    return { do: 'wait', reason: app.config.PHYSICIANS.length === 0 ? NO_PHYSICIANS : NONE_LICENSED };
  }
  return { do: 'request', network, requisition: await buildRequisition(work, order, physician) };
}

async function advanceIfUnchanged(work: Work, id: string, to: OrderStep): Promise<void> {
  const order = await lockOrder(work, id);
  const isStillSo =
    to === 'awaiting_registration' ? order?.step === 'ordered' : order?.step === 'with_customer';
  if (order && isStillSo) await advanceOrder(work, order, { to });
}

async function requestFromLab(
  app: App,
  tenant: Tenant,
  { look, turn }: { look: RequisitionAttempt; turn: Extract<RequisitionAction, { do: 'request' }> },
): Promise<void> {
  const { network, requisition } = turn;
  try {
    const { sampleId } = await network.requestTests(requisition);
    await inTenant(app, tenant, (work) => recordRequisition(work, requisition, sampleId));
  } catch (error) {
    app.log.warn({ order_id: look.id, team_id: tenant.teamId, err: error }, 'requisition request failed');
    const reason = unavailableDetail(error) ?? 'The laboratory network did not accept the requisition';
    await reportWaiting(app, tenant, { look, reason });
  }
}

/** Withdraws the requisition at the laboratory. Retried until the laboratory confirms, however long that takes. */
async function withdrawFromLab(
  app: App,
  tenant: Tenant,
  { look, turn }: { look: RequisitionAttempt; turn: Extract<RequisitionAction, { do: 'withdraw' }> },
): Promise<void> {
  try {
    await turn.network.cancelTests(turn.requisition);
  } catch (error) {
    app.log.warn({ order_id: look.id, team_id: tenant.teamId, err: error }, 'requisition withdrawal failed');
    const refusal = errorDetail(error, 'conflict');
    if (refusal !== undefined)
      return inTenant(app, tenant, (work) => setWaitingReason(work, look.id, refusal));
    const reason = unavailableDetail(error) ?? 'The laboratory network did not accept the cancellation';
    return reportWaiting(app, tenant, { look, reason, isWithdrawal: true });
  }
  if (turn.isNoted) await inTenant(app, tenant, (work) => setWaitingReason(work, look.id, null));
}

/**
 * Shows the laboratory's refusal of a cancellation on the order. Not retried: the team has to contact the laboratory.
 */
async function setWaitingReason(work: Work, id: string, reason: string | null): Promise<void> {
  const order = await lockOrder(work, id);
  if (order && order.waiting_reason !== reason) await amendOrder(work, order, { waiting_reason: reason });
}

/** The detail of a temporary failure, which the team can act on. */
const unavailableDetail = (error: unknown): string | undefined => errorDetail(error, 'unavailable');

const errorDetail = (error: unknown, kind: ErrorKind): string | undefined =>
  error instanceof DomainError && error.kind === kind && typeof error.detail === 'string'
    ? error.detail
    : undefined;

/** Records that the laboratory has the requisition, if the order is still at the step that requested it. */
async function recordRequisition(work: Work, { orderId, lab }: Requisition, sampleId: string): Promise<void> {
  const order = await lockOrder(work, orderId);
  if (!order) {
    const isInGrace = await hasOrder(work, orderId);
    const dueAt = isInGrace ? later(work.now, RETRY_DELAY_MAX_MS) : work.now;
    return scheduleRequisitionCheck(work, { orderId, lab, dueAt });
  }
  if (isCancelled(order)) await scheduleRequisitionCheck(work, { ...toOrderAndLab(order), dueAt: work.now });
  if (!isRequestDue(work, order)) return;
  if (isAtLabWithoutRequisition(order)) {
    // The order has moved on, so its step does not change any more.
    if (order.waiting_reason !== null) await amendOrder(work, order, { waiting_reason: null });
    return;
  }
  const changes = order.sample_id === null ? { sample_id: sampleId } : {};
  await advanceOrder(work, order, { to: 'requisition_created', changes });
}

/** Retry delays of an order that cannot advance, by the number of tries. */
const RETRY_DELAYS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];
const RETRY_DELAY_MAX_MS = 6 * HOUR;
/** Withdrawal attempts for an erased order: about 30 days. */
const ERASED_TRIES_MAX = 120;

interface RequisitionWait {
  readonly look: RequisitionAttempt;
  readonly reason: string | null;
  readonly isWithdrawal?: boolean;
}

/** Reports why an order waits, in the log, in its `notes` and in an event, and schedules the next check. */
async function reportWaiting(app: App, tenant: Tenant, waiting: RequisitionWait): Promise<void> {
  const { look, reason } = waiting;
  const dueAt = await inTenant(app, tenant, (work) => scheduleRetry(work, waiting));
  const waits = { order_id: look.id, team_id: tenant.teamId, reason };
  if (dueAt === 'never')
    return app.log.error(waits, 'gave up withdrawing the order of an erased user from its laboratory');
  if (dueAt) app.log.warn({ ...waits, next_look_at: isoTimestamp(dueAt) }, 'order is waiting');
}

async function scheduleRetry(
  work: Work,
  { look: { id, tries, lab }, reason, isWithdrawal = false }: RequisitionWait,
): Promise<Date | 'never' | undefined> {
  const order = await lockOrder(work, id);
  if (!order && !(await hasOrder(work, id))) {
    if (lab === undefined) return undefined;
    if (isWithdrawal && tries >= ERASED_TRIES_MAX) return 'never';
  }
  if (order && isCancelled(order) && !isWithdrawal) {
    await scheduleRequisitionCheck(work, { ...toOrderAndLab(order), dueAt: work.now });
    return undefined;
  }
  // Rescheduled since it was read: that change has set the timer.
  if (order && !isWithdrawal && !isRequestDue(work, order)) return undefined;
  const next = later(
    work.now,
    reason === null ? RETRY_DELAY_MAX_MS : (RETRY_DELAYS_MS[tries] ?? RETRY_DELAY_MAX_MS),
  );
  if (order && order.waiting_reason !== reason) await amendOrder(work, order, { waiting_reason: reason });
  // A hidden order may be erased concurrently. Then keep the timer that the erasure set; it is due sooner.
  const yields = reason === null;
  await scheduleRequisitionCheck(work, {
    orderId: id,
    lab: order?.lab_slug ?? lab,
    dueAt: next,
    tries: tries + 1,
    yields,
  });
  return next;
}
