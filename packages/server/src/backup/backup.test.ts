import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { QUEUE_TASKS } from '../../test/queue-tables.ts';
import { address, order, patient } from '../../test/examples.ts';
import { findLabTestId } from '../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import { advanceRotations, KEY_PROPAGATION_MS } from '../data-keys/rotate.ts';
import { fetchFile, keepFile } from '../lab-reports/files.ts';
import { openKeyring } from '../platform/crypto/keyring.ts';
import { sealAccessLog } from '../identity/access-log/access-log.ts';
import { fileSource, restoreBackup, writeBackup, type BackupSummary } from './backup.ts';
import { listSequences, listTables, qualifiedNameOf } from './tables.ts';

let service: TestService;
let team: TestTeam;
let folder: string;
let path: string;
let written: BackupSummary;
/** What the house held when the backup was written. */
let held: Record<string, unknown>;
let reads: string[];
let file: string;
const bytes = Buffer.from('a report '.repeat(600_000));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-backup-'));
  path = join(folder, 'today.backup');
  service = await openTestService();
  team = await service.team();
  await team.endpoint();
  const userId = await team.user();
  await team.patch(`/v2/user/${userId}/info`, { ...patient, last_name: 'O’Hara\\n\t"x"', address });
  const testId = await findLabTestId(team, 'walk_in_test');
  const { id } = (await team.post('/v3/order', order(userId, testId))).json.order;
  await team.post(`/v3/order/${id}/test?final_status=completed.walk_in_test.completed`);
  file = await keepFile(service.app, team.tenant, one(bytes));
  await service.settle();
  reads = [
    `/v2/user/${userId}`,
    `/v2/user/${userId}/info/latest`,
    `/v3/order/${id}`,
    `/v3/order/${id}/result`,
  ];
  // What was sent last, its sender lets go of at its next look.
  await vi.waitUntil(async () => (await service.ownerPool.query(HELD)).rowCount === 0, 50_000);
  // Requests are logged a second later, in their order. This one is not in the access log.
  await team.get('/v1/overview', { 'x-request-id': LAST_REQUEST });
  const logged = `select from request_log where request_id = '${LAST_REQUEST}'`;
  await vi.waitUntil(async () => (await service.ownerPool.query(logged)).rowCount === 1, 50_000);
  // A service that begins seals what is not sealed, also what was just restored.
  await sealAccessLog(service.app);
  // A worker may note something of itself meanwhile: then what is held is not what was written.
  for (let before; before === undefined || !isDeepStrictEqual(before, held);) {
    before = await contents(service);
    await rm(path, { force: true });
    written = await writeBackup(service.app, service.ownerPool, path);
    held = await contents(service);
  }
});
const LAST_REQUEST = 'last-of-all';
const HELD = "select from webhook_lease where messages <> '{}'";
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function* one(all: Buffer): AsyncGenerator<Buffer> {
  yield all;
}

/** What every table and sequence holds, so that two databases can be compared. */
async function contents(of: TestService): Promise<Record<string, unknown>> {
  const client = await of.ownerPool.connect();
  try {
    const all: Record<string, unknown> = {};
    for (const table of await listTables(client)) {
      const { rows } = await client.query(
        `select count(*)::int as n, md5(string_agg(t::text, E'\\n' order by t::text)) as digest from ${qualifiedNameOf(table)} t`,
      );
      all[qualifiedNameOf(table)] = rows[0];
    }
    for (const { schema, name, ...state } of await listSequences(client)) all[`${schema}.${name}`] = state;
    return all;
  } finally {
    client.release();
  }
}

/** The reads of the test before are written down a second later. */
const contentsButReads = async (of: TestService) =>
  Object.fromEntries(
    Object.entries(await contents(of)).filter(([name]) => !/(access|request)_log/.test(name)),
  );

/**
 * The tables and sequences of which another house holds something else. A failure names them. A house sweeps, once a
 * day, the tenants that it has: those that it restores before its first look, too.
 */
async function differences(of: TestService): Promise<unknown[]> {
  const there = await contents(of);
  const names = new Set([...Object.keys(there), ...Object.keys(held)]);
  names.delete('"public"."retention_sweep"');
  return [...names]
    .map((name) => ({ name, there: there[name], held: held[name] }))
    .filter((one) => !isDeepStrictEqual(one.there, one.held));
}

