import { sql, type RawBuilder } from 'kysely';
import { TELLING_BYTES } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Work } from '../platform/work.ts';

/** The columns of a table's primary key behind those of the tenant, each with its type. */
export interface KeyColumn {
  readonly name: string;
  readonly type: string;
}

export async function keyOf(tx: Tx, table: string): Promise<KeyColumn[]> {
  const { rows } = await sql<KeyColumn>`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_index i
    cross join unnest(i.indkey::smallint[]) with ordinality as k (number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where i.indrelid = ${table}::regclass and i.indisprimary
    order by k.place`.execute(tx);
  return rows.filter(({ name }) => name !== 'team_id' && name !== 'environment');
}

/** A column of bytes, and how its rows are told apart. */
export interface Place {
  readonly table: string;
  readonly name: string;
  readonly place: string;
  readonly key: readonly KeyColumn[];
}

/** A row as it is looked at: whether an older key sealed its value, and how long that is. */
export interface Row {
  readonly key: string[];
  readonly bytes: number;
  readonly old: boolean;
}

const idsOf = ({ key }: Place): RawBuilder<unknown>[] => key.map(({ name }) => sql.id(name));
const mine = ({ tenant }: Work) =>
  sql`t.team_id = ${tenant.teamId} and t.environment = ${tenant.environment}`;

/** The next rows that have something in a column, in the order of their keys. */
export async function listRows(
  work: Work,
  at: Place,
  { after, limit }: { after: readonly string[] | null; limit: number },
): Promise<Row[]> {
  const column = sql.id('t', at.name);
  const texts = at.key.map(({ name }) => sql`t.${sql.id(name)}::text`);
  const behind =
    after === null || at.key.length === 0
      ? sql``
      : sql`and (${sql.join(idsOf(at))}) > (${sql.join(at.key.map(({ type }, n) => sql`${after[n]}::${sql.raw(type)}`))})`;
  const order = at.key.length === 0 ? sql`` : sql`order by ${sql.join(idsOf(at))}`;
  const { rows } = await sql<Row>`
    select array[${sql.join(texts)}]::text[] as key, octet_length(${column}) as bytes,
      aliquot_sealed_by(substring(${column} from 1 for 3)) <> ${work.cipher.generation} as old
    from ${sql.id(at.table)} t
    where ${mine(work)} and ${column} is not null ${behind} ${order} limit ${limit}`.execute(work.tx);
  return rows;
}

/** The keys of rows as columns of arrays, to be joined with. */
const keysOf = (at: Place, rows: readonly { key: readonly string[] }[]) =>
  at.key.map(({ type }, n) => sql`${rows.map(({ key }) => key[n])}::text[]::${sql.raw(type)}[]`);

const sameKey = (at: Place) =>
  sql.join(
    [sql`true`, ...at.key.map(({ name }) => sql`t.${sql.id(name)} = given.${sql.id(name)}`)],
    sql` and `,
  );

export interface Value {
  readonly key: string[];
  readonly value: Buffer;
}

export async function fetchValues(work: Work, at: Place, rows: readonly Row[]): Promise<Value[]> {
  const texts = at.key.map(({ name }) => sql`t.${sql.id(name)}::text`);
  const given =
    at.key.length === 0
      ? sql`(select 1) as given`
      : sql`unnest(${sql.join(keysOf(at, rows))}) as given (${sql.join(idsOf(at))})`;
  const { rows: values } = await sql<Value>`
    select array[${sql.join(texts)}]::text[] as key, t.${sql.id(at.name)} as value
    from ${sql.id(at.table)} t, ${given}
    where ${mine(work)} and ${sameKey(at)} and t.${sql.id(at.name)} is not null`.execute(work.tx);
  return values;
}

/** A value sealed anew, and how the one begins that it takes the place of. */
export interface Fresh {
  readonly key: string[];
  readonly head: Buffer;
  readonly sealed: Buffer;
}

/** Writes them where the old value is still there; answers how often that was. */
export async function exchange(work: Work, at: Place, fresh: readonly Fresh[]): Promise<number> {
  if (fresh.length === 0) return 0;
  const heads = sql`${fresh.map(({ head }) => head)}::bytea[]`;
  const values = sql`${fresh.map(({ sealed }) => sealed)}::bytea[]`;
  const names = sql.join([...idsOf(at), sql`head`, sql`fresh`]);
  const { numAffectedRows } = await sql`
    update ${sql.id(at.table)} t set ${sql.id(at.name)} = given.fresh
    from unnest(${sql.join([...keysOf(at, fresh), heads, values])}) as given (${names})
    where ${mine(work)} and ${sameKey(at)}
      and substring(t.${sql.id(at.name)} from 1 for ${TELLING_BYTES}) = given.head`.execute(work.tx);
  return Number(numAffectedRows ?? 0);
}
