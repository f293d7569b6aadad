import { sql, type RawBuilder } from 'kysely';
import { UNIQUE_PREFIX_BYTES } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Work } from '../platform/work.ts';

/** A column of a table's primary key, without those of the tenant. */
interface PrimaryKeyColumn {
  readonly name: string;
  readonly type: string;
}

export async function listKeyColumns(tx: Tx, table: string): Promise<PrimaryKeyColumn[]> {
  const { rows } = await sql<PrimaryKeyColumn>`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_index i
    cross join unnest(i.indkey::smallint[]) with ordinality as k (number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where i.indrelid = ${table}::regclass and i.indisprimary
    order by k.place`.execute(tx);
  return rows.filter(({ name }) => name !== 'team_id' && name !== 'environment');
}

/** A column of sealed values, and the primary key of its rows. */
export interface SealedColumn {
  readonly table: string;
  readonly name: string;
  readonly context: string;
  readonly key: readonly PrimaryKeyColumn[];
}

/** A row to check: whether an older key sealed its value, and the length of the value in bytes. */
export interface SealedValueRow {
  readonly key: string[];
  readonly bytes: number;
  readonly old: boolean;
}

const keyIdentifiers = ({ key }: SealedColumn): RawBuilder<unknown>[] => key.map(({ name }) => sql.id(name));
const tenantCondition = ({ tenant }: Work) =>
  sql`t.team_id = ${tenant.teamId} and t.environment = ${tenant.environment}`;

/** The next rows with a value in the column, ordered by primary key. */
export async function listSealedRows(
  work: Work,
  at: SealedColumn,
  { after, limit }: { after: readonly string[] | null; limit: number },
): Promise<SealedValueRow[]> {
  const column = sql.id('t', at.name);
  const texts = at.key.map(({ name }) => sql`t.${sql.id(name)}::text`);
  const behind =
    after === null || at.key.length === 0
      ? sql``
      : sql`and (${sql.join(keyIdentifiers(at))}) > (${sql.join(at.key.map(({ type }, n) => sql`${after[n]}::${sql.raw(type)}`))})`;
  const order = at.key.length === 0 ? sql`` : sql`order by ${sql.join(keyIdentifiers(at))}`;
  const { rows } = await sql<SealedValueRow>`
    select array[${sql.join(texts)}]::text[] as key, octet_length(${column}) as bytes,
      aliquot_sealed_by(substring(${column} from 1 for 3)) <> ${work.cipher.generation} as old
    from ${sql.id(at.table)} t
    where ${tenantCondition(work)} and ${column} is not null ${behind} ${order} limit ${limit}`.execute(
    work.tx,
  );
  return rows;
}

/** The primary keys of rows as one array per key column, for `unnest`. */
const keyArrays = (at: SealedColumn, rows: readonly { key: readonly string[] }[]) =>
  at.key.map(({ type }, n) => sql`${rows.map(({ key }) => key[n])}::text[]::${sql.raw(type)}[]`);

const keyCondition = (at: SealedColumn) =>
  sql.join(
    [sql`true`, ...at.key.map(({ name }) => sql`t.${sql.id(name)} = given.${sql.id(name)}`)],
    sql` and `,
  );

interface SealedValue {
  readonly key: string[];
  readonly value: Buffer;
}

export async function listSealedValues(
  work: Work,
  at: SealedColumn,
  rows: readonly SealedValueRow[],
): Promise<SealedValue[]> {
  const texts = at.key.map(({ name }) => sql`t.${sql.id(name)}::text`);
  const given =
    at.key.length === 0
      ? sql`(select 1) as given`
      : sql`unnest(${sql.join(keyArrays(at, rows))}) as given (${sql.join(keyIdentifiers(at))})`;
  const { rows: values } = await sql<SealedValue>`
    select array[${sql.join(texts)}]::text[] as key, t.${sql.id(at.name)} as value
    from ${sql.id(at.table)} t, ${given}
    where ${tenantCondition(work)} and ${keyCondition(at)} and t.${sql.id(at.name)} is not null`.execute(
    work.tx,
  );
  return values;
}

/** A resealed value, and the unique prefix of the value that it replaces. */
interface ResealedValue {
  readonly key: string[];
  readonly head: Buffer;
  readonly sealed: Buffer;
}

/** Replaces the values that are still unchanged; returns how many were replaced. */
export async function replaceValues(
  work: Work,
  at: SealedColumn,
  fresh: readonly ResealedValue[],
): Promise<number> {
  if (fresh.length === 0) return 0;
  const heads = sql`${fresh.map(({ head }) => head)}::bytea[]`;
  const values = sql`${fresh.map(({ sealed }) => sealed)}::bytea[]`;
  const names = sql.join([...keyIdentifiers(at), sql`head`, sql`fresh`]);
  const { numAffectedRows } = await sql`
    update ${sql.id(at.table)} t set ${sql.id(at.name)} = given.fresh
    from unnest(${sql.join([...keyArrays(at, fresh), heads, values])}) as given (${names})
    where ${tenantCondition(work)} and ${keyCondition(at)}
      and substring(t.${sql.id(at.name)} from 1 for ${UNIQUE_PREFIX_BYTES}) = given.head`.execute(work.tx);
  return Number(numAffectedRows ?? 0);
}
