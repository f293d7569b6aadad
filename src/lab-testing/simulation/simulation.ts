import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { Label } from '../../adapters/courier/port.ts';
import type { LabReport, ReportWish } from '../../adapters/lab-network/port.ts';
import { later, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { advance, getOrder, type Order } from '../orders/orders.ts';
import type { StatusDetail, Step } from '../orders/status.ts';
import { fetchReport, keepReport, requestTests, requisitionOf, tellIfCritical } from '../results/results.ts';
import { requestLabel, withLabel, type Leg } from '../shipments/shipments.ts';
import { pathTo } from './path.ts';

export const Wish = z.object({
  order_id: z.guid(),
  /** A public status or a step; `completed` when nothing is wished. */
  final_status: z.string().nullable(),
  delay_seconds: z.number().int().min(0).max(60),
  interpretation: z.enum(['normal', 'abnormal', 'critical', 'unknown']),
  result_types: z.array(z.enum(['numeric', 'range', 'comment', 'coded_value'])).nullable(),
  has_missing_results: z.boolean(),
});
export type Wish = z.output<typeof Wish>;

/** A walk that is ready to be written down: its steps, and all that the outside had to say to them. */
export interface Walk {
  readonly wish: Wish;
  readonly from: Step;
  readonly path: readonly Step[];
  readonly sampleId: string | undefined;
  readonly labels: ReadonlyMap<Leg, Label>;
  readonly reports: ReadonlyMap<Step, LabReport>;
}

/** Plans the walk and asks the simulated laboratory and courier for what it needs; outside any transaction. */
export async function prepareWalk(app: App, tenant: Tenant, wish: Wish): Promise<Walk> {
  const { order, requisition } = await readTenant(app, tenant, async (work) => {
    const order = await getOrder(work, wish.order_id);
    return { order, requisition: await requisitionOf(work, order) };
  });
  if (tenant.environment !== 'sandbox') {
    throw new DomainError('bad_request', 'Simulation exists in sandbox only');
  }
  const whole = pathTo(order, wish.final_status);
  const path = wish.delay_seconds > 0 ? whole.slice(0, 1) : whole;
  const asksLab = path.some((step) => step === 'requisition_created' || reportStatus[step]);
  const placed = asksLab ? await requestTests(app, tenant, requisition) : undefined;
  const sampleId = order.sample_id ?? placed?.sampleId;
  const reports = new Map<Step, LabReport>();
  for (const step of path) {
    const status = reportStatus[step];
    if (!status || sampleId === undefined) continue;
    const asked = { requisition, sampleId, at: app.clock.now(), wish: reportWish(wish, status) };
    const report = await fetchReport(app, tenant, asked);
    if (report) reports.set(step, report);
  }
  return {
    wish,
    from: order.step,
    path,
    sampleId,
    labels: await labelsFor(app, tenant, { order, path }),
    reports,
  };
}

/** The steps at which the laboratory reports, and what kind of report it is. */
const reportStatus: Readonly<Partial<Record<Step, ReportWish['status']>>> = {
  partial_results: 'partial',
  completed: 'final',
  corrected: 'corrected',
};

const reportWish = (wish: Wish, status: ReportWish['status']): ReportWish => ({
  interpretation: wish.interpretation,
  resultTypes: wish.result_types,
  hasMissingResults: wish.has_missing_results,
  status,
});

/** A kit is sent with both labels in it; one that was handed out needs only the way back. */
async function labelsFor(
  app: App,
  tenant: Tenant,
  { order, path }: { order: Order; path: readonly Step[] },
): Promise<ReadonlyMap<Leg, Label>> {
  const labels = new Map<Leg, Label>();
  if (order.modality !== 'testkit') return labels;
  const leaves = path.includes('transit_customer') && order.leg === 'stock';
  const returns = leaves || (path.includes('transit_lab') && order.shipment === null);
  if (leaves) labels.set('outbound', await requestLabel(app, tenant, { order, leg: 'outbound' }));
  if (returns) labels.set('inbound', await requestLabel(app, tenant, { order, leg: 'inbound' }));
  return labels;
}

/** Writes the walk down, step by step, each with its event; with a delay, one step now and the rest later. */
export async function walk(work: Work, walk: Walk): Promise<Order> {
  let order = await getOrder(work, walk.wish.order_id);
  if (order.step !== walk.from) {
    throw new DomainError('conflict', 'The order was changed by someone else; read it again');
  }
  for (const step of walk.path) order = await take(work, order, { step, walk });
  if (walk.wish.delay_seconds > 0) await waitForNext(work, order, walk.wish);
  return order;
}

async function take(work: Work, order: Order, { step, walk }: { step: Step; walk: Walk }): Promise<Order> {
  const report = walk.reports.get(step);
  const said = report ? await keepReport(work, order, report) : {};
  const detail = DETAILS[step];
  const moved = await advance(work, order, {
    to: step,
    ...(detail ? { detail } : {}),
    changes: { ...said, ...sampleOf(order, step, walk.sampleId), ...shipmentOf(work, order, { step, walk }) },
  });
  if (report) await tellIfCritical(work, moved, report);
  return moved;
}

/** The detail that a simulated trouble carries. */
const DETAILS: Readonly<Partial<Record<Step, StatusDetail>>> = {
  lab_processing_blocked: 'date_of_collection_unspecified',
  sample_error: 'sample_quantity_not_sufficient',
};

const sampleOf = (order: Order, step: Step, sampleId: string | undefined) =>
  order.sample_id === null && sampleId !== undefined && (step === 'requisition_created' || reportStatus[step])
    ? { sample_id: sampleId }
    : {};

function shipmentOf(work: Work, order: Order, { step, walk }: { step: Step; walk: Walk }) {
  if (step !== 'transit_customer' && step !== 'transit_lab') return {};
  let said: { shipment?: string } = {};
  for (const [leg, label] of walk.labels) {
    const known: Order =
      said.shipment === undefined ? order : { ...order, shipment: JSON.parse(said.shipment) };
    if (step === 'transit_customer' || order.shipment === null) said = withLabel(work, known, { leg, label });
  }
  return said;
}

async function waitForNext(work: Work, order: Order, wish: Wish): Promise<void> {
  if (pathTo(order, wish.final_status, 'or nothing').length === 0) return;
  await setTimer(work, walkOn, {
    key: order.id,
    dueAt: later(work.now, wish.delay_seconds * SECOND),
    input: { wish, from: order.step },
  });
}

/** Takes the next step of a delayed walk, unless somebody else has moved the order since. */
export const walkOn = defineJob({
  name: 'simulation.walk-on',
  input: z.object({ wish: Wish, from: z.string() }),
  async run(app: App, tenant, { wish, from }) {
    const ready = await prepareWalk(app, tenant, wish).catch(gone);
    if (!ready || ready.from !== from) return;
    await inTenant(app, tenant, (work) => walk(work, ready)).catch(gone);
  },
});

/** An order that was cancelled, deleted or moved meanwhile ends its walk; that is no failure. */
function gone(error: unknown): undefined {
  if (error instanceof DomainError && error.kind !== 'unavailable') return undefined;
  throw error;
}
