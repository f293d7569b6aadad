import { sql, type RawBuilder } from 'kysely';
import type { OrderModality, OrderStep } from '../ordering/orders/status.ts';
import type { Work } from '../platform/work.ts';

/** The beginnings of the days of a window, and the end of the last. */
type DayBounds = readonly Date[];

interface DayCount {
  /** The position of the day in the window, from 0. */
  readonly day: number;
  readonly count: number;
}

interface OrderDayCount extends DayCount {
  readonly modality: OrderModality;
  readonly step: OrderStep;
}

/** The zone data of the database may differ from ours, so it compares with bounds and knows no zone. */
const dayOf = (column: string, bounds: DayBounds): RawBuilder<number> =>
  sql`width_bucket(${sql.ref(column)}, ${bounds}::timestamptz[]) - 1`;

const isWithin = ({ tenant }: Work, column: string, bounds: DayBounds): RawBuilder<boolean> => sql`
  team_id = ${tenant.teamId} and environment = ${tenant.environment}
    and ${sql.ref(column)} >= ${bounds[0]} and ${sql.ref(column)} < ${bounds.at(-1)}`;

/** The orders created in a window, by day and current step, from the index of the newest orders. */
export async function countOrdersByDay(work: Work, bounds: DayBounds): Promise<OrderDayCount[]> {
  const { rows } = await sql<OrderDayCount>`
    select day, split_part(facet, '.', 1) as modality, split_part(facet, '.', 2) as step, count
    from (
      select ${dayOf('created_at', bounds)} as day, facet, count(*)::int as count
      from lab_order where ${isWithin(work, 'created_at', bounds)} and listed
      group by 1, 2) as counted`.execute(work.tx);
  return rows;
}

/** The versions of results that were reported in a window. */
export async function countResultsByDay(work: Work, bounds: DayBounds): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select ${dayOf('created_at', bounds)} as day, count(*)::int as count
    from lab_result where ${isWithin(work, 'created_at', bounds)} group by 1`.execute(work.tx);
  return rows;
}

/** The connections that were created in a window and still exist. */
export async function countConnectionsByDay(work: Work, bounds: DayBounds): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select ${dayOf('created_at', bounds)} as day, count(*)::int as count
    from connection where ${isWithin(work, 'created_at', bounds)} and removed_at is null
    group by 1`.execute(work.tx);
  return rows;
}

interface DeliveryDayCount {
  readonly day: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** Delivery attempts, from their counts by five minutes. */
export async function countDeliveriesByDay(work: Work, bounds: DayBounds): Promise<DeliveryDayCount[]> {
  const { rows } = await sql<DeliveryDayCount>`
    select ${dayOf('bucket', bounds)} as day, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed
    from webhook_tally where ${isWithin(work, 'bucket', bounds)} group by 1`.execute(work.tx);
  return rows;
}

/** Samples of devices, from their counts by 15 minutes. */
export async function countSamplesByDay(work: Work, bounds: DayBounds): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select ${dayOf('bucket', bounds)} as day, sum(received)::float8 as count
    from sample_tally where ${isWithin(work, 'bucket', bounds)} group by 1`.execute(work.tx);
  return rows;
}
