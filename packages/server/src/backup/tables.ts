import type pg from 'pg';
import { z } from 'zod';

/** A table with its columns. */
export const TableDefinition = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.string()).min(1),
});
export type TableDefinition = z.output<typeof TableDefinition>;

export const SequenceState = z.object({
  schema: z.string(),
  name: z.string(),
  /** As text, because a bigint may exceed the safe integers. */
  value: z.string().regex(/^-?\d+$/),
  isCalled: z.boolean(),
});
export type SequenceState = z.output<typeof SequenceState>;

/** Not copied: the migration tables, which migrating fills again, and the local list of statistics to sweep. */
const EXCLUDED_TABLES = [
  'kysely_migration',
  'kysely_migration_lock',
  'migrations',
  'schema_version',
  'statistics_sweep',
];
const SCHEMAS = ['public', 'graphile_worker'];

/** All tables of the service and of its job queue, sorted by name. */
export async function listTables(client: pg.ClientBase): Promise<TableDefinition[]> {
  const { rows } = await client.query<TableDefinition>(
    `select n.nspname as schema, c.relname as name,
       array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where n.nspname = any($1) and c.relkind = 'r' and c.relname <> all($2)
     group by 1, 2 order by 1, 2`,
    [SCHEMAS, EXCLUDED_TABLES],
  );
  return rows;
}

export async function listSequences(client: pg.ClientBase): Promise<SequenceState[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'S' order by 1, 2`,
    [SCHEMAS],
  );
  const states: SequenceState[] = [];
  for (const { schema, name } of rows) {
    const { rows: now } = await client.query<{ value: string; is_called: boolean }>(
      `select last_value::text as value, is_called from ${quoteIdentifier(schema)}.${quoteIdentifier(name)}`,
    );
    if (now[0]) states.push({ schema, name, value: now[0].value, isCalled: now[0].is_called });
  }
  return states;
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const qualifiedNameOf = ({ schema, name }: Pick<TableDefinition, 'schema' | 'name'>): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

export const columnListOf = ({ columns }: TableDefinition): string => columns.map(quoteIdentifier).join(', ');

/** The names of the migrations that were applied to this database. */
export async function listMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from public.kysely_migration order by name',
  );
  return rows.map(({ name }) => name);
}

/** Row-level security hides rows even from the owner of the tables, so the role must be able to bypass it. */
export async function requireBackupRole(client: pg.ClientBase, what: 'backup' | 'restore'): Promise<void> {
  const { rows } = await client.query<{ super: boolean; bypass: boolean }>(
    'select rolsuper as super, rolbypassrls as bypass from pg_roles where rolname = current_user',
  );
  const may = what === 'restore' ? rows[0]?.super : rows[0]?.super || rows[0]?.bypass;
  if (may) return;
  throw new Error(
    what === 'restore'
      ? 'The role of DATABASE_URL must be a superuser to restore: rows are copied before the rows that they reference'
      : 'The role of DATABASE_URL must be a superuser or have BYPASSRLS to back up: row-level security hides rows from other roles',
  );
}
