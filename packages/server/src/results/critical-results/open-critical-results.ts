import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import type { EventHandler } from '../../events/events.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { defineJob, enqueueForTenant, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { criticalResult } from '../../ordering/orders/events.ts';
import { findOrder, type Order } from '../../ordering/orders/orders.ts';
import { findReport } from '../results/results.ts';
import { viewResult } from '../results/schema.ts';
import { escalate } from './escalate.ts';
import type { CriticalValue } from './record.ts';
import * as store from './store.ts';
import { sendCriticalResultEmail } from './send-email.ts';

const OpenCriticalResultsInput = z.object({ event_id: z.guid() });
const CriticalResultEventData = z.object({ order_id: z.guid() });

/**
 * Opens critical results for an event. The event row is written in the transaction of the report, so neither a crash
 * nor a full queue loses it. Idempotent: each critical version is recorded once.
 */
export const openCriticalResults: Job<App, z.output<typeof OpenCriticalResultsInput>> = defineJob({
  name: 'critical-results.open-record',
  input: OpenCriticalResultsInput,
  run: (app, tenant, { event_id }) =>
    inTenant(app, tenant, async (work) => {
      const told = CriticalResultEventData.safeParse(await store.findEventData(work, event_id));
      if (!told.success || (await openUnrecorded(work, told.data.order_id))) return;
      // The deletion of a user can be undone during its grace period: look again tomorrow.
      await setTimer(work, openCriticalResults, {
        key: event_id,
        dueAt: later(work.now, DAY),
        input: { event_id },
      });
    }),
});

export const criticalResultHandler: EventHandler<App> = {
  name: openCriticalResults.name,
  handle: async (_app, tx, events) => {
    for (const { tenant, id, type } of events) {
      if (type !== criticalResult.type) continue;
      await enqueueForTenant(tx, { tenant, job: openCriticalResults.name, input: { event_id: id } });
    }
  },
};

/**
 * Records every critical version of the order's results that has no record, whichever event reported it. False if the
 * order's user is in the grace period of a deletion: no notifications are sent then.
 */
async function openUnrecorded(work: Work, orderId: string): Promise<boolean> {
  if (!(await store.lockOrder(work, orderId))) return true;
  const order = await findOrder(work, orderId);
  if (!order) return false;
  for (const version of await store.listUnrecordedVersions(work, orderId)) {
    const critical = await readCriticalReport(work, order, version.version);
    if (!critical) continue;
    // A final report repeats the values of the partial one: do not notify twice. A value that was corrected and
    // returns in a later version is reported again.
    const before = await readCriticalReport(work, order, version.version - 1);
    const known = new Set(before?.values.map(toValueKey));
    const values = critical.values.filter((value) => !known.has(toValueKey(value)));
    if (values.length > 0) await openCriticalResult(work, order, { ...critical, values, version });
  }
  return true;
}

/** Identifies a value: the same quantity with another result is another value. */
export const toValueKey = ({ loinc, provider_id, slug, result }: CriticalValue): string =>
  JSON.stringify([loinc ?? provider_id ?? slug, result]);

interface CriticalReport {
  readonly values: readonly CriticalValue[];
  readonly laboratory: string;
  readonly reportedAt: Date;
}

/** The critical values of a version of the results. */
export async function readCriticalReport(
  work: Work,
  order: Order,
  version: number,
): Promise<CriticalReport | undefined> {
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

interface CriticalResultOpening extends CriticalReport {
  readonly version: store.CriticalResultVersion;
}

async function openCriticalResult(
  work: Work,
  order: Order,
  { values, laboratory, reportedAt, version }: CriticalResultOpening,
): Promise<void> {
  const settings = await readTeamSettings(work);
  const id = newId();
  const dueAt = later(version.created_at, settings.critical_result_escalation_minutes * MINUTE);
  await store.insertCriticalResult(work, {
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
  await sendCriticalResultEmail(work, 'opened', {
    id,
    orderId: order.id,
    detectedAt: version.created_at,
    dueAt,
  });
}
