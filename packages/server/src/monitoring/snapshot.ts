import { asSystem } from '../platform/db/transact.ts';
import type { Platform } from '../platform/work.ts';
import {
  countBrokerBacklog,
  countDeadLetters,
  countOverdueCriticalResults,
  countOverdueTimers,
  countQueuedMessages,
  countReviews,
  countUnplacedEvents,
  limitStatements,
  listQueueStates,
  readDatabaseBytes,
  type Backlog,
  type QueueState,
  type TenantBacklog,
  type TenantCount,
} from './store.ts';

/** What the database says about work that waits, in all tenants. */
export interface StateSnapshot {
  readonly queues: readonly QueueState[];
  readonly timers: Backlog;
  readonly unplacedEvents: readonly TenantBacklog[];
  readonly webhooks: readonly TenantBacklog[];
  readonly brokers: readonly TenantBacklog[];
  readonly deadLetters: readonly TenantCount[];
  readonly reviews: readonly TenantCount[];
  readonly criticalResults: readonly TenantCount[];
  readonly databaseBytes: number;
}

async function readSnapshot(app: Platform): Promise<StateSnapshot> {
  const now = app.clock.now();
  return asSystem(app.db, async (tx) => {
    await limitStatements(tx);
    return {
      queues: await listQueueStates(tx),
      timers: await countOverdueTimers(tx, now),
      unplacedEvents: await countUnplacedEvents(tx, now),
      webhooks: await countQueuedMessages(tx, now),
      brokers: await countBrokerBacklog(tx, now),
      deadLetters: await countDeadLetters(tx),
      reviews: await countReviews(tx),
      criticalResults: await countOverdueCriticalResults(tx, now),
      databaseBytes: await readDatabaseBytes(tx),
    };
  });
}

/** However often metrics are collected, the database is asked no more often than this. */
const KEPT_MS = 5000;

/** Reads the snapshot at most every five seconds. Undefined while the database does not answer. */
export function openSnapshots(app: Platform): () => Promise<StateSnapshot | undefined> {
  let kept: { readonly at: number; readonly value: Promise<StateSnapshot | undefined> } | undefined;
  return () => {
    const at = app.clock.now().getTime();
    if (!kept || at - kept.at >= KEPT_MS || at < kept.at) {
      const value = readSnapshot(app).catch((error: unknown) => {
        app.log.warn({ err: error }, 'the state of the queues cannot be read');
        kept = undefined;
        return undefined;
      });
      kept = { at, value };
    }
    return kept.value;
  };
}
