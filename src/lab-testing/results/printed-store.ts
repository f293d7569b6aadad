import { sql } from 'kysely';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { headOfOrder, openHead, type OrderHead } from '../orders/orders.ts';
import { PRINTED } from './store.ts';

type One = Tenant & { orderId: string };

/** One query for both: what reading a result costs is mostly queries. */
const newest = readyQuery((tx, one: One) => headOfOrder(tx, one).select(printedOf(one).as('printed')));
const numbered = readyQuery((tx, one: One & { version: number }) =>
  headOfOrder(tx, one).select(printedOf(one, sql`and r.version = ${one.version}`).as('printed')),
);

const printedOf = ({ teamId, environment, orderId }: One, which = sql``) => sql<Buffer | null>`(
  select r.printed from lab_result r
  where r.team_id = ${teamId} and r.environment = ${environment} and r.order_id = ${orderId} ${which}
  order by r.version desc limit 1)`;

export interface Reported {
  readonly order: OrderHead;
  /** The printed text of a version; null where there is none, or where it was kept without. */
  readonly printed: Buffer | null;
}

/** An order with its report as it was printed, the newest or the one asked for; undefined where there is no such order. */
export async function findPrinted(
  work: Work,
  orderId: string,
  version?: number,
): Promise<Reported | undefined> {
  const one = { ...work.tenant, orderId };
  const [row] = await (version === undefined ? newest(work.tx, one) : numbered(work.tx, { ...one, version }));
  if (!row) return undefined;
  const { printed, ...order } = row;
  return { order: openHead(work, order), printed: printed && work.cipher.openPiece(printed, PRINTED) };
}
