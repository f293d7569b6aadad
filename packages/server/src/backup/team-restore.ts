import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { FileNotFoundError } from '../adapters/file-storage/port.ts';
import type { App } from '../app.ts';
import { SECOND } from '../platform/clock.ts';
import { errorCode } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import type { BackupHeader } from './header.ts';
import { parseEntryName, readEntries, type BackupSource } from './inspect.ts';
import { RestoredFiles } from './restored-files.ts';
import { setTextFormat } from './row-digest.ts';
import { applyTeam, type AppliedTeam } from './team-apply.ts';
import type { TeamReplacement } from './team-change.ts';
import { TeamBusyError, type ReplaceWish } from './team-checks.ts';
import { listHeldOrders, releaseHeld, type WorkCount } from './team-holds.ts';
import { openUnwrapper } from './team-keys.ts';
import { raiseSequences } from './team-sequences.ts';
import { stageTeam, type StagedTeam } from './team-stage.ts';
import { requireBackupRole } from './tables.ts';

interface TeamRestoreRequest extends ReplaceWish {
  readonly source: BackupSource;
  readonly teamId: string;
  /** Does the same, and then undoes it: nothing is changed. */
  readonly dryRun: boolean;
  /** How long it waits for transactions that use the tables of the team. */
  readonly lockTimeoutMs?: number;
}

export interface RestoredTeam extends AppliedTeam {
  readonly header: BackupHeader;
  readonly files: number;
}

const LOCK_TIMEOUT_MS = 10 * SECOND;
const ATTEMPTS_MAX = 5;
const DEADLOCK = '40P01';
const LOCK_TIMEOUT = '55P03';
const TAKEN = '23505';

/**
 * Restores one team from a backup of the house, into the running house. Rows of other teams are not touched. What would
 * be sent is held until `releaseTeam`. Everything in one transaction, or nothing.
 */
export async function restoreTeam(
  app: App,
  ownerPool: pg.Pool,
  request: TeamRestoreRequest,
): Promise<RestoredTeam> {
  const client = await ownerPool.connect();
  try {
    await requireBackupRole(client, 'restore');
    await client.query('begin');
    await setTextFormat(client);
    const staged = await stageTeam(app, client, request);
    await client.query('commit');
    const unwrap = openUnwrapper(app.keyring.providers);
    const { teamId, lockTimeoutMs = LOCK_TIMEOUT_MS } = request;
    const change = { client, teamId, staged, now: app.clock.now(), unwrap, lockTimeoutMs };
    // Files are written before the rows that name them, and only if nothing refuses the restore.
    const files = staged.files.length;
    if (files > 0 || request.dryRun) {
      const planned = await attempt(change, { ...request, dryRun: true });
      if (request.dryRun) return { ...planned, header: staged.header, files };
      await writeFiles(app, staged, request.source);
    }
    const applied = await attempt(change, request);
    for (const environment of ENVIRONMENTS) app.keyring.invalidate({ teamId: request.teamId, environment });
    app.notifier.notify('timers');
    return { ...applied, header: staged.header, files };
  } finally {
    client.release(true);
  }
}

/** Tries again while jobs of the team run, and after a deadlock. */
async function attempt(change: TeamReplacement, request: TeamRestoreRequest): Promise<AppliedTeam> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await applyOnce(change, request);
    } catch (error) {
      await change.client.query('rollback');
      const isBusy = error instanceof TeamBusyError || errorCode(error) === DEADLOCK;
      if (!isBusy || tried === ATTEMPTS_MAX) throw explain(error);
      await sleep(SECOND);
    }
  }
}

async function applyOnce(change: TeamReplacement, request: TeamRestoreRequest): Promise<AppliedTeam> {
  const { client, staged } = change;
  await client.query('begin');
  await setTextFormat(client);
  const applied = await applyTeam(change, request);
  if (request.dryRun) {
    await client.query('rollback');
    return applied;
  }
  await raiseSequences(client, staged);
  await writeAuditEntry(change, applied, {
    action: 'team.restored',
    after: {
      backup_made_at: staged.manifest.madeAt,
      rows_deleted: applied.tables.reduce((sum, { deleted }) => sum + deleted, 0),
      rows_written: applied.tables.reduce((sum, { written }) => sum + written, 0),
    },
  });
  await client.query('commit');
  return applied;
}

