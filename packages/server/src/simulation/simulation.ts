import { z } from 'zod';
import type { App } from '../app.ts';
import { inTenant, readTenant } from '../app.ts';
import type { LabReport, SimulatedReportRequest } from '../adapters/lab-network/port.ts';
import { later, SECOND } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import { defineJob } from '../platform/jobs/jobs.ts';
import { setTimer } from '../platform/jobs/timers.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { advanceOrder, cancelOrder, getOrder, type Order } from '../ordering/orders/orders.ts';
import { createRedraw, markersToRedraw } from '../results/order-transactions/order-transactions.ts';
import type { OrderStep } from '../ordering/orders/status.ts';
import {
  fetchReport,
  findReport,
  saveReport,
  requestTests,
  buildRequisition,
  emitIfCritical,
} from '../results/results/results.ts';
import {
  storeLabels,
  requestLabel,
  type LabelsByLeg,
  type ShipmentLeg,
  type PurchasedLabel,
} from '../ordering/shipments/shipments.ts';
import { PlannedStep, planSimulation, type SimulationRequest } from './plan.ts';
import { resolveSpecimenTimes } from './specimen-times.ts';
import { lockSimulatedOrder } from './store.ts';

/** A prepared simulation: its steps, and the labels and reports that they need. */
interface PreparedSimulation {
  readonly orderId: string;
  /** The order's last event at planning time. The simulation stops if the order was moved since. */
  readonly afterEvent: number;
  /** The steps that are taken now. */
  readonly steps: readonly PlannedStep[];
  /** The steps that follow, each `delaySeconds` after the one before. */
  readonly rest: readonly PlannedStep[];
  readonly delaySeconds: number;
  readonly sampleId: string | undefined;
  readonly labels: LabelsByLeg;
  /** Laboratory reports by index in `steps`. */
  readonly reports: ReadonlyMap<number, LabReport>;
}

/**
 * Plans a simulation and gets its reports and labels from the simulated laboratory and courier. Outside any
 * transaction.
 */
export async function prepareSimulation(
  app: App,
  tenant: Tenant,
  wish: SimulationRequest,
): Promise<PreparedSimulation> {
  const order = await readTenant(app, tenant, (work) => getOrder(work, wish.order_id));
  if (tenant.environment !== 'sandbox') {
    throw new DomainError('bad_request', 'Simulation is available in sandbox only');
  }
  return prepareSteps(app, tenant, {
    order,
    plan: planSimulation(order, wish),
    delaySeconds: wish.delay_seconds,
  });
}

interface SimulationPlan {
  order: Order;
  plan: readonly PlannedStep[];
  delaySeconds: number;
}

async function prepareSteps(
  app: App,
  tenant: Tenant,
  { order, plan, delaySeconds }: SimulationPlan,
): Promise<PreparedSimulation> {
  const now = delaySeconds > 0 ? 1 : plan.length;
  const steps = plan.slice(0, now);
  return {
    orderId: order.id,
    afterEvent: lastEventOf(order),
    steps,
    rest: plan.slice(now),
    delaySeconds,
    labels: await buyLabels(app, tenant, { order, steps }),
    ...(await fetchReports(app, tenant, { order, steps })),
  };
}

const lastEventOf = (order: Order): number => order.events.at(-1)?.id ?? 0;

/** The steps at which the laboratory reports, with the status of the report. */
const REPORT_STATUS_BY_STEP: Readonly<Partial<Record<OrderStep, SimulatedReportRequest['status']>>> = {
  partial_results: 'partial',
  redraw_available: 'final',
  completed: 'final',
  corrected: 'corrected',
};

interface StepsOfOrder {
  order: Order;
  steps: readonly PlannedStep[];
}

async function fetchReports(
  app: App,
  tenant: Tenant,
  { order, steps }: StepsOfOrder,
): Promise<Pick<PreparedSimulation, 'sampleId' | 'reports'>> {
  const reports = new Map<number, LabReport>();
  const asksLab = steps.some(({ to }) => to === 'requisition_created' || REPORT_STATUS_BY_STEP[to]);
  if (!asksLab) return { sampleId: order.sample_id ?? undefined, reports };
  const { requisition, now, known } = await readTenant(app, tenant, async (work) => ({
    requisition: await buildRequisition(work, order),
    now: work.now,
    known: await findReport(work, order.id),
  }));
  const times = resolveSpecimenTimes(order, { known, now });
  const placed = await requestTests(app, tenant, requisition);
  const sampleId = order.sample_id ?? placed.sampleId;
  for (const [index, step] of steps.entries()) {
    const status = REPORT_STATUS_BY_STEP[step.to];
    if (!status) continue;
    const wish = toReportRequest(step, status);
    const report = await fetchReport(app, tenant, { requisition, sampleId, ...times, at: now, wish });
    if (report) reports.set(index, report);
  }
  return { sampleId, reports };
}

