import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMachine, type TestMachine, type ServingProcess } from './process.ts';

let machine: TestMachine;
beforeAll(async () => {
  machine = await openMachine();
});
afterAll(() => machine.close());

const get = (url: string, key?: string) =>
  fetch(url, key === undefined ? {} : { headers: { 'x-service-api-key': key } });

async function createUser({ url, credentials }: ServingProcess, name: string): Promise<Response> {
  return fetch(`${url}/v2/user`, {
    method: 'POST',
    headers: { 'x-service-api-key': credentials.team_api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ client_user_id: name }),
  });
}

async function userNames({ url, credentials }: ServingProcess): Promise<string[]> {
  const answer = await get(`${url}/v2/user`, credentials.team_api_key);
  const { users } = (await answer.json()) as { users: { client_user_id: string }[] };
  return users.map(({ client_user_id: name }) => name);
}

/** Sends the request header, and the body only when `finish` is called; returns the response. */
function slowRequest({ url, credentials }: ServingProcess, body: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const begun = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.startsWith('HTTP/1.1 100')) resolve();
    });
  });
  const answered = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  socket.write(
    `POST /v2/user HTTP/1.1\r\nhost: ${hostname}\r\nx-service-api-key: ${credentials.team_api_key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  return {
    begun,
    finish: () => {
      socket.write(body);
      return answered;
    },
  };
}

/** Every start is a separate process with its own database, and the machine may be busy. */
const PATIENCE = { timeout: 60_000 };

describe('the process', PATIENCE, () => {
  // The first start builds the bundle, as npm start does, and seeds a new database.
  const TWICE = { timeout: 2 * PATIENCE.timeout };

  it('starts in a new folder, keeps its data, and stops on SIGTERM', TWICE, async () => {
    // A machine without any previous start.
    const fresh = await openMachine();
    try {
      const first = await fresh.waitUntilServing(fresh.npmStart());
      expect((await get(`${first.url}/healthz`)).status).toBe(200);
      expect((await get(`${first.url}/readyz`)).status).toBe(200);
      const document = (await (await get(`${first.url}/openapi.json`)).json()) as Record<string, object>;
      expect(document).toMatchObject({ openapi: '3.1.0' });
      expect(Object.keys(document['paths'] ?? {})).toContain('/v3/order/testkit/register');
      expect((await get(`${first.url}/v2/user`)).status).toBe(401);

      const file = join(fresh.folder, 'credentials.json');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const { stdout } = first.output();
      // No warnings on a clean start.
      expect(stdout).not.toContain('"level":"warn"');
      // The output of a process is collected and kept: it says where the keys are, and not what they are.
      expect(stdout).toContain(file);
      for (const key of [first.credentials.team_api_key, first.credentials.management_key])
        expect(stdout).not.toContain(key);
      expect((await createUser(first, 'before')).status).toBe(200);

      const slow = slowRequest(first, JSON.stringify({ client_user_id: 'under way' }));
      await slow.begun;
      first.child.kill('SIGTERM');
      await first.waitForOutput(/"msg":"shutting down"/);
      expect(await slow.finish()).toContain('HTTP/1.1 200');
      // If it waited for our keep-alive connections, it would time out and exit with 1.
      expect(await first.ended).toMatchObject({ code: 0, signal: null });

      const kept = await readFile(file, 'utf8');
      const second = await fresh.serve();
      expect(await readFile(file, 'utf8')).toBe(kept);
      expect(second.output().stdout).not.toContain(first.credentials.team_api_key);
      expect(await userNames(second)).toEqual(['before', 'under way']);
      second.child.kill('SIGINT');
      expect((await second.ended).code).toBe(0);
    } finally {
      await fresh.close();
    }
  });

  it('keeps its data when it is killed', async () => {
    const killed = await machine.serve();
    expect((await createUser(killed, 'before the kill')).status).toBe(200);
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
    const next = await machine.serve();
    expect(await userNames(next)).toEqual(['before the kill']);
    next.child.kill('SIGINT');
    expect((await next.ended).code).toBe(0);
  });

  it.each([['PORT'], ['LAB_MLLP_PORT']])(
    'reports that a port is in use and ends, leaving no process running: %s',
    async (name) => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo;
      const { code, stderr } = await machine.run(['serve'], { PORT: '0', [name]: String(port) }).ended;
      holder.close();
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`address already in use.*:${port}`));
    },
  );

  it('says where the keys are on a first start whose port is in use, and on no later start', async () => {
    const fresh = await openMachine();
    try {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo;
      const { code, stdout } = await fresh.run(['serve'], { PORT: String(port) }).ended;
      holder.close();
      const second = await fresh.serve();
      expect(code).toBe(1);
      const file = join(fresh.folder, 'credentials.json');
      expect(stdout).toContain(file);
      expect(stdout).not.toContain(second.credentials.team_api_key);
      expect(second.output().stdout).not.toContain(file);
    } finally {
      await fresh.close();
    }
  });

  it.each([
    ['LOINC_CSV', '/nowhere/Loinc.csv', /LOINC_CSV: \/nowhere\/Loinc\.csv cannot be read.*no such file/],
    [
      'LOINC_CSV',
      fileURLToPath(new URL('../../../../docs/examples/own-catalog.csv', import.meta.url)),
      /LOINC_CSV: .* has no column/,
    ],
    [
      'WEARABLE_PROVIDERS',
      '{"fitbitt":{}}',
      /WEARABLE_PROVIDERS\.fitbitt: expected the slug of a provider: .*fitbit,/,
    ],
  ])('does not start with a setting that would fail later: %s=%s', async (name, value, said) => {
    const { code, stderr } = await machine.run(['serve'], { PORT: '0', [name]: value }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(said);
    expect(stderr).not.toContain('    at ');
  });

  it('prints its version', async () => {
    const text = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(text) as { version: string };
    expect(await machine.run(['--version']).ended).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it('reports all configuration errors together and does not start', async () => {
    const settings = { PORT: 'many', REGION: 'mars', DATABASE_URL: 'mysql://localhost', BRAND: 'Two Words' };
    const { code, stdout, stderr } = await machine.run(['serve'], settings).ended;
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('4 mistake(s)');
    for (const name of Object.keys(settings)) expect(stderr).toMatch(new RegExp(`^  ${name}: .`, 'm'));
    expect(stderr).not.toContain('    at ');
  });
});
