import { readdir, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMachine, type ServingProcess, type TestMachine } from './process.ts';

/** Every command is a separate process, and the machine may be busy. */
const PATIENCE = { timeout: 120_000 };

let machine: TestMachine;
let service: ServingProcess;
beforeAll(async () => {
  machine = await openMachine();
  service = await machine.serve();
}, 120_000);
afterAll(() => machine?.close());

const sockets = async (): Promise<string[]> =>
  (await readdir(join(machine.folder, 'run'))).filter((name) => name.endsWith('.sock'));

/** Writes a line to a socket of the service; returns its whole answer. */
const ask = (name: string, line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ path: join(machine.folder, 'run', name) });
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    socket.once('error', reject).once('close', () => resolve(text));
    socket.end(`${line}\n`);
  });

const timesServed = () => service.output().stdout.split('a command runs in the service').length - 1;

describe('a command while the service runs', PATIENCE, () => {
  it.each([
    [['catalog', 'pending'], /^No lab test awaits approval\.$/m],
    [['lab', 'listeners'], /^No connection receives results by MLLP\.$/m],
    [['audit', 'verify'], /^[0-9a-f-]{36} +\d+ +[0-9a-f]{64} +whole$/m],
    [['accounts', 'sign-in-url', '--email', 'owner@clinic.example'], /http:\/\/\S+\/sign-in-link#\S+/],
  ] as const)('is carried out by it: %j', async (args, expected) => {
    const before = timesServed();
    const { code, stdout, stderr } = await machine.run(args).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(expected);
    expect(timesServed()).toBe(before + 1);
  });

  it('imports a file that only the command reads, and lists its errors', async () => {
    const file = join(machine.folder, 'own.csv');
    await writeFile(file, 'no,such,columns\n1,2,3\n');
    const { code, stdout, stderr } = await machine.run(['catalog', 'import', file]).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`Nothing was imported. ${file} has `);
  });

  it('fails with one sentence and code 1', async () => {
    const nobody = '0190a1b2-0000-7000-8000-000000000000';
    const { code, stdout, stderr } = await machine.run(['lab', 'message', nobody]).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('backs up its database, also the embedded one', async () => {
    const file = join(machine.folder, 'backup.aliquot');
    const { code, stdout } = await machine.run(['backup', file]).ended;
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`${file}: `) });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('goes elsewhere if it means another database', async () => {
    const before = timesServed();
    const nowhere = { DATABASE_URL: 'postgres://someone@127.0.0.1:1/nothing' };
    expect((await machine.run(['catalog', 'pending'], nowhere).ended).code).toBe(1);
    expect(timesServed()).toBe(before);
  });
});

describe('the local socket', PATIENCE, () => {
  it('is open to its user only', async () => {
    const [name = ''] = await sockets();
    const modes = await Promise.all(
      [join(machine.folder, 'run'), join(machine.folder, 'run', name)].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('refuses another version, and what is not an operation', async () => {
    const [name = ''] = await sockets();
    const request = { version: '0.0.1', database: '', operation: 'catalog pending', input: {} };
    const both = { ...request, isTerminal: false, isErrorTerminal: false };
    expect(JSON.parse(await ask(name, JSON.stringify(both)))).toMatchObject({
      refused: expect.stringContaining('version'),
    });
    expect(JSON.parse(await ask(name, '{"operation":"constructor"}'))).toMatchObject({
      failed: expect.any(String),
    });
  });

  it('answers no command over HTTP', async () => {
    const body = JSON.stringify({ operation: 'catalog pending', input: {} });
    for (const path of ['/run', '/local', '/operation', '/cli']) {
      const answer = await fetch(`${service.url}${path}`, { method: 'POST', body });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  it('of a killed service is replaced', async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    const left = await sockets();
    expect(left).toHaveLength(1);
    service = await machine.serve();
    const now = await sockets();
    expect(now).toHaveLength(1);
    expect(now).not.toEqual(left);
    expect((await machine.run(['catalog', 'pending']).ended).code).toBe(0);
  });

  it('is gone when the service has stopped, and the command opens the database', async () => {
    service.child.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
    expect(await sockets()).toEqual([]);
    const { code, stdout } = await machine.run(['catalog', 'pending']).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'No lab test awaits approval.\n' });
  });
});
