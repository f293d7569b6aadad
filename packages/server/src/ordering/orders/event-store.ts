import { sql } from 'kysely';
import { createBatchLoader } from '../../platform/batch-loader.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { firstPublicId, scrambleKeyOf } from '../../platform/db/scrambled-number.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { OrderEvent } from './order.ts';
import type { OrderStep, StatusDetail } from './status.ts';
import './table.ts';

/** The id of an order event in the database, which orders the events, and the one that callers see. */
export interface AllocatedEventId {
  readonly id: number;
  readonly publicId: number;
}

/** The events of an order that one block of public ids has room for. Those beyond may share an id with another order. */
const BLOCK_SIZE = 64;

const blockKeyOf = ({ cipher }: Work): Buffer => scrambleKeyOf(cipher, 'lab_order_block_seq');

const newBlock = (key: Buffer) =>
  firstPublicId(sql`nextval('lab_order_block_seq')`, { key, size: BLOCK_SIZE });

/** Allocates the id of the first event of an order, so that the order is inserted without waiting for the database. */
export async function nextEventId(work: Work): Promise<AllocatedEventId> {
  const [row] = await nextEventIdQuery(work.tx, { key: blockKeyOf(work) });
  if (!row) throw new Error('No order event id was allocated');
  return row;
}

const nextEventIdQuery = precompileQuery((tx, { key }: { key: Buffer }) =>
  tx.selectNoFrom([sql<number>`nextval('lab_order_event_id_seq')`.as('id'), newBlock(key).as('publicId')]),
);

interface NewOrderEvents {
  readonly orderId: string;
  readonly at: Date;
  readonly steps: readonly { readonly step: OrderStep; readonly detail: StatusDetail | null }[];
}

/** Inserts the events of an order's steps, in order. Concurrent calls are batched into one statement. */
export const insertEvents: (work: Work, taken: NewOrderEvents) => Promise<OrderEvent[]> = createBatchLoader(
  async (work, all: readonly NewOrderEvents[]) => {
    const steps = all.flatMap(({ orderId, at, steps: taken }) =>
      taken.map((one) => ({ orderId, at, ...one })),
    );
    const rows = await insertEventsQuery(work.tx, {
      ...work.tenant,
      orders: steps.map(({ orderId }) => orderId),
      steps: steps.map(({ step }) => step),
      details: steps.map(({ detail }) => detail),
      moments: steps.map(({ at }) => at),
      key: blockKeyOf(work),
    });
    const ids = rows.toSorted((one, other) => one.id - other.id).map(({ publicId }) => publicId);
    if (ids.length !== steps.length) throw new Error('Inserting order events returned too few rows');
    return all.map(({ at, steps: taken }) => {
      const own = ids.splice(0, taken.length);
      return taken.map(({ step, detail }, index) => ({
        id: own[index] ?? 0,
        step,
        status_detail: detail,
        created_at: at,
      }));
    });
  },
);

interface OrderEventColumns extends Tenant {
  readonly orders: readonly string[];
  readonly steps: readonly OrderStep[];
  readonly details: readonly (StatusDetail | null)[];
  readonly moments: readonly Date[];
  readonly key: Buffer;
}

const LAST_PUBLIC_ID = sql<number | null>`(select max(e.public_id) from lab_order_event e
  where e.team_id = o.team_id and e.environment = o.environment and e.order_id = o.order_id)`;

/** Both ids ascend in the order of the arrays. The row of each order is locked, so no other event comes in between. */
const insertEventsQuery = precompileQuery(
  (tx, { teamId, environment, orders, steps, details, moments, key }: OrderEventColumns) =>
    tx
      .insertInto('lab_order_event')
      .columns([
        'id',
        'public_id',
        'team_id',
        'environment',
        'order_id',
        'step',
        'status_detail',
        'created_at',
      ])
      .expression(
        sql`with given as materialized (
          select nextval('lab_order_event_id_seq') as id, t.* from (
            select * from unnest(${orders}::uuid[], ${steps}::text[], ${details}::text[], ${moments}::timestamptz[])
              with ordinality as g (order_id, step, detail, at, place)
            order by place) t),
        moved as materialized (
          select o.*, coalesce(${LAST_PUBLIC_ID}, ${newBlock(key)} - 1) as last_id from (
            select distinct ${teamId}::uuid as team_id, ${environment}::text as environment, order_id
            from given) o)
        select g.id, m.last_id + row_number() over (partition by g.order_id order by g.place),
          m.team_id, m.environment, g.order_id, g.step, g.detail, g.at
        from given g join moved m using (order_id)
        order by g.place`,
      )
      .returning(['id', sql<number>`public_id`.as('publicId')]),
);
