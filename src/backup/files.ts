import type pg from 'pg';
import { LAB_REPORT_FILES } from '../lab-reports/lab-reports.ts';
import { WEARABLE_FILES } from '../wearables/wearables.ts';

/** A table that knows the files of a slice, and the key under which each lies in the file storage. */
export interface FileFamily {
  readonly table: string;
  readonly keyOf: (tenant: { teamId: string; environment: string }, id: string) => string;
}

const FAMILIES: readonly FileFamily[] = [LAB_REPORT_FILES, WEARABLE_FILES];
const AT_ONCE = 1000;

interface FileRow {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
}

/** The keys of all files that the database knows of. */
export async function* listFiles(client: pg.ClientBase): AsyncGenerator<string> {
  for (const { table, keyOf } of FAMILIES) {
    let after: FileRow | undefined;
    do {
      const behind = after ? 'where (team_id, environment, id) > ($1, $2, $3)' : '';
      const values = after ? [after.team_id, after.environment, after.id] : [];
      const { rows }: { rows: FileRow[] } = await client.query<FileRow>(
        `select team_id, environment, id from ${table} ${behind} order by team_id, environment, id limit ${AT_ONCE}`,
        values,
      );
      for (const row of rows) yield keyOf({ teamId: row.team_id, environment: row.environment }, row.id);
      after = rows.length === AT_ONCE ? rows.at(-1) : undefined;
    } while (after);
  }
}
