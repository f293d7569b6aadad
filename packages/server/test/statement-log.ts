import { appendFile } from 'node:fs/promises';
import type pg from 'pg';
import { expect } from 'vitest';

/** What one database of a test file ran. `statements` are PostgreSQL's ids of texts without their constants. */
export interface RanStatements {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly seconds: number;
  readonly statements: readonly string[];
}

/** Settings of a server that can tell which statements ran. */
export const STATEMENT_LOG_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '50000',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_utility': 'off',
};

/** Where to log: STATEMENTS_FILE, for the embedded server only, whose settings are ours. */
export const statementLogPath = (): string | undefined =>
  process.env['DATABASE_URL'] ? undefined : process.env['STATEMENTS_FILE'];

/**
 * Appends to STATEMENTS_FILE what the service ran in this database, if that is set: tools/suite/cover.ts chooses from it
 * the test files that together run every statement. Only the roles of the service count: a test's own queries say
 * nothing about the product.
 */
export async function logStatements(admin: pg.Client, database: string, since: number): Promise<void> {
  const path = statementLogPath();
  if (!path) return;
  const { rows } = await admin.query<{ id: string }>(
    `select distinct s.queryid::text as id
     from pg_stat_statements s
     join pg_database d on d.oid = s.dbid
     join pg_roles r on r.oid = s.userid
     where d.datname = $1 and r.rolname in ('aliquot_tenant', 'aliquot_system')`,
    [database],
  );
  const entry: RanStatements = {
    file: String(expect.getState().testPath),
    seconds: (performance.now() - since) / 1000,
    statements: rows.map(({ id }) => id),
  };
  await appendFile(path, `${JSON.stringify(entry)}\n`);
}
