import { sql } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';

/** A file that belongs to nothing. */
export interface StrayFile {
  readonly tenant: Tenant;
  readonly id: string;
}

/** The rows of a slice's files: each comes before its file and goes after it, so that no file is without one. */
export interface FileStore {
  insertFile(work: Work, id: string, madeAt: Date): Promise<void>;
  /** Of these files, those that belong to nothing; waits for who is giving them to something. */
  listNobodys(work: Work, ids: readonly string[]): Promise<string[]>;
  /** Files of all tenants that belong to nothing, made before a moment; oldest first. */
  listStrays(tx: Tx, before: Date, limit: number): Promise<StrayFile[]>;
  deleteFile(tx: Tx, file: StrayFile): Promise<void>;
}

interface StrayRow {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
}

/**
 * The rows of a slice's files in a table of its own. `owner` is the column that says what a file belongs to, null as long
 * as it is nothing; `made_at` is the system's moment.
 */
export function openFileRows(name: keyof Database & string, owner: string): FileStore {
  const table = sql.table(name);
  const isNobodys = sql`${sql.ref(owner)} is null`;
  return {
    insertFile: async ({ tx, tenant }, id, madeAt) => {
      await sql`insert into ${table} (team_id, environment, id, made_at)
        values (${tenant.teamId}, ${tenant.environment}, ${id}, ${madeAt})`.execute(tx);
    },
    listNobodys: async ({ tx, tenant }, ids) => {
      if (ids.length === 0) return [];
      const { rows } = await sql<{ id: string }>`
        select id from ${table}
        where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = any(${ids}::uuid[])
          and ${isNobodys}
        for update`.execute(tx);
      return rows.map(({ id }) => id);
    },
    listStrays: async (tx, before, most) => {
      const { rows } = await sql<StrayRow>`
        select team_id, environment, id from ${table}
        where ${isNobodys} and made_at <= ${before} order by made_at limit ${most}`.execute(tx);
      return rows.map(({ team_id: teamId, environment: named, id }) => {
        const environment = ENVIRONMENTS.find((one) => one === named) ?? 'sandbox';
        return { tenant: { teamId, environment }, id };
      });
    },
    deleteFile: async (tx, { tenant, id }) => {
      await sql`delete from ${table}
        where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = ${id}
          and ${isNobodys}`.execute(tx);
    },
  };
}
