import { sql, type RawBuilder } from 'kysely';
import { DAY, later } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { ENVIRONMENTS, type Tenant } from '../tenant.ts';
import type { Work } from '../work.ts';

/** A row that a worker has taken for itself, until its lease is over. */
export interface Lease {
  readonly tenant: Tenant;
  readonly id: string;
  readonly leaseId: string;
  /** How often it was taken, this time included. */
  readonly tries: number;
}

export interface Taking {
  readonly now: Date;
  readonly until: Date;
  readonly leaseId: string;
  /** A lease that ends later than this was given by a clock that was set back since, and counts for nothing. */
  readonly unbelievable: Date;
}

/** What becomes of a lease; with `lease_id: null` others may take the row from `leased_until` on. */
export interface Hold {
  readonly leased_until: Date;
  readonly lease_id?: null;
  readonly tries?: number;
}

export interface Line<H extends Hold> {
  /** How many rows of this tenant wait or are under way, counted no further than `most`. */
  countWaiting(work: Work, most: number): Promise<number>;
  /**
   * Takes the next row that nobody has. Tenants take turns: the first row of each goes before the second of any, so that
   * a long line of one team holds nobody else up.
   */
  takeNext(tx: Tx, taking: Taking): Promise<Lease | undefined>;
  /** Changes a lease that is still ours; answers whether it is. */
  changeLease(tx: Tx, lease: Lease, change: H): Promise<boolean>;
}

/** How far down the line one looks for whose turn it is. */
const LOOK_MAX = 2000;
/** No row is put off for longer than this; one that seems to be was put off by a clock that was set back since. */
const PAUSE_MAX_MS = DAY;

/**
 * Rows of all tenants that wait for a worker, of which each is worked on for minutes: too long for a transaction and too
 * long for the queue. The table has the columns `id` (in the order of coming), `status`, `lease_id`, `leased_until` and
 * `tries`; the statuses are those in which a row waits or is under way.
 */
export function openLine<H extends Hold = Hold>(
  name: keyof Database & string,
  statuses: readonly string[],
): Line<H> {
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
    takeNext: async (tx, taking) =>
      leaseOf((await nextIn(table, isOpen, taking).execute(tx)).rows[0], taking),
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

interface TakenRow {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
  readonly tries: number;
}

const nextIn = (
  table: RawBuilder<unknown>,
  isOpen: RawBuilder<unknown>,
  { now, until, leaseId, unbelievable }: Taking,
): RawBuilder<TakenRow> => sql<TakenRow>`
  update ${table} set leased_until = ${until}, lease_id = ${leaseId}, tries = tries + 1
  where (team_id, environment, id) = (
    select w.team_id, w.environment, w.id from ${table} w join (
      select l.team_id, l.environment, l.id,
        row_number() over (partition by l.team_id, l.environment order by l.id) as turn
      from (select team_id, environment, id from ${table} where ${isOpen} order by id limit ${LOOK_MAX}) as l
    ) as line on line.team_id = w.team_id and line.environment = w.environment and line.id = w.id
    where w.leased_until is null or w.leased_until <= ${now}
      or w.leased_until > case when w.lease_id is null then ${later(now, PAUSE_MAX_MS)}::timestamptz
        else ${unbelievable}::timestamptz end
    order by line.turn, w.id limit 1 for update of w skip locked)
  returning team_id, environment, id, tries`;

function leaseOf(row: TakenRow | undefined, { leaseId }: Taking): Lease | undefined {
  const environment = ENVIRONMENTS.find((name) => name === row?.environment);
  if (!row || !environment) return undefined;
  return { tenant: { teamId: row.team_id, environment }, id: row.id, leaseId, tries: row.tries };
}
