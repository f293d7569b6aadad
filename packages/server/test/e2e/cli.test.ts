import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../examples.ts';
import { openReceiver, type Receiver } from '../receiver.ts';
import { openMachine, type TestMachine, type ServingProcess } from './process.ts';

let machine: TestMachine;
const receivers: Receiver[] = [];
let service: ServingProcess;
beforeAll(async () => {
  machine = await openMachine();
  service = await machine.serve();
  // Longer than other hooks: builds a bundle and seeds a database.
}, 120_000);
afterAll(async () => {
  await machine?.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** Runs a command against the service, to its end. */
const aliquot = (...args: string[]) => machine.run([...args, '--url', service.url]).ended;

/** Runs a command that asks no service. */
const aliquotAlone = (...args: string[]) => machine.run(args).ended;

const statusWith = async (key: string, url = service.url): Promise<number> =>
  (await fetch(`${url}/v2/user`, { headers: { 'x-service-api-key': key } })).status;

async function newReceiver(): Promise<Receiver> {
  const receiver = await openReceiver();
  receivers.push(receiver);
  return receiver;
}

/** Every command is a separate process, and the machine may be busy. */
const PATIENCE = { timeout: 60_000 };

describe('aliquot doctor', PATIENCE, () => {
  it('looks at the database of a running service, and finds no problem', async () => {
    const { code, stdout, stderr } = await aliquotAlone('doctor');
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok +database schema +that of this version$/m);
    expect(stdout).toMatch(/^0 problems, \d warnings$/m);
  });

  it('exits with 1 and says what to do where there is a problem', async () => {
    const nowhere = { DATABASE_URL: 'postgres://someone:a-password@127.0.0.1:1/nothing' };
    const { code, stdout } = await machine.run(['doctor', '--json'], nowhere).ended;
    expect(code).toBe(1);
    const findings = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(findings.find(({ subject }) => subject === 'database')).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('DATABASE_URL'),
    });
    expect(stdout).not.toContain('a-password');
  });
});

describe('aliquot migrate --plan', PATIENCE, () => {
  it('has nothing to apply where the service runs', async () => {
    expect(await aliquotAlone('migrate', '--plan')).toMatchObject({
      code: 0,
      stdout: 'The database schema is up to date.\n',
    });
  });
});

describe('aliquot migrate --plan in an empty folder', PATIENCE, () => {
  it('prints each migration with what it does, applies none, and exits with 2', async () => {
    const empty = { DATA_DIR: join(machine.folder, 'empty'), DATABASE_URL: '' };
    const first = await machine.run(['migrate', '--plan'], empty).ended;
    expect(first).toMatchObject({ code: 2, stderr: '' });
    expect(first.stdout).toMatch(/^\d+ migrations would be applied, in one transaction:$/m);
    expect(first.stdout).toMatch(/^0001_platform\n {4}\S/m);
    expect((await machine.run(['migrate', '--plan'], empty).ended).stdout).toBe(first.stdout);
  });
});

