import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { LabReport, ReportWish } from '../../adapters/lab-network/port.ts';
import { later, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { advance, cancelOrder, getOrder, type Order } from '../orders/orders.ts';
import { createRedraw, redrawnMarkers } from '../order-transactions/order-transactions.ts';
import type { Step } from '../orders/status.ts';
import {
  fetchReport,
  findReport,
  keepReport,
  requestTests,
  requisitionOf,
  tellIfCritical,
} from '../results/results.ts';
import { momentsOf } from '../results/schema.ts';
import { keepLabels, requestLabel, type Labels, type Leg, type SentLabel } from '../shipments/shipments.ts';
import { Planned, planOf, type Wish } from './plan.ts';
import { lockOrder } from './store.ts';

/** A walk that is ready to be written down: its steps, and all that the outside had to say to them. */
export interface Walk {
  readonly orderId: string;
  /** The order's last event when the walk was planned: whoever moves the order meanwhile ends the walk. */
  readonly afterEvent: number;
  /** The steps that are taken now. */
  readonly steps: readonly Planned[];
  /** The steps that follow, each `delaySeconds` after the one before. */
  readonly rest: readonly Planned[];
  readonly delaySeconds: number;
  readonly sampleId: string | undefined;
  readonly labels: Labels;
  /** What the laboratory reports at a step, by the step's place in `steps`. */
  readonly reports: ReadonlyMap<number, LabReport>;
}

/** Plans the walk and asks the simulated laboratory and courier for what it needs; outside any transaction. */
export async function prepareWalk(app: App, tenant: Tenant, wish: Wish): Promise<Walk> {
  const order = await readTenant(app, tenant, (work) => getOrder(work, wish.order_id));
  if (tenant.environment !== 'sandbox') {
    throw new DomainError('bad_request', 'Simulation exists in sandbox only');
  }
  return preparePlan(app, tenant, { order, plan: planOf(order, wish), delaySeconds: wish.delay_seconds });
}

interface Asked {
  order: Order;
  plan: readonly Planned[];
  delaySeconds: number;
}

async function preparePlan(app: App, tenant: Tenant, { order, plan, delaySeconds }: Asked): Promise<Walk> {
  const now = delaySeconds > 0 ? 1 : plan.length;
  const steps = plan.slice(0, now);
  return {
    orderId: order.id,
    afterEvent: lastEventOf(order),
    steps,
    rest: plan.slice(now),
    delaySeconds,
    labels: await labelsFor(app, tenant, { order, steps }),
    ...(await askLab(app, tenant, { order, steps })),
  };
}

const lastEventOf = (order: Order): number => order.events.at(-1)?.id ?? 0;

/** The steps at which the laboratory reports, and what kind of report it is. */
const reportStatus: Readonly<Partial<Record<Step, ReportWish['status']>>> = {
  partial_results: 'partial',
  redraw_available: 'final',
  completed: 'final',
  corrected: 'corrected',
};

interface Stretch {
  order: Order;
  steps: readonly Planned[];
}

async function askLab(
  app: App,
  tenant: Tenant,
  { order, steps }: Stretch,
): Promise<Pick<Walk, 'sampleId' | 'reports'>> {
  const reports = new Map<number, LabReport>();
  const asksLab = steps.some(({ to }) => to === 'requisition_created' || reportStatus[to]);
  if (!asksLab) return { sampleId: order.sample_id ?? undefined, reports };
  const { requisition, now, known } = await readTenant(app, tenant, async (work) => ({
    requisition: await requisitionOf(work, order),
    now: work.now,
    known: await findReport(work, order.id),
  }));
  // As the laboratory told it before, else as the order went; a draw that nobody told of is one of this moment.
  const { collected = now, received = now } = momentsOf(order, known ?? { reportedAt: now });
  const placed = await requestTests(app, tenant, requisition);
  const sampleId = order.sample_id ?? placed.sampleId;
  for (const [index, step] of steps.entries()) {
    const status = reportStatus[step.to];
    if (!status) continue;
    const wish = reportWish(step, status);
    const specimen = { sampleId, collectedAt: collected, receivedAt: received };
    const report = await fetchReport(app, tenant, { requisition, ...specimen, at: now, wish });
    if (report) reports.set(index, report);
  }
  return { sampleId, reports };
}

const reportWish = (step: Planned, status: ReportWish['status']): ReportWish => ({
  interpretation: step.interpretation,
  resultTypes: step.result_types,
  hasMissingResults: step.has_missing_results,
  status,
});

/** A kit is sent with both labels in it; one that was handed out needs only the way back. */
async function labelsFor(app: App, tenant: Tenant, { order, steps }: Stretch): Promise<Labels> {
  const labels = new Map<Leg, SentLabel>();
  if (order.modality !== 'testkit') return labels;
  const passes = (step: Step) => steps.some(({ to }) => to === step);
  const leaves = passes('transit_customer') && order.leg === 'stock';
  const returns = leaves || (passes('transit_lab') && order.shipment === null);
  if (leaves) labels.set('outbound', await requestLabel(app, tenant, { order, leg: 'outbound' }));
  if (returns) labels.set('inbound', await requestLabel(app, tenant, { order, leg: 'inbound' }));
  return labels;
}

/** Writes the walk down, step by step, each with its event; with a delay, one step now and the rest later. */
export async function walk(work: Work, walk: Walk, dueAt = work.now): Promise<Order> {
  await lockOrder(work, walk.orderId);
  let order = await getOrder(work, walk.orderId);
  if (lastEventOf(order) !== walk.afterEvent) {
    throw new DomainError('conflict', 'The order was changed by someone else; read it again');
  }
  for (const index of walk.steps.keys()) order = await take(work, order, { index, walk });
  if (walk.rest.length > 0) await waitForNext(work, order, { walk, dueAt });
  return order;
}

async function take(
  work: Work,
  order: Order,
  { index, walk }: { index: number; walk: Walk },
): Promise<Order> {
  const step = walk.steps[index];
  if (!step) return order;
  if (step.to === 'cancelled') return cancelOrder(work, order.id);
  const report = walk.reports.get(index);
  const sample = sampleOf(order, step.to, walk.sampleId);
  const said = report ? await keepReport(work, { ...order, ...sample }, report) : {};
  const shipment = await shipmentOf(work, order, { to: step.to, walk });
  const move = {
    to: step.to,
    ...(step.detail === null ? {} : { detail: step.detail }),
    changes: { ...said, ...sample, ...shipment },
  };
  const again = step.to === 'redraw_available' ? redrawnMarkers(order, report?.missing ?? []) : [];
  const moved =
    again.length > 0
      ? (await createRedraw(work, order, { markerIds: again, changes: move.changes })).initial
      : await advance(work, order, move);
  if (report) await tellIfCritical(work, moved, report);
  return moved;
}

const sampleOf = (order: Order, step: Step, sampleId: string | undefined) =>
  order.sample_id === null && sampleId !== undefined && (step === 'requisition_created' || reportStatus[step])
    ? { sample_id: sampleId }
    : {};

/** The labels go with the step at which a parcel leaves. */
async function shipmentOf(work: Work, order: Order, { to, walk }: { to: Step; walk: Walk }) {
  const leaves = to === 'transit_customer' || (to === 'transit_lab' && order.shipment === null);
  return leaves ? keepLabels(work, order, walk.labels) : {};
}

/** The next step is due a delay after this one was, so that a clock which is moved far takes all of them. */
async function waitForNext(work: Work, order: Order, { walk, dueAt }: { walk: Walk; dueAt: Date }) {
  const next = later(dueAt, walk.delaySeconds * SECOND);
  await setTimer(work, walkOn, {
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

/** Takes the next step of a delayed walk, unless somebody else has moved the order since. */
export const walkOn = defineJob({
  name: 'simulation.walk-on',
  input: z.object({
    order_id: z.guid(),
    after_event: z.number(),
    plan: z.array(Planned),
    delay_seconds: z.number(),
    due_at: z.string(),
  }),
  async run(app: App, tenant, { order_id, after_event, plan, delay_seconds, due_at }) {
    try {
      const order = await readTenant(app, tenant, (work) => getOrder(work, order_id));
      if (lastEventOf(order) !== after_event) return;
      const ready = await preparePlan(app, tenant, { order, plan, delaySeconds: delay_seconds });
      await inTenant(app, tenant, (work) => walk(work, ready, new Date(due_at)));
    } catch (error) {
      // An order that was cancelled, deleted or moved meanwhile ends its walk; that is no failure.
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
    }
  },
});
