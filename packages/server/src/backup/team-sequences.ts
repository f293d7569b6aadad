import type pg from 'pg';
import { stagedNameOf, type StagedTeam } from './team-stage.ts';
import { quoteIdentifier } from './tables.ts';

/**
 * Raises the sequences of numbered rows above the restored numbers, which is needed only where the house itself is older
 * than the backup.
 */
export async function raiseSequences(client: pg.ClientBase, staged: StagedTeam): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select c.relname as table, a.attname as column,
       pg_get_serial_sequence('public.' || quote_ident(c.relname), a.attname) as sequence
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and a.attidentity <> ''`,
    [[...staged.tables.keys()]],
  );
  for (const { table, column, sequence } of rows)
    await client.query(
      `select setval($1::regclass, n.highest) from (select max(${quoteIdentifier(column)}) as highest from ${stagedNameOf(table)}) n
       where n.highest > (select last_value from ${sequence})`,
      [sequence],
    );
}
