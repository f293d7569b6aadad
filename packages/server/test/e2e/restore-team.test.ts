import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMachine, type TestMachine } from './process.ts';

let machine: TestMachine | undefined;
beforeAll(async () => {
  machine = await openMachine();
});
afterAll(() => machine?.close());

describe('the restore of one team by the command line', { timeout: 120_000 }, () => {
  it('goes by the running service, and leaves the audit log whole', async () => {
    if (!machine) throw new Error('There is no machine');
    const { run } = machine;
    const { url, credentials, child, ended } = await machine.serve();
    const headers = { 'x-service-api-key': credentials.team_api_key, 'content-type': 'application/json' };
    const create = async (name: string): Promise<string> => {
      const body = JSON.stringify({ client_user_id: name });
      const answer = await fetch(`${url}/v2/user`, { method: 'POST', headers, body });
      return (JSON.parse(await answer.text()) as { user_id: string }).user_id;
    };
    const statusOf = async (id: string) => (await fetch(`${url}/v2/user/${id}`, { headers })).status;
    const ada = await create('ada');
    const file = join(tmpdir(), `aliquot-team-${credentials.team_id}`);
    try {
      expect((await run(['backup', file]).ended).code).toBe(0);
      const later = await create('later');
      const restoring = ['backup', 'restore-team', file, '--team', credentials.team_id];
      expect(await run(restoring).ended).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/rows of the team: .*--replace/),
      });
      expect(await run([...restoring, '--replace', '--dry-run']).ended).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Nothing was changed (--dry-run).'),
      });
      expect(await statusOf(later)).toBe(200);
      expect(await run([...restoring, '--replace']).ended).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Restored team ${credentials.team_id}: `),
      });
      expect([await statusOf(ada), await statusOf(later)]).toEqual([200, 404]);
      const releasing = ['backup', 'release-team', credentials.team_id, '--only', 'mail.carry', '--dry-run'];
      expect(await run(releasing).ended).toMatchObject({ code: 0 });
      expect(await run(['audit', 'verify']).ended).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('whole'),
      });
    } finally {
      await rm(file, { force: true });
      child.kill('SIGTERM');
      await ended;
    }
  });
});
