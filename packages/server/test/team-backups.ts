import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { sealVerifier } from '../src/identity/access-log/access-log.ts';
import { verifyAuditLog } from '../src/identity/management/management.ts';
import { fileSource, restoreTeam, writeBackup, type RestoredTeam } from '../src/backup/backup.ts';
import { REPLACED_TABLES } from '../src/backup/team-rules.ts';
import { listSequences, listTables, qualifiedNameOf } from '../src/backup/tables.ts';
import { address, order, patient } from './examples.ts';
import { findLabTestId } from './orders.ts';
import type { TestService, TestTeam } from './service.ts';

interface FilledTeam {
  readonly team: TestTeam;
  readonly userId: string;
  readonly orderId: string;
}

const CAREFUL = { replace: false, dropLaterOrders: false, withoutRemovedMembers: false, dryRun: false };

/** Written in the background at any time, or about the house itself. */
const RESTLESS = /access_log|request_log|rate_bucket|webhook_lease|jobs|tasks|statistics_sweep/;

/** Backups of a test service, and what a test of the restore of one team compares. */
export function useTeamBackups(service: TestService) {
  let folder = '';
  let backups = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aliquot-team-backup-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const query = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await service.ownerPool.query<T>(text, values)).rows;

  const newOrder = async (team: TestTeam, userId: string): Promise<string> => {
    const testId = await findLabTestId(team, 'walk_in_test');
    return (await team.post('/v3/order', order(userId, testId))).json.order.id;
  };

  const backUpNow = async (): Promise<string> => {
    const path = join(folder, `${(backups += 1)}.backup`);
    await writeBackup(service.app, service.ownerPool, path);
    return path;
  };

  return {
    query,
    newOrder,
    backUpNow,
    /** Writes a backup when the service is idle; returns its path. */
    async backUp(): Promise<string> {
      await service.settle();
      return backUpNow();
    },
    /** The event log after a position. */
    async log({ management, orgId, tenant }: TestTeam, after = 0) {
      const path = `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}/event?limit=500&after=${after}`;
      const { status, text, json } = await management.get(path);
      if (status !== 200) throw new Error(`No events: ${text}`);
      const positions: number[] = json.data.map(({ position }: { position: number }) => position);
      return { positions, latest: Number(json.latest) };
    },
    restore: (
      path: string,
      team: TestTeam,
      wish: Partial<typeof CAREFUL & { lockTimeoutMs: number }> = {},
    ): Promise<RestoredTeam> =>
      restoreTeam(service.app, service.ownerPool, {
        source: fileSource(path),
        teamId: team.tenant.teamId,
        ...CAREFUL,
        ...wish,
      }),
    /** A team with a patient and an order with a result. */
    async filledTeam(): Promise<FilledTeam> {
      const team = await service.team();
      const userId = await team.user();
      await team.patch(`/v2/user/${userId}/info`, { ...patient, address });
      const orderId = await newOrder(team, userId);
      await team.post(`/v3/order/${orderId}/test?final_status=completed.walk_in_test.completed`);
      await service.settle();
      return { team, userId, orderId };
    },
    othersThan: (team: TestTeam) => othersThan(service, team),
    rowsOf: (team: TestTeam) => rowsOf(service, team),
    loseTeam: (team: TestTeam, more: readonly string[] = []) => loseTeam(service, team, more),
    async auditFaults({ orgId }: TestTeam): Promise<unknown[]> {
      const faults: unknown[] = [];
      for await (const { orgId: id, broken } of verifyAuditLog(service.app, [], sealVerifier))
        if (id === orgId && broken) faults.push(broken);
      return faults;
    },
  };
}

/** What the house holds besides a team and its organization, and where its sequences are. */
async function othersThan(
  service: TestService,
  { tenant: { teamId }, orgId }: TestTeam,
): Promise<Record<string, unknown>> {
  const client = await service.ownerPool.connect();
  try {
    const all: Record<string, unknown> = {};
    for (const table of (await listTables(client)).filter(({ name }) => !RESTLESS.test(name))) {
      const column =
        table.name === 'team' ? 'id' : ['team_id', 'org_id'].find((name) => table.columns.includes(name));
      const others = column && `${column} is distinct from '${column === 'org_id' ? orgId : teamId}'`;
      const { rows } = await client.query(
        `select count(*)::int as n, md5(string_agg(r, E'\\n' order by r)) as digest
         from (select (to_jsonb(t) - 'last_used_at')::text as r from ${qualifiedNameOf(table)} t
           where ${others ?? 'true'}) t`,
      );
      all[qualifiedNameOf(table)] = rows[0];
    }
    for (const { schema, name, ...state } of await listSequences(client))
      if (!RESTLESS.test(name)) all[`${schema}.${name}`] = state;
    return all;
  } finally {
    client.release();
  }
}

/** The team's rows of every replaced table but timers and the webhook queue, which a restore changes. */
async function rowsOf(
  service: TestService,
  { tenant: { teamId } }: TestTeam,
): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const table of REPLACED_TABLES.filter((name) => !/^timer$|^webhook_/.test(name))) {
    const { rows } = await service.ownerPool.query(
      `select count(*)::int as n, md5(string_agg(t::text, E'\\n' order by t::text)) as digest
       from ${table} t where team_id = $1`,
      [teamId],
    );
    all[table] = rows[0];
  }
  return all;
}

/** Loses everything of a team, as a mistake in the database would. */
async function loseTeam(
  service: TestService,
  { tenant: { teamId } }: TestTeam,
  more: readonly string[],
): Promise<void> {
  const client = await service.ownerPool.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    for (const table of [...REPLACED_TABLES, ...more])
      await client.query(`delete from ${table} where team_id = $1`, [teamId]);
    await client.query('commit');
  } finally {
    client.release();
  }
}
