import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import type { Reaction } from '../../events/events.ts';
import { teamSettings } from '../../management/management.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { defineJob, enqueueAs, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { criticalResult } from '../orders/events.ts';
import { findOrder, type Order } from '../orders/orders.ts';
import { findReport } from '../results/results.ts';
import { viewResult } from '../results/schema.ts';
import { escalate } from './escalate.ts';
import type { CriticalValue } from './record.ts';
import * as store from './store.ts';
import { writeOf } from './write.ts';

const Input = z.object({ event_id: z.guid() });
const Told = z.object({ order_id: z.guid() });

/**
 * Opens a record of what an event says is critical. The event is a row of the transaction that kept the report, so
 * from its commit on neither a crash nor a full queue loses the record; it is opened once however often it runs.
 */
export const openRecord: Job<App, z.output<typeof Input>> = defineJob({
  name: 'critical-results.open-record',
  input: Input,
  run: (app, tenant, { event_id }) =>
    inTenant(app, tenant, async (work) => {
      const told = Told.safeParse(await store.findEventData(work, event_id));
      if (!told.success || (await recordCritical(work, told.data.order_id))) return;
      // The deletion of a user can be undone; what became of the user and the order is seen then.
      await setTimer(work, openRecord, { key: event_id, dueAt: later(work.now, DAY), input: { event_id } });
    }),
});

export const criticalReaction: Reaction<App> = {
  name: openRecord.name,
  take: async (_app, tx, events) => {
    for (const { tenant, id, type } of events) {
      if (type !== criticalResult.type) continue;
      await enqueueAs(tx, { tenant, job: openRecord.name, input: { event_id: id } });
    }
  },
};

/**
 * Every critical version of the order's results that has no record yet, whichever event told of it. False where the
 * order's user is in the grace period of a deletion: nothing is told of them now.
 */
async function recordCritical(work: Work, orderId: string): Promise<boolean> {
  if (!(await store.lockOrder(work, orderId))) return true;
  const order = await findOrder(work, orderId);
  if (!order) return false;
  for (const version of await store.listUnrecorded(work, orderId)) {
    const critical = await readCritical(work, order, version.version);
    if (!critical) continue;
    // A final report says again what the partial one said: who was told of it is not told twice. Of a value that was
    // corrected and comes back they are told anew.
    const before = await readCritical(work, order, version.version - 1);
    const known = new Set(before?.values.map(nameOf));
    const values = critical.values.filter((value) => !known.has(nameOf(value)));
    if (values.length > 0) await open(work, order, { ...critical, values, version });
  }
  return true;
}

const nameOf = ({ loinc, provider_id, slug, result }: CriticalValue): string =>
  JSON.stringify([loinc ?? provider_id ?? slug, result]);

interface Critical {
  readonly values: readonly CriticalValue[];
  readonly laboratory: string;
  readonly reportedAt: Date;
}

async function readCritical(work: Work, order: Order, version: number): Promise<Critical | undefined> {
  const report = await findReport(work, order.id, version);
  if (!report) return undefined;
  const { results } = viewResult(order, report);
  const values = results
    .filter(({ interpretation }) => interpretation === 'critical')
    .map((result): CriticalValue => ({
      name: result.name,
      slug: result.slug,
      loinc: result.loinc,
      provider_id: result.provider_id,
      result: result.result,
      unit: result.unit,
      reference_range: result.reference_range,
      notes: result.notes,
    }));
  return { values, laboratory: report.laboratory, reportedAt: report.reportedAt };
}

interface Opening extends Critical {
  readonly version: store.CriticalVersion;
}

async function open(
  work: Work,
  order: Order,
  { values, laboratory, reportedAt, version }: Opening,
): Promise<void> {
  const settings = await teamSettings(work);
  const id = newId();
  const dueAt = later(version.created_at, settings.critical_result_escalation_minutes * MINUTE);
  await store.insertCritical(work, {
    id,
    order_id: order.id,
    version: version.version,
    status: 'open',
    private: { values, laboratory, sampleId: order.sample_id },
    reported_at: reportedAt,
    detected_at: version.created_at,
    escalation_due_at: dueAt,
    escalated_at: null,
    acknowledged_at: null,
  });
  await setTimer(work, escalate, { key: id, dueAt, input: { id } });
  await writeOf(work, 'opened', { id, orderId: order.id, detectedAt: version.created_at, dueAt });
}
