import { inTenant, type App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { Work } from '../../platform/work.ts';
import * as store from './index-names-store.ts';
import { holdNames, keepName } from './name-store.ts';
import { patientNameOf, recipientNameOf } from './names.ts';
import { rankSome } from './rank-names.ts';
import { openPrivate } from './read-store.ts';

const TENANTS = 20;
/** So many orders are indexed in one transaction; who is killed has lost one. */
const ORDERS = 100;
const LOOK_EVERY_MS = 30_000;

/** Indexes the names of orders that are older than the index, which only the service can read. */
export const startNameIndexing = (app: App): Loop =>
  startLoop(app, { name: 'order-names', everyMs: LOOK_EVERY_MS, round: () => indexNames(app) });

/** Some orders of each tenant; answers whether there are more. */
export async function indexNames(app: App): Promise<boolean> {
  const tenants = await asSystem(app.db, (tx) => store.listTenantsDue(tx, TENANTS));
  let isMore = false;
  for (const tenant of tenants) {
    const { closed, isLast } = await inTenant(app, tenant, indexSome);
    for (const orderId of closed) app.log.warn({ orderId }, 'the names of an order do not open');
    if (isLast) while (await inTenant(app, tenant, rankSome));
    else isMore = true;
  }
  return isMore;
}

interface Done {
  /** The ids of orders that do not open. They are not found by their names, and not tried again. */
  readonly closed: readonly string[];
  readonly isLast: boolean;
}

async function indexSome(work: Work): Promise<Done> {
  const due = await store.holdDue(work, ORDERS);
  const orders = due.map((order) => ({ id: order.id, ...namesOf(work, order.private) }));
  const held = await holdNames(
    work,
    orders.flatMap(({ patient, recipient }) => [patient, recipient]),
  );
  const indexed = orders.map(({ id, patient, recipient }) => ({
    id,
    patient: keepName(work, held, patient),
    recipient: keepName(work, held, recipient),
  }));
  await store.setNames(work, indexed);
  return { closed: orders.flatMap(({ id, opens }) => (opens ? [] : [id])), isLast: due.length < ORDERS };
}

function namesOf(work: Work, sealed: Buffer) {
  try {
    const people = openPrivate(work, sealed);
    return { opens: true, patient: patientNameOf(people), recipient: recipientNameOf(people) };
  } catch (error) {
    // A key that this process has not read yet: in a moment it has.
    if (error instanceof DomainError) throw error;
    return { opens: false, patient: null, recipient: null };
  }
}
