import { access, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openS3StandIn, type S3StandIn } from '../s3.ts';
import { openMachine, type TestMachine } from './process.ts';

let [before, after]: TestMachine[] = [];
beforeAll(async () => {
  [before, after] = await Promise.all([openMachine(), openMachine()]);
});
afterAll(() => Promise.all([before?.close(), after?.close()]));

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('a backup of a service without ENCRYPTION_KEY', { timeout: 120_000 }, () => {
  it('names its key file, and can be restored with that key only', async () => {
    if (!before || !after) throw new Error('There are no machines');
    const { url, credentials, child, ended } = await before.serve();
    const headers = { 'x-service-api-key': credentials.team_api_key, 'content-type': 'application/json' };
    const body = JSON.stringify({ client_user_id: 'ada' });
    expect((await fetch(`${url}/v2/user`, { method: 'POST', headers, body })).status).toBe(200);
    child.kill('SIGTERM');
    await ended;

    const file = join(tmpdir(), `aliquot-backup-${credentials.team_id}`);
    const key = join(before.folder, 'encryption.key');
    try {
      const written = await before.run(['backup', file]).ended;
      expect(written).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`only with the key in ${key}:`),
      });

      const refused = await after.run(['restore', file]).ended;
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('set that') });
      expect(await exists(join(after.folder, 'encryption.key'))).toBe(false);

      const ENCRYPTION_KEY = (await readFile(key, 'utf8')).trim();
      const restored = await after.run(['restore', file], { ENCRYPTION_KEY }).ended;
      expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('the same ENCRYPTION_KEY') });
    } finally {
      await rm(file, { force: true });
    }
  });
});

describe('scheduled backups in a bucket', { timeout: 180_000 }, () => {
  let s3: S3StandIn;
  beforeAll(async () => {
    s3 = await openS3StandIn();
  });
  afterAll(() => s3.close());
  const settings = () => ({
    BACKUP_SCHEDULE: '1h',
    S3_BUCKET: 'clinic',
    S3_ENDPOINT: s3.url,
    S3_ACCESS_KEY_ID: 'AKID',
    S3_SECRET_ACCESS_KEY: 'secret',
  });
  const stored = () => [...s3.objects.keys()].filter((path) => path.startsWith('/clinic/backups/'));

  it('are listed by what is complete, verified beside the service, and restored on another machine', async () => {
    const [one, other] = await Promise.all([openMachine(), openMachine()]);
    try {
      // A process that is killed while it writes leaves nothing that is taken for a backup.
      const isWriting = s3.hangNext(/^(PUT|POST) \/clinic\/backups\//);
      const killed = await one.serve(settings());
      await isWriting;
      killed.child.kill('SIGKILL');
      await killed.ended;
      const listed = () => one.run(['backup', 'list'], settings()).ended;
      expect(await listed()).toMatchObject({ code: 0, stdout: 'There is no scheduled backup.\n' });

      // The lease of the killed process lasts two minutes; a second database has none.
      const writing = await other.serve(settings());
      await vi.waitUntil(() => stored().length === 1, { timeout: 60_000 });
      const name = stored()[0]?.split('/').at(-1) ?? '';
      const key = (await readFile(join(other.folder, 'encryption.key'), 'utf8')).trim();
      expect((await listed()).stdout).toMatch(new RegExp(`^${name} +\\d+ +file +\\w+ +`, 'm'));

      const verify = (machine: TestMachine) => machine.run(['backup', 'verify'], settings()).ended;
      expect(await verify(other)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(new RegExp(`^${name}: [1-9]\\d* rows of \\d+ tables and \\d+ files`)),
      });
      writing.child.kill('SIGTERM');
      await writing.ended;

      const machine = await openMachine();
      try {
        const restored = machine.run(['restore', '--scheduled', 'latest'], {
          ...settings(),
          ENCRYPTION_KEY: key,
        });
        expect(await restored.ended).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^[1-9]\d* rows and \d+ files, as of /),
        });
      } finally {
        await machine.close();
      }

      const [path = ''] = stored();
      const whole = Buffer.from(s3.objects.get(path) ?? '');
      whole[whole.length >> 1] = (whole[whole.length >> 1] ?? 0) ^ 1;
      s3.objects.set(path, whole);
      expect(await verify(other)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Cannot open the backup'),
      });
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
});