const HAS_LOCKED =
  "select from pg_locks where relation = 'organization'::regclass and mode = 'AccessExclusiveLock' and granted";
const TASKS = `select from ${QUEUE_TASKS} limit 1`;

async function inNewHouse<T>(play: (other: TestService) => Promise<T>): Promise<T> {
  const other = await openTestService();
  try {
    // What its workers write down of themselves they write when they first look for a job.
    await vi.waitUntil(async () => (await other.ownerPool.query(TASKS)).rowCount !== 0, 50_000);
    return await play(other);
  } finally {
    await other.close();
  }
}

describe('a backup', () => {
  it('restores every row, every sequence and every file', () =>
    inNewHouse(async (other) => {
      const restored = await restoreBackup(other.app, other.ownerPool, { source: fileSource(path) });
      expect(restored).toMatchObject({ rows: written.rows, files: 1 });
      expect(written.rows).toBeGreaterThan(100);
      expect(await differences(other)).toEqual([]);

      const client = other.client({ 'x-service-api-key': team.key });
      for (const read of reads) expect((await client.get(read)).text).toBe((await team.get(read)).text);
      expect((await fetchFile(other.app, team.tenant, file)).equals(bytes)).toBe(true);
      // It goes on from there.
      expect((await client.post('/v2/user', { client_user_id: 'after' })).status).toBe(200);
    }));

  it('is restored while a running service takes conflicting locks', () =>
    inNewHouse(async (other) => {
      const reader = await other.ownerPool.connect();
      try {
        // So that the restore is the one that PostgreSQL ends.
        await reader.query("set deadlock_timeout = '1h'");
        await reader.query('begin');
        await reader.query('select from app_user limit 1');
        const restored = restoreBackup(other.app, other.ownerPool, { source: fileSource(path) });
        await vi.waitUntil(async () => (await other.ownerPool.query(HAS_LOCKED)).rowCount !== 0, 50_000);
        // Waits for the restore, which waits for it.
        await reader.query('select from organization limit 1');
        await reader.query('commit');
        expect(await restored).toMatchObject({ rows: written.rows });
      } finally {
        reader.release(true);
      }
    }));

  it('restores files that are sealed with a data key created while they are copied', async () => {
    const other = await service.team();
    const report = await keepFile(service.app, other.tenant, one(Buffer.from('a report')));
    let exchanging: Promise<void> | undefined;
    const get = async function* (key: string) {
      await (exchanging ??= exchangeKey(other));
      yield* service.app.fileStorage.get(key);
    };
    const slow = { ...service.app, fileStorage: { ...service.app.fileStorage, get } };
    await writeBackup(slow, service.ownerPool, join(folder, 'exchanged'));
    await inNewHouse(async (restored) => {
      await restoreBackup(restored.app, restored.ownerPool, {
        source: fileSource(join(folder, 'exchanged')),
      });
      expect(String(await fetchFile(restored.app, other.tenant, report))).toBe('a report');
      const { rows } = await restored.ownerPool.query(
        'select generation, state from tenant_key where team_id = $1 and environment = $2 order by generation',
        [other.tenant.teamId, other.tenant.environment],
      );
      expect(rows).toEqual([
        { generation: 1, state: 'current' },
        { generation: 2, state: 'retired' },
      ]);
    });
  });

  it('reveals nothing without the key', async () => {
    const sealed = (await readFile(path)).toString('latin1');
    for (const word of ['Lovelace', 'organization', 'ustar', team.tenant.teamId])
      expect(sealed).not.toContain(word);
    expect(sealed.length).toBe(written.bytes);
  });

  it('overwrites no file, and leaves no incomplete file behind', async () => {
    await writeFile(join(folder, 'taken.part'), 'mine');
    await expect(writeBackup(service.app, service.ownerPool, join(folder, 'taken'))).rejects.toThrow(
      /EEXIST/,
    );
    await writeFile(join(folder, 'older'), 'a backup of before');
    await expect(writeBackup(service.app, service.ownerPool, join(folder, 'older'))).rejects.toThrow(
      /older already exists: choose a new file for the backup/,
    );
    expect(await readFile(join(folder, 'older'), 'utf8')).toBe('a backup of before');
    expect(await readdir(folder)).not.toContain('older.part');
    const away = { ...service.app, fileStorage: { ...service.app.fileStorage, get: () => gone() } };
    await expect(writeBackup(away, service.ownerPool, join(folder, 'half'))).rejects.toThrow('gone');
    expect(await readdir(folder)).not.toContain('half');
    expect(await readdir(folder)).not.toContain('half.part');
  });
});

