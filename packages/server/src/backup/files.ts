import type pg from 'pg';
import { LAB_REPORT_FILES } from '../lab-reports/lab-reports.ts';
import { WEARABLE_FILES } from '../wearables/wearables.ts';
import { toTenant, type TenantColumns } from '../platform/db/tenant-rows.ts';
import type { Tenant } from '../platform/tenant.ts';

/** A table that lists the files of a module, and the storage key of each file. */
interface StoredFileTable {
  readonly table: string;
  readonly keyOf: (tenant: Tenant, id: string) => string;
}

const FILE_TABLES: readonly StoredFileTable[] = [LAB_REPORT_FILES, WEARABLE_FILES];
const KEYS_PER_QUERY = 1000;

interface StoredFileRow extends TenantColumns {
  readonly id: string;
}

/** The storage keys of all files that the database lists. Reads by keyset pagination. */
export async function* listFiles(client: pg.ClientBase): AsyncGenerator<string> {
  for (const { table, keyOf } of FILE_TABLES) {
    let after: StoredFileRow | undefined;
    do {
      const behind = after ? 'where (team_id, environment, id) > ($1, $2, $3)' : '';
      const values = after ? [after.team_id, after.environment, after.id] : [];
      const { rows }: { rows: StoredFileRow[] } = await client.query<StoredFileRow>(
        `select team_id, environment, id from ${table} ${behind} order by team_id, environment, id limit ${KEYS_PER_QUERY}`,
        values,
      );
      for (const row of rows) yield keyOf(toTenant(row), row.id);
      after = rows.length === KEYS_PER_QUERY ? rows.at(-1) : undefined;
    } while (after);
  }
}