describe('aliquot keys', PATIENCE, () => {
  it('creates, lists and revokes keys', async () => {
    const made = await aliquot('keys', 'create', '--label', 'For the test');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [, id = ''] = /id +(\S+)/.exec(made.stdout) ?? [];
    const [, key = ''] = /key +(sk_us_\w+)/.exec(made.stdout) ?? [];
    expect(await statusWith(key)).toBe(200);

    const { stdout: listed } = await aliquot('keys', 'list');
    expect(listed).toMatch(
      new RegExp(`^${id} +For the test +sandbox +sk_us_\\w{4}\\*+ +\\d{4}-\\d\\d-\\d\\d .+everything$`, 'm'),
    );
    expect(listed).not.toContain(key);

    const nobody = service.credentials.team_id;
    const revoked = await aliquot('keys', 'revoke', id, nobody);
    expect(revoked).toMatchObject({ code: 1, stdout: `${id} revoked (sandbox)\n` });
    expect(revoked.stderr).toContain(`${nobody} is not a key of this organization`);
    expect(await statusWith(key)).toBe(401);
    expect((await aliquot('keys', 'list')).stdout).not.toContain(id);
  });

  it('rotates a key, with its limits', async () => {
    const limits = ['--read-only', '--area', 'users', '--expires-at', '2099-01-01T00:00:00Z'];
    const made = await aliquot('keys', 'create', '--label', 'Limited', ...limits);
    const [, id = ''] = /id +(\S+)/.exec(made.stdout) ?? [];
    const [, old = ''] = /key +(sk_us_\w+)/.exec(made.stdout) ?? [];
    expect(await statusWith(old)).toBe(200);
    const rotated = await aliquot(
      'keys',
      'rotate',
      id,
      '--overlap-hours',
      '0',
      '--expires-at',
      '2098-01-01T00:00:00Z',
    );
    const [, key = ''] = /key +(sk_us_\w+)/.exec(rotated.stdout) ?? [];
    expect([await statusWith(old), await statusWith(key)]).toEqual([401, 200]);
    expect((await aliquot('keys', 'list')).stdout).toMatch(/Limited .+ 2098-01-01 +read users$/m);
  });

  it('explains errors in one sentence', async () => {
    const [stranger, nobody, elsewhere] = await Promise.all([
      aliquot('keys', 'list', '--management-key', 'mg_0123456789abcdef0123'),
      machine.run(['keys', 'list', '--url', 'http://127.0.0.1:9']).ended,
      machine.run(['keys', 'list'], { DATA_DIR: join(machine.folder, 'none') }).ended,
    ]);
    expect(stranger).toMatchObject({ code: 1, stdout: '' });
    expect(stranger.stderr).toBe(
      `${service.url} rejected the management key: Invalid API key: the key in the header x-management-key is unknown, revoked or expired.\n`,
    );
    expect(nobody.stderr).toMatch(/^No service responds at http:\/\/127\.0\.0\.1:9 .*npm start/);
    expect(elsewhere.stderr).toMatch(/^There is no credentials\.json in .*--management-key, --org, --team/);
  });
});

describe('aliquot listen', PATIENCE, () => {
  it('prints and forwards the events of the tour, each once and in order', async () => {
    const receiver = await newReceiver();
    const listening = machine.run(['listen', '--url', service.url, '--forward-to', receiver.url]);
    const [, secret = ''] = await listening.waitForOutput(/signed with (whsec_\S+)/);
    const tour = await machine.tour(service.url).ended;
    expect(tour).toMatchObject({ code: 0, stderr: '' });
    expect(tour.stdout).toMatch(/\n {2}9 webhooks received, 9 verified\.\n\n$/);
    expect(Math.max(...tour.stdout.split('\n').map((line) => line.length))).toBeLessThan(100);
    await expect.poll(() => receiver.received.length).toBe(9);
    // Wait for the response to the last event, too.
    await listening.waitForOutput(/(-> 200 in[^]*){9}/);
    const ways = receiver.received.map(({ body }) => (body.data['last_event'] as { status: string }).status);

    listening.child.kill('SIGINT');
    const { code, stdout } = await listening.ended;
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(9);
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d {2}labtest\.order\.created +tour-\w{6} {2}received\.testkit\.ordered$/,
    );
    expect(lines.map((line) => line.split(/ +/).at(-1))).toEqual(ways);
    for (const { text, headers, body } of receiver.received) {
      expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(body);
      expect(headers['svix-id']).toBe(headers['webhook-id']);
    }
  });

  it('starts at the given position, with the requested events', async () => {
    const receiver = await newReceiver();
    receiver.respond = () => ({ status: receiver.received.length === 1 ? 500 : 200 });
    const team = await teamWithOrder();
    const which = ['--since', 'start', '--events', 'labtest.order.created,labtest.result.*', '--print-json'];
    const where = ['--url', service.url, '--team', team, '--forward-to', receiver.url];
    const listening = machine.run(['listen', ...which, ...where]);
    await listening.waitForOutput(/-> 500 in \d+ ms; retrying in 1 s\n +-> 200/);
    listening.child.kill('SIGINT');
    const { code, stdout } = await listening.ended;
    expect(code).toBe(0);
    const [event, ...others] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(others).toEqual([]);
    expect(event.event_type).toBe('labtest.order.created');
    expect(receiver.received.map(({ body }) => body)).toEqual([event.body, event.body]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([`msg_${event.id}`]),
    );
  });

  it('reports unknown requested events', async () => {
    const types = 'labtest.order.creatd,labtest.*';
    const listening = machine.run(['listen', '--url', service.url, '--events', types]);
    await listening.waitForOutput(
      /^Warning: no event type of this version matches labtest\.order\.creatd\.$/m,
    );
    listening.child.kill('SIGINT');
    const { code, stderr } = await listening.ended;
    expect(code).toBe(0);
    expect(stderr.match(/no event type of this version/g)).toHaveLength(1);
  });

  it('rejects invalid event types', async () => {
    const { code, stderr } = await aliquot('listen', '--events', 'labtest order');
    expect(code).toBe(1);
    expect(stderr).toContain('Expected types like labtest.order.created or labtest.*.');
  });
});

