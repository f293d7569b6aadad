import { sql, type RawBuilder } from 'kysely';
import { DAY, later, MINUTE } from '../platform/clock.ts';
import type { Work } from '../platform/work.ts';
import type { OrderModality, OrderStep } from '../ordering/orders/status.ts';
import { WAITING_STEPS, type StepTime } from './usual-times.ts';

type AttentionSql = RawBuilder<unknown>;

/** An item as the database returns it: timestamps are text. */
export interface AttentionItem {
  readonly id: string;
  readonly at: string;
  readonly due_at?: string;
  readonly state?: string;
  readonly modality?: OrderModality;
  readonly step?: OrderStep;
  readonly order_id?: string;
  readonly user_id?: string;
  readonly message_id?: string;
}

export interface AttentionPart {
  /** At most one more than the limit. */
  readonly count: number;
  readonly items: readonly AttentionItem[];
}

/** One kind of thing that needs a person. `rows` and `order` are what one index answers, in its order. */
export interface AttentionQuery {
  readonly columns: AttentionSql;
  readonly rows: AttentionSql;
  readonly order: AttentionSql;
}

const of = ({ tenant }: Work, alias: string): AttentionSql =>
  sql`${sql.ref(`${alias}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${alias}.environment`)} = ${tenant.environment}`;

const withLivingUser = (alias: string): AttentionSql => sql`
  join app_user u on u.team_id = ${sql.ref(`${alias}.team_id`)} and u.environment = ${sql.ref(`${alias}.environment`)}
    and u.id = ${sql.ref(`${alias}.user_id`)} and u.deleted_at is null`;

/** Repeats the condition of the index `lab_order_waiting`, so that a prepared statement can use it too. */
const IS_WAITING = sql`o.listed and o.step not in
  ('completed', 'corrected', 'cancelled', 'do_not_process', 'sample_error', 'redraw_available')`;

interface StepBounds {
  readonly steps: readonly Pick<StepTime, 'modality' | 'step'>[];
  /** For each step, what its orders were last changed before or after. */
  readonly bounds: readonly Date[];
  readonly limit: number;
}

/** Orders at some steps, each limited, so that a step with many orders costs no more than one with few. */
const ordersAtSteps = (
  work: Work,
  { steps, bounds, limit }: StepBounds,
  side: '<' | '>=',
): AttentionSql => sql`
  unnest(${steps.map(({ modality }) => modality)}::text[], ${steps.map(({ step }) => step)}::text[],
    ${bounds}::timestamptz[]) as s (modality, step, bound)
  cross join lateral (
    select o.id, o.user_id, o.modality, o.step, o.updated_at from lab_order o
    where ${of(work, 'o')} and o.modality = s.modality and o.step = s.step
      and o.updated_at ${sql.raw(side)} s.bound and ${IS_WAITING}
      and (o.activate_by is null or o.step <> 'ordered' or o.activate_by < s.bound::date)
    order by o.updated_at limit ${limit}) as o`;

const ORDER_COLUMNS = sql`o.id, o.id as order_id, o.user_id, o.updated_at as at, o.modality, o.step`;

/** A parcel at one of these steps has a problem now. */
const PROBLEM_STEPS = ['problem_in_transit_customer', 'problem_in_transit_lab'] as const;
/** These steps are final; only what happened lately needs a person. */
const FAILED_STEPS = ['failure_to_deliver_to_customer', 'failure_to_deliver_to_lab', 'lost'] as const;
const FAILED_SHOWN_MS = 14 * DAY;
const FAILING_AFTER_MS = 5 * MINUTE;

export const criticalResults = (work: Work): AttentionQuery => ({
  columns: sql`c.id, c.order_id, o.user_id, c.detected_at as at, c.escalation_due_at as due_at, c.status as state`,
  rows: sql`critical_result c join lab_order o on o.team_id = c.team_id and o.environment = c.environment
      and o.id = c.order_id and o.listed
    where ${of(work, 'c')} and c.status <> 'acknowledged'`,
  order: sql`c.escalation_due_at, c.id`,
});

export const unmatchedResults = (work: Work): AttentionQuery => ({
  columns: sql`i.id, i.created_at as at, i.status as state`,
  rows: sql`incoming_result i where ${of(work, 'i')} and i.review_opened_at is not null
    and i.status in ('pending_customer_review', 'pending_ops_review')`,
  order: sql`i.created_at, i.id`,
});