const toReportRequest = (
  step: PlannedStep,
  status: SimulatedReportRequest['status'],
): SimulatedReportRequest => ({
  interpretation: step.interpretation,
  resultTypes: step.result_types,
  person: step.person,
  hasMissingResults: step.has_missing_results,
  status,
});

/** A kit ships with both labels. A kit that was handed out in person needs only the return label. */
async function buyLabels(app: App, tenant: Tenant, { order, steps }: StepsOfOrder): Promise<LabelsByLeg> {
  const labels = new Map<ShipmentLeg, PurchasedLabel>();
  if (order.modality !== 'testkit') return labels;
  const passes = (step: OrderStep) => steps.some(({ to }) => to === step);
  const leaves = passes('transit_customer') && order.leg === 'stock';
  const returns = leaves || (passes('transit_lab') && order.shipment === null);
  if (leaves) labels.set('outbound', await requestLabel(app, tenant, { order, leg: 'outbound' }));
  if (returns) labels.set('inbound', await requestLabel(app, tenant, { order, leg: 'inbound' }));
  return labels;
}

/** Applies the prepared steps, each with its event. With a delay: one step now, the rest by timer. */
export async function runSimulation(work: Work, walk: PreparedSimulation, dueAt = work.now): Promise<Order> {
  await lockSimulatedOrder(work, walk.orderId);
  let order = await getOrder(work, walk.orderId);
  if (lastEventOf(order) !== walk.afterEvent) {
    throw new DomainError('conflict', 'The order was changed by another request; read it again');
  }
  for (const index of walk.steps.keys()) order = await takeStep(work, order, { index, walk });
  if (walk.rest.length > 0) await scheduleNextStep(work, order, { walk, dueAt });
  return order;
}

async function takeStep(
  work: Work,
  order: Order,
  { index, walk }: { index: number; walk: PreparedSimulation },
): Promise<Order> {
  const step = walk.steps[index];
  if (!step) return order;
  if (step.to === 'cancelled') return cancelOrder(work, order.id);
  const report = walk.reports.get(index);
  const sample = sampleIdChange(order, step.to, walk.sampleId);
  const said = report ? await saveReport(work, { ...order, ...sample }, report) : {};
  const shipment = await shipmentChange(work, order, { to: step.to, walk });
  const move = {
    to: step.to,
    ...(step.detail === null ? {} : { detail: step.detail }),
    changes: { ...said, ...sample, ...shipment },
  };
  const again = step.to === 'redraw_available' ? markersToRedraw(order, report?.missing ?? []) : [];
  const moved =
    again.length > 0
      ? (await createRedraw(work, order, { markerIds: again, changes: move.changes })).initial
      : await advanceOrder(work, order, move);
  if (report) await emitIfCritical(work, moved, report);
  return moved;
}

const sampleIdChange = (order: Order, step: OrderStep, sampleId: string | undefined) =>
  order.sample_id === null &&
  sampleId !== undefined &&
  (step === 'requisition_created' || REPORT_STATUS_BY_STEP[step])
    ? { sample_id: sampleId }
    : {};

/** Labels are stored with the step at which the parcel leaves. */
async function shipmentChange(
  work: Work,
  order: Order,
  { to, walk }: { to: OrderStep; walk: PreparedSimulation },
) {
  const leaves = to === 'transit_customer' || (to === 'transit_lab' && order.shipment === null);
  return leaves ? storeLabels(work, order, walk.labels) : {};
}

/** Relative to the due time, not to now: if the sandbox clock is moved far ahead, all steps become due. */
async function scheduleNextStep(
  work: Work,
  order: Order,
  { walk, dueAt }: { walk: PreparedSimulation; dueAt: Date },
) {
  const next = later(dueAt, walk.delaySeconds * SECOND);
  await setTimer(work, advanceSimulation, {
    key: order.id,
    dueAt: next,
    input: {
      order_id: order.id,
      after_event: lastEventOf(order),
      plan: [...walk.rest],
      delay_seconds: walk.delaySeconds,
      due_at: next.toISOString(),
    },
  });
}

/** Takes the next step of a delayed simulation, unless the order was moved in the meantime. */
export const advanceSimulation = defineJob({
  name: 'simulation.walk-on',
  input: z.object({
    order_id: z.guid(),
    after_event: z.number(),
    plan: z.array(PlannedStep),
    delay_seconds: z.number(),
    due_at: z.string(),
  }),
  async run(app: App, tenant, { order_id, after_event, plan, delay_seconds, due_at }) {
    try {
      const order = await readTenant(app, tenant, (work) => getOrder(work, order_id));
      if (lastEventOf(order) !== after_event) return;
      const ready = await prepareSteps(app, tenant, { order, plan, delaySeconds: delay_seconds });
      await inTenant(app, tenant, (work) => runSimulation(work, ready, new Date(due_at)));
    } catch (error) {
      // An order that was cancelled, deleted or moved in the meantime ends its simulation; not an error.
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
    }
  },
});
