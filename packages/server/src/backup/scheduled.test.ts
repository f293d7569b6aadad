import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { address, order, patient } from '../../test/examples.ts';
import { givePassword, openBrowser } from '../../test/browser.ts';
import { joinOrganization } from '../../test/members.ts';
import { enrollTotpApp } from '../../test/totp-app.ts';
import { findLabTestId } from '../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import type { App } from '../app.ts';
import { sealAccessLog } from '../identity/access-log/access-log.ts';
import { keepFile } from '../lab-reports/files.ts';
import { DAY, HOUR, MINUTE } from '../platform/clock.ts';
import { openKeyring } from '../platform/crypto/keyring.ts';
import { openScratchDatabase } from '../scratch-database.ts';
import { runScheduledTasks } from './scheduled.ts';
import { findBackup, listBackups } from './stored-backups.ts';
import { verifyBackup } from './verify.ts';

let service: TestService;
let team: TestTeam;
let folder: string;
let memberId: string;
const PASSWORD = 'seven brown otters juggle';
let app: App;
const { signal } = new AbortController();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-scheduled-'));
  service = await openTestService({ BACKUP_FOLDER: folder, BACKUP_KEEP_COUNT: '2', BACKUP_KEEP_DAYS: '0' });
  team = await service.team();
  const userId = await team.user();
  await team.patch(`/v2/user/${userId}/info`, { ...patient, address });
  await team.post('/v3/order', order(userId, await findLabTestId(team, 'walk_in_test')));
  await keepFile(service.app, team.tenant, one(Buffer.from('a report')));
  memberId = await joinOrganization(service, team, { email: 'ada@clinic.example', role: 'no_role' });
  await givePassword(service, memberId, PASSWORD);
  const browser = openBrowser(service);
  await browser.post('/v1/session', { email: 'ada@clinic.example', password: PASSWORD });
  await enrollTotpApp(service, browser);
  await service.settle();
  // The loop of the service has no schedule: the tests run it themselves.
  app = { ...service.app, config: { ...service.app.config, BACKUP_SCHEDULE: '6h' } };
});
beforeEach(async () => {
  await service.ownerPool.query('delete from backup_task');
  await rm(join(folder, 'backups'), { recursive: true, force: true });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const openScratch = () =>
  openScratchDatabase({ ...app, providers: { provider: app.keyring.provider, additional: [] } });
const dependencies = () => ({ ownerPool: service.ownerPool, openScratch });
const run = (on: App = app) => runScheduledTasks(on, dependencies(), signal);
const names = async () => (await listBackups(app.backupStorage)).map(({ name }) => name);
const task = async (kind = 'backup') =>
  (await service.ownerPool.query('select * from backup_task where kind = $1', [kind])).rows[0];

describe('a scheduled backup', () => {
  it('is written when it is due, by one of several processes, and says which key opens it', async () => {
    await Promise.all([run(), run(), run()]);
    const [written, ...others] = await listBackups(app.backupStorage);
    expect(others).toEqual([]);
    expect(written?.header).toMatchObject({
      provider: 'environment',
      fingerprint: app.keyring.provider.fingerprint,
    });
    expect(await task()).toMatchObject({
      tries: 0,
      lease_id: null,
      working_on: null,
      succeeded_name: written?.name,
    });
    await run();
    expect(await names()).toHaveLength(1);
    service.clock.move(6 * HOUR);
    await run();
    expect(await names()).toHaveLength(2);
  });

  it('removes older ones only once it was written and read again', async () => {
    for (let n = 0; n < 3; n += 1) {
      await run();
      service.clock.move(6 * HOUR);
    }
    const kept = await names();
    expect(kept).toHaveLength(2);
    const get = async function* (key: string) {
      for await (const bytes of app.backupStorage.get(key)) {
        const changed = Buffer.from(bytes);
        changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
        yield changed;
      }
    };
    await run({ ...app, backupStorage: { ...app.backupStorage, get } });
    expect(await names()).toEqual(kept);
    expect(await task()).toMatchObject({
      lease_id: null,
      failure: expect.stringContaining('Cannot open the backup'),
    });
    service.clock.move(5 * MINUTE);
    await run();
    expect((await names()).at(-1)).toBe(kept[0]);
  });

  it('is never half-written: what a killed process left is removed by the one that takes over', async () => {
    let [started, kill] = [() => {}, () => {}];
    const isWriting = new Promise<void>((resolve) => (started = resolve));
    const killed = {
      ...app.backupStorage,
      // A process that is killed in the middle: it neither finishes nor cleans up.
      put: async (key: string, pieces: AsyncIterable<Buffer>) => {
        for await (const some of pieces) {
          await app.backupStorage.put('backups/folder', one(Buffer.alloc(0)));
          await writeFile(join(folder, `${key}.half`), some);
          started();
          await new Promise((_resolve, reject) => (kill = () => reject(new Error('killed'))));
        }
      },
    };
    const hanging = run({ ...app, backupStorage: killed });
    await isWriting;
    expect(await names()).toEqual([]);
    await run();
    expect(await names()).toEqual([]);
    const { working_on: left } = await task();
    expect(await readdir(join(folder, 'backups'))).toContain(`${left}.half`);
    service.clock.move(3 * MINUTE);
    await run();
    expect(await names()).toHaveLength(1);
    expect(await readdir(join(folder, 'backups'))).not.toContain(`${left}.half`);
    expect(await names()).not.toContain(left);
    // Nor does the other one change anything if it was only slow.
    const after = await task();
    kill();
    await hanging;
    expect([await task(), (await names()).length]).toEqual([after, 1]);
  });

  it('is given back at once by a process that stops', async () => {
    const stopping = new AbortController();
    stopping.abort(new Error('The process stops'));
    await runScheduledTasks(app, dependencies(), stopping.signal);
    expect(await names()).toEqual([]);
    expect(await task()).toMatchObject({ lease_id: null, tries: 0, failure: null });
    await run();
    expect(await names()).toHaveLength(1);
  });

  it('reports its last success and failure in the readiness probe', async () => {
    await run();
    const broken = { ...app.backupStorage, put: () => Promise.reject(new Error('the disk is full')) };
    service.clock.move(6 * HOUR);
    await run({ ...app, backupStorage: broken });
    const { describeBackupStatus } = await import('./scheduled.ts');
    expect(await describeBackupStatus(app)).toEqual({
      backup: {
        last_success_at: expect.any(String),
        last_failure_at: expect.any(String),
        next_at: expect.any(String),
        is_failing: true,
      },
    });
    expect(await describeBackupStatus(service.app)).toBeUndefined();
    expect((await task()).failure).toBe('the disk is full');
  });
});

describe('the verification of a backup', { timeout: 120_000 }, () => {
  const latest = async () => (await findBackup(app.backupStorage, 'latest')).source;
  const countOrgs = async () => (await service.ownerPool.query('select from organization')).rowCount;

  it('restores it into a temporary database, checks it by schedule, and cleans up', async () => {
    const before = await countOrgs();
    const checked = { ...app, config: { ...app.config, BACKUP_VERIFY: 'weekly' as const } };
    await run(checked);
    expect(await task('verify')).toMatchObject({ succeeded_at: null });
    service.clock.move(7 * DAY);
    await sealAccessLog(service.app);
    await run(checked);
    const { failure, succeeded_name: name } = await task('verify');
    expect([failure, name]).toEqual([null, (await names())[0]]);
    expect(await countOrgs()).toBe(before);
    expect(await readdir(app.config.DATA_DIR)).not.toContain('backup-verification');
  });

  it('finds a value that does not decrypt, and a changed audit log', async () => {
    const fallback =
      "update app_user set fallback_birth_date = '\\x01'::bytea || decode(repeat('ab', 60), 'hex')";
    await service.ownerPool.query(`${fallback} where team_id = $1`, [team.tenant.teamId]);
    await service.ownerPool.query(
      'update member_totp set secret = set_byte(secret, length(secret) - 1, get_byte(secret, length(secret) - 1) # 1)',
    );
    await service.ownerPool.query('alter table audit_log disable trigger all');
    await service.ownerPool.query("update audit_log set action = 'team.other' where action = 'team.create'");
    await service.ownerPool.query('alter table audit_log enable trigger all');
    await sealAccessLog(service.app);
    await run();
    const { problems, opened, rows } = await verifyBackup(openScratch, await latest());
    expect(problems.toSorted()).toEqual([
      `app_user.fallback_birth_date of team ${team.tenant.teamId}, sandbox cannot be decrypted`,
      expect.stringMatching(/^audit log of [0-9a-f-]{36}, line \d+: /),
      `member_totp.secret of member ${memberId} cannot be decrypted`,
    ]);
    expect(opened).toBeGreaterThan(3);
    expect(rows).toBeGreaterThan(100);
  });

  it('refuses a wrong key by naming the right one, and a damaged file', async () => {
    await run();
    const keyring = openKeyring(app.db, Buffer.alloc(32, 9).toString('base64'));
    const other = () =>
      openScratchDatabase({ ...app, providers: { provider: keyring.provider, additional: [] } });
    await expect(verifyBackup(other, await latest())).rejects.toThrow(
      `it needs the key ${app.keyring.provider.fingerprint} of the key provider environment (ENCRYPTION_KEY)`,
    );
    const path = join(folder, 'backups', (await names())[0] ?? '');
    const whole = await readFile(path);
    whole[whole.length >> 1] = (whole[whole.length >> 1] ?? 0) ^ 1;
    await writeFile(path, whole);
    await expect(verifyBackup(openScratch, await latest())).rejects.toThrow(/Cannot open the backup/);
    expect(
      await vi.waitUntil(async () => !(await readdir(app.config.DATA_DIR)).includes('backup-verification')),
    ).toBe(true);
  });
});
