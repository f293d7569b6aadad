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
const selectSerialized = ({ teamId, environment, orderId }: OrderKey) => sql<Buffer | null>`(
  select r.printed from lab_result r
  where r.team_id = ${teamId} and r.environment = ${environment} and r.order_id = ${orderId}
  order by r.version desc limit 1)`;

interface SerializedOrderReport {
  readonly order: OrderHead;
  /** The serialized text; null where there is no report, or it was stored without the text. */
  readonly serialized: Buffer | null;
}

/** An order with its newest report; undefined where there is no such order. */
export async function findSerializedReport(
  work: Work,
  orderId: string,
): Promise<SerializedOrderReport | undefined> {
  const [row] = await newestQuery(work.tx, { ...work.tenant, orderId });
  if (!row) return undefined;
  const { printed, ...order } = row;
  return {
    order: openOrderHead(work, order),
    serialized: printed && work.cipher.openChunk(printed, SERIALIZED_CONTEXT),
  };
}
