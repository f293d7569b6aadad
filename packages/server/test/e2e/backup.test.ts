import { access, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
