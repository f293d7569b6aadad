import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { prefixToken, suffixToken, NAME_SEAL_CONTEXT } from '../../ordering/orders/orders.ts';
import type { OrderStep } from '../../ordering/orders/status.ts';

/** An order whose patient has a similar name. */
export interface Namesake {
  readonly id: string;
  /** In the form of `nameKey`. */
  readonly name: string;
  readonly created_at: Date;
}

/** Search terms that a name equals or starts with, from any of its words on. */
export interface NameTerms {
  readonly equal: readonly string[];
  readonly prefixes: readonly string[];
}

/** Limits per term to the newest orders, independent of the number of patients with the name. */
const EQUAL_MAX = 100;
const PREFIX_MAX = 50;
const NAMES_MAX = 200;

interface NamesakeRow extends Pick<Namesake, 'id' | 'created_at'> {
  readonly name_id: string;
  readonly sealed: Buffer;
}

export async function listNamesakes(
  { tx, tenant, cipher }: Work,
  { equal, prefixes }: NameTerms,
): Promise<Namesake[]> {
  const mine = (table: string) => sql`
    ${sql.ref(`${table}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${table}.environment`)} = ${tenant.environment}`;
  const newest = sql`and t.since is not null order by t.since desc`;
  /** The newest orders of a limited number of names per token. */
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
  const { rows } = await sql<NamesakeRow>`
    select o.id, o.created_at, n.id as name_id, n.name as sealed
    from (
      ${ordersOf(
        equal.map((term) => suffixToken(cipher, term)),
        EQUAL_MAX,
        newest,
      )}
      union
      ${ordersOf(
        prefixes.map((text) => prefixToken(cipher, text)),
        PREFIX_MAX,
        sql``,
      )}
    ) as found
    join order_name n on ${mine('n')} and n.id = found.name_id
    join lab_order o on ${mine('o')} and o.id = found.id`.execute(tx);
  const sealed = new Map(rows.map((row) => [row.name_id, row.sealed]));
  const names = new Map([...sealed].map(([id, name]) => [id, cipher.open(name, NAME_SEAL_CONTEXT)]));
  return rows.map(({ id, created_at, name_id: nameId }) => ({
    id,
    created_at,
    name: names.get(nameId) ?? '',
  }));
}

/** The current steps of orders; without orders of deleted users. */
export async function listOrderSteps(
  { tx, tenant }: Work,
  ids: readonly string[],
): Promise<Map<string, OrderStep>> {
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
