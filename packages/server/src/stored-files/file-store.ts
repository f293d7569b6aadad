import { sql } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { toTenant, type TenantColumns } from '../platform/db/tenant-rows.ts';

/** A file that has no owner. */
export interface OrphanedFile {
  readonly tenant: Tenant;
  readonly id: string;
}

/** The rows of a module's files. A row is inserted before its file and deleted after it, so every file has a row. */
export interface FileStore {
  insertFile(work: Work, id: string, madeAt: Date): Promise<void>;
  /** Of these files, locks and returns those without an owner; waits for transactions that assign one. */
  lockOrphans(work: Work, ids: readonly string[]): Promise<string[]>;
  /** The files of all tenants without an owner, created at or before a time; oldest first. */
  listOrphans(tx: Tx, before: Date, limit: number): Promise<OrphanedFile[]>;
  deleteFile(tx: Tx, file: OrphanedFile): Promise<void>;
}

interface OrphanedFileRow extends TenantColumns {
  readonly id: string;
}

/**
 * A store for the files of a module, in the module's own table. `owner` is the column with the owner of a file, null
 * while it has none. `made_at` is system time.
 */
export function openFileStore(name: keyof Database & string, owner: string): FileStore {
  const table = sql.table(name);
  const isNobodys = sql`${sql.ref(owner)} is null`;
  return {
    insertFile: async ({ tx, tenant }, id, madeAt) => {
      await sql`insert into ${table} (team_id, environment, id, made_at)
        values (${tenant.teamId}, ${tenant.environment}, ${id}, ${madeAt})`.execute(tx);
    },
    lockOrphans: async ({ tx, tenant }, ids) => {
      if (ids.length === 0) return [];
      const { rows } = await sql<{ id: string }>`
        select id from ${table}
        where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = any(${ids}::uuid[])
          and ${isNobodys}
        for update`.execute(tx);
      return rows.map(({ id }) => id);
    },
    listOrphans: async (tx, before, most) => {
      const { rows } = await sql<OrphanedFileRow>`
        select team_id, environment, id from ${table}
        where ${isNobodys} and made_at <= ${before} order by made_at limit ${most}`.execute(tx);
      return rows.map((row) => ({ tenant: toTenant(row), id: row.id }));
    },
    deleteFile: async (tx, { tenant, id }) => {
      await sql`delete from ${table}
        where team_id = ${tenant.teamId} and environment = ${tenant.environment} and id = ${id}
          and ${isNobodys}`.execute(tx);
    },
  };
}
