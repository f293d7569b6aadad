import { sql } from 'kysely';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { selectOrderHead, openOrderHead, type OrderHead } from '../../ordering/orders/orders.ts';
import { SERIALIZED_CONTEXT } from './store.ts';

type OrderKey = Tenant & { orderId: string };

/** Reads the order and the report in one query, because queries dominate the cost of reading a result. */
const newestQuery = precompileQuery((tx, one: OrderKey) =>
  selectOrderHead(tx, one).select(selectSerialized(one).as('printed')),
);
const versionQuery = precompileQuery((tx, one: OrderKey & { version: number }) =>
  selectOrderHead(tx, one).select(selectSerialized(one, sql`and r.version = ${one.version}`).as('printed')),
);

const selectSerialized = ({ teamId, environment, orderId }: OrderKey, which = sql``) => sql<Buffer | null>`(
  select r.printed from lab_result r
  where r.team_id = ${teamId} and r.environment = ${environment} and r.order_id = ${orderId} ${which}
  order by r.version desc limit 1)`;

interface SerializedOrderReport {
  readonly order: OrderHead;
  /** The serialized text of a version; null where there is no version, or it was stored without the text. */
  readonly serialized: Buffer | null;
}

/** An order with its newest report, or with the given version; undefined where there is no such order. */
export async function findSerializedReport(
  work: Work,
  orderId: string,
  version?: number,
): Promise<SerializedOrderReport | undefined> {
  const one = { ...work.tenant, orderId };
  const [row] = await (version === undefined
    ? newestQuery(work.tx, one)
    : versionQuery(work.tx, { ...one, version }));
  if (!row) return undefined;
  const { printed, ...order } = row;
  return {
    order: openOrderHead(work, order),
    serialized: printed && work.cipher.openChunk(printed, SERIALIZED_CONTEXT),
  };
}