describe('aliquot keys rewrap', PATIENCE, () => {
  const next = Buffer.alloc(32, 3).toString('base64');

  it('is rejected while the service runs on the embedded database', async ({ skip }) => {
    skip(machine.database === 'given', 'the run has a server of its own');
    const { code, stderr } = await machine.run(['keys', 'rewrap'], { ENCRYPTION_KEY: next }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(
      `The service (process ${service.child.pid}) is running on the embedded database`,
    );
    expect(stderr).toContain('Stop it, run this command again');
  });

  // Nine processes, one after the other.
  it('changes the key that wraps all data keys', { timeout: 120_000 }, async () => {
    const own = await openMachine();
    try {
      const first = await own.serve();
      const whole = /^[0-9a-f-]{36} +\d+ +[0-9a-f]{64} +whole$/m;
      expect(await own.run(['audit', 'verify']).ended).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(whole),
        stderr: '',
      });
      expect(await statusWith(first.credentials.team_api_key, first.url)).toBe(200);
      first.child.kill('SIGTERM');
      await first.ended;
      expect((await own.run(['audit', 'verify']).ended).stdout).toMatch(whole);
      const previous = (await readFile(join(own.folder, 'encryption.key'), 'utf8')).trim();
      const wrong = Buffer.alloc(32, 4).toString('base64');
      const refused = own.run(['keys', 'rewrap'], { ENCRYPTION_KEY: next, PREVIOUS_ENCRYPTION_KEY: wrong });
      expect((await refused.ended).stderr).toMatch(/^Some data keys can be opened with neither/);

      const keys = { ENCRYPTION_KEY: next, PREVIOUS_ENCRYPTION_KEY: previous };
      expect((await own.run(['keys', 'rewrap'], keys).ended).stdout).toBe('2 data key(s) re-wrapped.\n');
      expect((await own.run(['keys', 'rewrap'], keys).ended).stdout).toMatch(/^Nothing to do/);
      expect((await own.run(['serve'], { PORT: '0' }).ended).stderr).toContain('another ENCRYPTION_KEY');
      const again = await own.serve({ ENCRYPTION_KEY: next });
      expect(await statusWith(again.credentials.team_api_key, again.url)).toBe(200);
    } finally {
      await own.close();
    }
  });
});

/** Creates a team with a single event, for a placed order; returns its id. */
async function teamWithOrder(): Promise<string> {
  const { org_id: org, management_key: management } = service.credentials;
  const call = async (path: string, key: Record<string, string>, body?: unknown) => {
    const headers = { 'content-type': 'application/json', ...key };
    const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${service.url}${path}`, { headers, ...given });
    expect([path, answer.status]).toEqual([path, 200]);
    return JSON.parse(await answer.text());
  };
  const manager = { 'x-management-key': management };
  const { id } = await call(`/v1/org/${org}/team`, manager, { name: 'Own', region: 'us' });
  const { value } = await call(`/v1/org/${org}/team_api_keys/sandbox/us`, manager, {
    label: 'own',
    team_id: id,
  });
  const team = { 'x-service-api-key': value };
  const { user_id: userId } = await call('/v2/user', team, { client_user_id: 'listened-to' });
  const [test] = await call('/v3/lab_tests?collection_method=testkit', team);
  await call('/v3/order', team, order(userId, test.id));
  return id;
}
