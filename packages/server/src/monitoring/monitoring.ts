import type { BatchObservableResult, Observable } from '@opentelemetry/api';
import type pg from 'pg';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import type { Platform } from '../platform/work.ts';
import { describeState, type StateGauges } from './gauges.ts';
import { openSnapshots, type StateSnapshot } from './snapshot.ts';
import type { TenantBacklog, TenantCount } from './store.ts';

/**
 * Observes what waits in the database and how the pools of this process are used, whenever metrics are collected. The
 * numbers of the database are those of all processes, so each process reports the same.
 */
export function startMonitoring(app: Platform, ownerPool: pg.Pool): { stop(): void } {
  const { meter } = app.telemetry;
  const gauges = describeState(meter);
  const observed: Observable[] = Object.values(gauges);
  const readSnapshot = openSnapshots(app);
  const observeState = async (result: BatchObservableResult) => {
    const snapshot = await readSnapshot();
    if (snapshot) observeSnapshot(result, gauges, snapshot);
    observePool(result, gauges, { name: 'service', pool: app.db.pool });
    observePool(result, gauges, { name: 'owner', pool: ownerPool });
  };
  meter.addBatchObservableCallback(observeState, observed);
  return { stop: () => meter.removeBatchObservableCallback(observeState, observed) };
}

function observeSnapshot(result: BatchObservableResult, gauges: StateGauges, seen: StateSnapshot): void {
  let deadJobs = 0;
  for (const { job, waiting, running, dead, oldest_seconds: age } of seen.queues) {
    const labels = { 'aliquot.job.name': job };
    result.observe(gauges.jobsWaiting, waiting, labels);
    result.observe(gauges.jobsRunning, running, labels);
    result.observe(gauges.jobAge, age ?? 0, labels);
    deadJobs += dead;
  }
  result.observe(gauges.deadLetters, deadJobs, { 'aliquot.kind': 'job' });
  result.observe(gauges.timersOverdue, seen.timers.count);
  result.observe(gauges.timerAge, seen.timers.oldest_seconds ?? 0);
  const backlogs = [
    ['fan_out', seen.unplacedEvents],
    ['webhook', seen.webhooks],
    ['broker', seen.brokers],
  ] as const;
  for (const [stage, rows] of backlogs) observeBacklog(result, gauges, { stage, rows });
  observeCounts(result, gauges.deadLetters, { kinds: ['lab_message', 'webhook'], rows: seen.deadLetters });
  observeCounts(result, gauges.reviews, { kinds: ['unmatched_result', 'lab_report'], rows: seen.reviews });
  for (const environment of ENVIRONMENTS) {
    const overdue = seen.criticalResults.find((row) => row.environment === environment);
    result.observe(gauges.criticalOverdue, overdue?.count ?? 0, { 'aliquot.environment': environment });
  }
  result.observe(gauges.databaseSize, seen.databaseBytes);
}

/** Without rows it observes 0, so that an alert can tell "none" from "unknown". */
function observeBacklog(
  result: BatchObservableResult,
  gauges: StateGauges,
  { stage, rows }: { stage: string; rows: readonly TenantBacklog[] },
): void {
  for (const environment of ENVIRONMENTS) {
    const row = rows.find((each) => each.environment === environment);
    const labels = { 'aliquot.stage': stage, 'aliquot.environment': environment };
    result.observe(gauges.eventsUndelivered, row?.count ?? 0, labels);
    result.observe(gauges.eventAge, row?.oldest_seconds ?? 0, labels);
  }
}

function observeCounts(
  result: BatchObservableResult,
  gauge: Observable,
  { kinds, rows }: { kinds: readonly string[]; rows: readonly TenantCount[] },
): void {
  for (const kind of kinds)
    for (const environment of ENVIRONMENTS) {
      const row = rows.find((each) => each.kind === kind && each.environment === environment);
      result.observe(gauge, row?.count ?? 0, { 'aliquot.kind': kind, 'aliquot.environment': environment });
    }
}

function observePool(
  result: BatchObservableResult,
  gauges: StateGauges,
  { name, pool }: { name: string; pool: pg.Pool },
): void {
  const labels = { 'db.client.connection.pool.name': name };
  const { totalCount, idleCount, waitingCount } = pool;
  result.observe(gauges.connections, idleCount, { ...labels, 'db.client.connection.state': 'idle' });
  result.observe(gauges.connections, totalCount - idleCount, {
    ...labels,
    'db.client.connection.state': 'used',
  });
  result.observe(gauges.connectionsWanted, waitingCount, labels);
  result.observe(gauges.connectionsMax, pool.options.max, labels);
}