// eslint-disable-next-line require-yield
async function* gone(): AsyncGenerator<Buffer> {
  throw new Error('gone');
}

/** Gives a team a new data key, and seals with it all that the team has. */
async function exchangeKey({ management, orgId, tenant }: TestTeam): Promise<void> {
  const keyPath = `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}/data_key`;
  expect((await management.post(`${keyPath}/rotate`)).status).toBe(200);
  const isThere = async (rounds: number) => {
    await advanceRotations(service.app);
    const { state, round } = (await management.get(keyPath)).json.rotation;
    return state === 'done' || (rounds > 0 && round >= rounds);
  };
  // The first round, and one that finds nothing any more.
  for (const rounds of [1, 0]) {
    service.clock.move(KEY_PROPAGATION_MS);
    await vi.waitUntil(() => isThere(rounds), { timeout: 50_000, interval: 1 });
  }
}

/** The end of the first sealed chunk, which follows the header. */
function firstChunkEnd(whole: Buffer): number {
  const [lengthAt, textAt] = [17, 21];
  const chunkAt = textAt + whole.readUInt32BE(lengthAt);
  return chunkAt + 4 + whole.readUInt32BE(chunkAt);
}

describe('a restore is refused, and changes nothing,', () => {
  it('into a database that is in use', async () => {
    const before = await contentsButReads(service);
    await expect(restoreBackup(service.app, service.ownerPool, { source: fileSource(path) })).rejects.toThrow(
      'not empty',
    );
    expect(await contentsButReads(service)).toEqual(before);
  });

  // prettier-ignore
  it.each<[string, (whole: Buffer) => Buffer, RegExp]>([
    ['that was cut off',         (whole) => whole.subarray(0, whole.length - 10),                 /Cannot open|truncated/],
    ['that was cut off between', (whole) => whole.subarray(0, firstChunkEnd(whole)),               /Cannot open|truncated/],
    ['of which a bit changed',   (whole) => Buffer.concat([whole.subarray(0, -1), Buffer.of((whole.at(-1) ?? 0) ^ 1)]), /Cannot open/],
    ['with a changed header',    (whole) => Buffer.from(whole.toString('latin1').replace('"location":"E', '"location":"e'), 'latin1'), /Cannot open/],
    ['that is something else',   () => Buffer.from('%PDF-1.7 and so on, long enough to look at'), /Cannot open/],
    ['that is empty',            () => Buffer.alloc(0),                                           /Cannot open|truncated/],
  ])('from a file %s', async (what, change, told) =>
    inNewHouse(async (other) => {
      const before = await contents(other);
      const broken = join(folder, what.replaceAll(' ', '-'));
      await writeFile(broken, change(await readFile(path)));
      await expect(restoreBackup(other.app, other.ownerPool, { source: fileSource(broken) })).rejects.toThrow(told);
      expect(await contents(other)).toEqual(before);
      const files = await readdir(other.app.config.DATA_DIR, { recursive: true });
      expect(files.filter((name) => name.endsWith('.half'))).toEqual([]);
    }));

  it('with another ENCRYPTION_KEY', () =>
    inNewHouse(async (other) => {
      const keyring = openKeyring(other.app.db, Buffer.alloc(32, 9).toString('base64'));
      await expect(
        restoreBackup({ ...other.app, keyring }, other.ownerPool, { source: fileSource(path) }),
      ).rejects.toThrow('Cannot open');
    }));

  it('by another version', () =>
    inNewHouse(async (other) => {
      await other.ownerPool.query("delete from kysely_migration where name like '0001%'");
      await expect(restoreBackup(other.app, other.ownerPool, { source: fileSource(path) })).rejects.toThrow(
        /another version.*0001_platform/,
      );
    }));
});
