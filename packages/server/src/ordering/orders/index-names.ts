import { inTenant, type App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import { advanceTenants } from '../../platform/jobs/tenant-round.ts';
import type { Work } from '../../platform/work.ts';
import * as store from './index-names-store.ts';
import { lockNames, storeLockedName } from './name-store.ts';
import { patientNameOf, recipientNameOf } from './names.ts';
import { rankBatch } from './rank-names.ts';
import { openPrivate } from './read-store.ts';

/** Orders per transaction. A killed process loses at most one transaction. */
const ORDERS_PER_BATCH = 100;
const INDEX_INTERVAL_MS = 30_000;

/** Backfills the name index for orders that are older than it. Only the service can decrypt the names. */
export const startNameIndexing = (app: App): Loop =>
  startLoop(app, { name: 'order-names', everyMs: INDEX_INTERVAL_MS, iterate: () => indexNames(app) });

/** Indexes one batch of orders per tenant; returns whether there are more. */
export const indexNames = (app: App): Promise<boolean> =>
  advanceTenants(app.db, {
    list: store.listTenantsWithUnindexedNames,
    advance: async (tenant) => {
      const { unreadable, isLast } = await inTenant(app, tenant, indexBatch);
      for (const orderId of unreadable) app.log.warn({ orderId }, 'order names cannot be decrypted');
      if (isLast) while (await inTenant(app, tenant, rankBatch));
      return !isLast;
    },
  });

interface IndexedBatch {
  /** Ids of orders that cannot be decrypted. They are not found by name, and are not retried. */
  readonly unreadable: readonly string[];
  readonly isLast: boolean;
}

async function indexBatch(work: Work): Promise<IndexedBatch> {
  const due = await store.lockUnindexedOrders(work, ORDERS_PER_BATCH);
  const orders = due.map((order) => ({ id: order.id, ...decryptNames(work, order.private) }));
  const held = await lockNames(
    work,
    orders.flatMap(({ patient, recipient }) => [patient, recipient]),
  );
  const indexed = orders.map(({ id, patient, recipient }) => ({
    id,
    patient: storeLockedName(work, held, patient),
    recipient: storeLockedName(work, held, recipient),
  }));
  await store.setOrderNameIds(work, indexed);
  return {
    unreadable: orders.flatMap(({ id, opens }) => (opens ? [] : [id])),
    isLast: due.length < ORDERS_PER_BATCH,
  };
}

function decryptNames(work: Work, sealed: Buffer) {
  try {
    const people = openPrivate(work, sealed);
    return { opens: true, patient: patientNameOf(people), recipient: recipientNameOf(people) };
  } catch (error) {
    // The process has not loaded this data key yet; the next round will have it.
    if (error instanceof DomainError) throw error;
    return { opens: false, patient: null, recipient: null };
  }
}
