import type pg from 'pg';
import { z } from 'zod';

/** A table of the database, by the names that a statement can use. */
export const TableForm = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.string()).min(1),
});
export type TableForm = z.output<typeof TableForm>;

export const SequenceState = z.object({
  schema: z.string(),
  name: z.string(),
  /** As text: it may be longer than a number is exact. */
  value: z.string().regex(/^-?\d+$/),
  isCalled: z.boolean(),
});
export type SequenceState = z.output<typeof SequenceState>;

/** What migrations have done is not copied: it is done again. Nor is what they left to be swept out here. */
const NOT_COPIED = ['kysely_migration', 'kysely_migration_lock', 'migrations', 'statistics_sweep'];
const SCHEMAS = ['public', 'graphile_worker'];

/** Every table with rows of ours, and the queue's own, in the order of their names. */
export async function listTables(client: pg.ClientBase): Promise<TableForm[]> {
  const { rows } = await client.query<TableForm>(
    `select n.nspname as schema, c.relname as name,
       array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where n.nspname = any($1) and c.relkind = 'r' and c.relname <> all($2)
     group by 1, 2 order by 1, 2`,
    [SCHEMAS, NOT_COPIED],
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
      `select last_value::text as value, is_called from ${quoted(schema)}.${quoted(name)}`,
    );
    if (now[0]) states.push({ schema, name, value: now[0].value, isCalled: now[0].is_called });
  }
  return states;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const nameOf = ({ schema, name }: Pick<TableForm, 'schema' | 'name'>): string =>
  `${quoted(schema)}.${quoted(name)}`;

export const columnsOf = ({ columns }: TableForm): string => columns.map(quoted).join(', ');

/** The names of the migrations that this database has seen. */
export async function listMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from public.kysely_migration order by name',
  );
  return rows.map(({ name }) => name);
}

/** Row-level security hides every row even from the owner of the tables; who copies all must stand above it. */
export async function requirePower(client: pg.ClientBase, what: 'backup' | 'restore'): Promise<void> {
  const { rows } = await client.query<{ super: boolean; bypass: boolean }>(
    'select rolsuper as super, rolbypassrls as bypass from pg_roles where rolname = current_user',
  );
  const may = what === 'restore' ? rows[0]?.super : rows[0]?.super || rows[0]?.bypass;
  if (may) return;
  throw new Error(
    what === 'restore'
      ? 'The role of DATABASE_URL must be a superuser to restore: rows come before those that they refer to'
      : 'The role of DATABASE_URL must be a superuser or have BYPASSRLS to back up: row-level security hides rows from all others',
  );
}
