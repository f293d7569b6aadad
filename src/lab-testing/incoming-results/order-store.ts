import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { beginsToken, endsToken, NAME_PLACE } from '../orders/orders.ts';
import type { Step } from '../orders/status.ts';

/** An order whose patient has a name like the one that is looked for. */
export interface Namesake {
  readonly id: string;
  /** As `nameKey` writes it. */
  readonly name: string;
  readonly created_at: Date;
}

/** What a name is or begins with, from one of its words on. */
export interface Terms {
  readonly equal: readonly string[];
  readonly prefixes: readonly string[];
}

/** Of each term the newest orders of names, and no more of them, however many patients are called so. */
const EQUAL_MAX = 100;
const PREFIX_MAX = 50;
const NAMES_MAX = 200;

interface Found extends Pick<Namesake, 'id' | 'created_at'> {
  readonly name_id: string;
  readonly sealed: Buffer;
}

export async function listNamesakes(
  { tx, tenant, cipher }: Work,
  { equal, prefixes }: Terms,
): Promise<Namesake[]> {
  const mine = (table: string) => sql`
    ${sql.ref(`${table}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${table}.environment`)} = ${tenant.environment}`;
  const newest = sql`and t.since is not null order by t.since desc`;
  /** Of each token some of the names, and of those the newest orders. */
  const ordersOf = (tokens: readonly string[], most: number, which: typeof newest) => sql`
    select named.id, named.name_id from unnest(${[...tokens]}::bigint[]) as wanted (token) cross join lateral (
      select o.id, t.name_id
      from (
        select t.name_id from order_name_token t where ${mine('t')} and t.token = wanted.token ${which}
        limit ${NAMES_MAX}) as t
      cross join lateral (
        select o.id from lab_order o where ${mine('o')} and o.patient_name_id = t.name_id and o.listed
        order by o.id desc limit ${most}) as o
      order by o.id desc limit ${most}) as named`;
  const { rows } = await sql<Found>`
    select o.id, o.created_at, n.id as name_id, n.name as sealed
    from (
      ${ordersOf(
        equal.map((term) => endsToken(cipher, term)),
        EQUAL_MAX,
        newest,
      )}
      union
      ${ordersOf(
        prefixes.map((text) => beginsToken(cipher, text)),
        PREFIX_MAX,
        sql``,
      )}
    ) as found
    join order_name n on ${mine('n')} and n.id = found.name_id
    join lab_order o on ${mine('o')} and o.id = found.id`.execute(tx);
  const sealed = new Map(rows.map((row) => [row.name_id, row.sealed]));
  const names = new Map([...sealed].map(([id, name]) => [id, cipher.open(name, NAME_PLACE)]));
  return rows.map(({ id, created_at, name_id: nameId }) => ({
    id,
    created_at,
    name: names.get(nameId) ?? '',
  }));
}

/** Where orders stand now; those of a deleted user are not among them. */
export async function listSteps({ tx, tenant }: Work, ids: readonly string[]): Promise<Map<string, Step>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('lab_order')
    .select(['id', 'step'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', 'in', [...ids])
    .where(sql<boolean>`listed`)
    .execute();
  return new Map(rows.map(({ id, step }) => [id, step]));
}