function explain(error: unknown): unknown {
  const code = errorCode(error);
  if (code === LOCK_TIMEOUT || code === DEADLOCK)
    return new Error('Other transactions keep the tables of the team: try again, or stop the workers first', {
      cause: error,
    });
  if (code !== TAKEN || !(error instanceof Error)) return error;
  const { table, constraint, detail } = error as Error & Record<'table' | 'constraint' | 'detail', unknown>;
  return new Error(
    `table ${String(table)}: another row of the installation took what a row of the backup needs (${String(constraint)}: ${String(detail)})`,
    { cause: error },
  );
}

/** A file that is there stays: files never change, and it may be sealed with a newer key. */
async function writeFiles(app: App, staged: StagedTeam, source: BackupSource): Promise<void> {
  const missing = new Set<string>();
  for (const key of staged.files) if (!(await isStored(app, key))) missing.add(key);
  if (missing.size === 0) return;
  const files = new RestoredFiles(app.fileStorage);
  try {
    await readEntries(source(), app.keyring.providers, async (name, bytes) => {
      const { kind, subject } = parseEntryName(name);
      if (kind === 'file' && missing.has(subject)) await files.gather(subject, bytes);
    });
    await files.close();
  } catch (error) {
    await files.abort(error);
    throw error;
  }
}

async function isStored(app: App, key: string): Promise<boolean> {
  try {
    for await (const some of app.fileStorage.get(key)) if (some.length > 0) break;
    return true;
  } catch (error) {
    if (error instanceof FileNotFoundError) return false;
    throw error;
  }
}

interface AuditedDeed {
  readonly action: string;
  readonly after: unknown;
}

/** A trigger adds the entry to the chain of the organization. */
const writeAuditEntry = async (
  { client, teamId, now }: Pick<TeamReplacement, 'client' | 'teamId' | 'now'>,
  { orgId }: { orgId: string },
  { action, after }: AuditedDeed,
): Promise<void> =>
  void (await client.query(
    `insert into public.audit_log (id, org_id, team_id, actor, action, subject, after, created_at)
     values ($1, $2, $3, 'operator', $4, $5, $6, $7)`,
    [newId(), orgId, teamId, action, teamId, JSON.stringify(after), now],
  ));

interface ReleaseRequest {
  readonly teamId: string;
  /** Empty: all kinds. */
  readonly kinds: readonly string[];
  /** Only tells what is held. */
  readonly dryRun: boolean;
}

interface ReleasedTeam {
  readonly released: readonly WorkCount[];
  readonly orders: readonly string[];
}

/** Lets go of what a restore held. It becomes due at its own time, or at once if that has passed. */
export async function releaseTeam(
  app: App,
  ownerPool: pg.Pool,
  { teamId, kinds, dryRun }: ReleaseRequest,
): Promise<ReleasedTeam> {
  const client = await ownerPool.connect();
  try {
    await client.query('begin');
    await setTextFormat(client);
    const { rows } = await client.query<{ org_id: string }>('select org_id from public.team where id = $1', [
      teamId,
    ]);
    if (!rows[0]) throw new Error(`There is no team ${teamId}`);
    const orders = await listHeldOrders(client, teamId);
    const released = await releaseHeld(client, teamId, kinds);
    const change = { client, teamId, now: app.clock.now() };
    if (!dryRun)
      await writeAuditEntry(
        change,
        { orgId: rows[0].org_id },
        { action: 'team.released', after: { released } },
      );
    await client.query(dryRun ? 'rollback' : 'commit');
    if (!dryRun) app.notifier.notify('timers');
    return { released, orders };
  } finally {
    client.release(true);
  }
}