export const labReportsInReview = (work: Work): AttentionQuery => ({
  columns: sql`j.id, j.user_id, j.updated_at as at`,
  rows: sql`lab_report_job j ${withLivingUser('j')} where ${of(work, 'j')} and j.status = 'pending_review'`,
  order: sql`j.updated_at, j.id`,
});

export const overdueOrders = (work: Work, limit: number): AttentionQuery => {
  const problems = new Set<string>(PROBLEM_STEPS);
  const steps = WAITING_STEPS.filter(({ step }) => !problems.has(step));
  const bounds = steps.map(({ days }) => later(work.now, -days * DAY));
  return {
    columns: ORDER_COLUMNS,
    rows: ordersAtSteps(work, { steps, bounds, limit }, '<'),
    order: sql`o.updated_at, o.id`,
  };
};

export const parcelProblems = (work: Work, limit: number): AttentionQuery => {
  const at = (steps: readonly OrderStep[]) => steps.map((step) => ({ modality: 'testkit' as const, step }));
  const steps = [...at(PROBLEM_STEPS), ...at(FAILED_STEPS)];
  const bounds = steps.map(({ step }) =>
    (FAILED_STEPS as readonly string[]).includes(step) ? later(work.now, -FAILED_SHOWN_MS) : new Date(0),
  );
  return {
    columns: ORDER_COLUMNS,
    rows: ordersAtSteps(work, { steps, bounds, limit }, '>='),
    order: sql`o.updated_at, o.id`,
  };
};

export const deadLabMessages = (work: Work): AttentionQuery => ({
  columns: sql`m.id, m.created_at as at, m.direction as state`,
  rows: sql`lab_message m where ${of(work, 'm')} and m.status = 'dead'`,
  order: sql`m.created_at, m.id`,
});

export const failingEndpoints = (work: Work): AttentionQuery => ({
  columns: sql`e.id, e.first_failure_at as at`,
  rows: sql`webhook_endpoint e where ${of(work, 'e')} and e.disabled_at is null
    and e.first_failure_at <= ${later(work.now, -FAILING_AFTER_MS)}`,
  order: sql`e.first_failure_at, e.id`,
});

export const failingBrokers = (work: Work): AttentionQuery => ({
  columns: sql`d.broker as id, d.failing_since as at`,
  rows: sql`event_destination d where ${of(work, 'd')} and d.failing_since is not null and d.role <> 'removed'`,
  order: sql`d.failing_since`,
});

export const exhaustedDeliveries = (work: Work, limit: number): AttentionQuery => ({
  columns: sql`d.endpoint_id as id, 'msg_' || d.event_id as message_id, d.created_at as at`,
  rows: sql`webhook_endpoint e cross join lateral (
      select d.endpoint_id, d.event_id, d.created_at from webhook_delivery d
      where ${of(work, 'd')} and d.endpoint_id = e.id and d.status = 'failed'
      order by d.created_at desc limit ${limit}) as d
    where ${of(work, 'e')}`,
  order: sql`d.created_at desc, d.event_id`,
});

export const lostConnections = (work: Work): AttentionQuery => ({
  columns: sql`c.id, c.user_id, c.errored_at as at, c.provider as state`,
  rows: sql`connection c ${withLivingUser('c')}
    where ${of(work, 'c')} and c.status = 'error' and c.removed_at is null`,
  order: sql`c.errored_at, c.id`,
});

/** The number of rows up to a limit, and the first items. Of parts that a query merges, it reads no more than needed. */
export async function readAttention(
  work: Work,
  query: (work: Work, limit: number) => AttentionQuery,
  { limit, items }: { limit: number; items: number },
): Promise<AttentionPart> {
  const counted = query(work, limit);
  const listed = query(work, items);
  const { rows } = await sql<AttentionPart>`
    select (select count(*)::int from (select 1 from ${counted.rows} limit ${limit}) as counted) as count,
      coalesce((select jsonb_agg(to_jsonb(item)) from (
        select ${listed.columns} from ${listed.rows} order by ${listed.order} limit ${items}) as item), '[]') as items`.execute(
    work.tx,
  );
  return rows[0] ?? { count: 0, items: [] };
}
