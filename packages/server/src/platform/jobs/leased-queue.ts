import { sql, type RawBuilder } from 'kysely';
import { DAY, later } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import type { Tenant } from '../tenant.ts';
import type { Work } from '../work.ts';
import { toTenant, type TenantColumns } from '../db/tenant-rows.ts';

/** A row that a worker has claimed until its lease ends. */
export interface Lease {
  readonly tenant: Tenant;
  readonly id: string;
  readonly leaseId: string;
  /** Number of claims, including this one. */
  readonly tries: number;
}

interface LeaseClaim {
  readonly now: Date;
  readonly until: Date;
  readonly leaseId: string;
  /** A lease that ends later than this was written by a clock that has since been set back, and is ignored. */
  readonly unbelievable: Date;
}

/** A change of a lease. With `lease_id: null` other workers may claim the row from `leased_until` on. */
export interface LeaseUpdate {
  readonly leased_until: Date;
  readonly lease_id?: null;
  readonly tries?: number;
}

interface LeasedQueue<H extends LeaseUpdate> {
  /** Number of rows of this tenant that wait or are in progress, counted up to `most`. */
  countWaiting(work: Work, most: number): Promise<number>;
  /**
   * Claims the next free row. Tenants take turns: the first row of each comes before the second of any, so that a long
   * queue of one team delays nobody else.
   */
  claimNext(tx: Tx, taking: LeaseClaim): Promise<Lease | undefined>;
  /** Changes a lease if it is still ours; returns whether it was. */
  changeLease(tx: Tx, lease: Lease, change: H): Promise<boolean>;
}

/** How many rows are considered when choosing the next tenant. */
const SCAN_MAX = 2000;
/**
 * No row is postponed for longer than this; a row that seems to be was postponed by a clock that has since been set
 * back.
 */
const PAUSE_MAX_MS = DAY;

/**
 * A leased queue over a table of all tenants, for work that takes minutes: too long for a transaction and for the job
 * queue. Guarantees at-least-once processing: a row whose lease ends without a change can be claimed again. The table
 * has the columns `id` (in arrival order), `status`, `lease_id`, `leased_until` and `tries`. `statuses` are those in
 * which a row waits or is in progress.
 */
export function openLeasedQueue<H extends LeaseUpdate = LeaseUpdate>(
  name: keyof Database & string,
  statuses: readonly string[],
): LeasedQueue<H> {
  const table = sql.table(name);
  const isOpen = sql`status in (${sql.join(statuses.map((status) => sql.lit(status)))})`;
  return {
    countWaiting: async ({ tx, tenant }, most) => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from (
          select from ${table}
          where team_id = ${tenant.teamId} and environment = ${tenant.environment} and ${isOpen}
          limit ${most}) as waiting`.execute(tx);
      return rows[0]?.count ?? 0;
    },
    claimNext: async (tx, taking) =>
      toLease((await claimNextQuery(table, isOpen, taking).execute(tx)).rows[0], taking),
    changeLease: async (tx, { tenant, id, leaseId }, change) => {
      const changes = Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
      const { rows } = await sql`
        update ${table} set ${sql.join(changes)}
        where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = ${id}
          and lease_id = ${leaseId}
        returning id`.execute(tx);
      return rows.length > 0;
    },
  };
}

interface LeasedRow extends TenantColumns {
  readonly id: string;
  readonly tries: number;
}

const claimNextQuery = (
  table: RawBuilder<unknown>,
  isOpen: RawBuilder<unknown>,
  { now, until, leaseId, unbelievable }: LeaseClaim,
): RawBuilder<LeasedRow> => sql<LeasedRow>`
  update ${table} set leased_until = ${until}, lease_id = ${leaseId}, tries = tries + 1
  where (team_id, environment, id) = (
    select w.team_id, w.environment, w.id from ${table} w join (
      select l.team_id, l.environment, l.id,
        row_number() over (partition by l.team_id, l.environment order by l.id) as turn
      from (select team_id, environment, id from ${table} where ${isOpen} order by id limit ${SCAN_MAX}) as l
    ) as line on line.team_id = w.team_id and line.environment = w.environment and line.id = w.id
    where w.leased_until is null or w.leased_until <= ${now}
      or w.leased_until > case when w.lease_id is null then ${later(now, PAUSE_MAX_MS)}::timestamptz
        else ${unbelievable}::timestamptz end
    order by line.turn, w.id limit 1 for update of w skip locked)
  returning team_id, environment, id, tries`;

function toLease(row: LeasedRow | undefined, { leaseId }: LeaseClaim): Lease | undefined {
  return row && { tenant: toTenant(row), id: row.id, leaseId, tries: row.tries };
}
