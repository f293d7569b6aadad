import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';
import type { Credentials } from '../../src/management/management.ts';
import { ConfigSchema } from '../../src/platform/config.ts';
import { openBuild } from '../../tools/build.mjs';
import { inDatabase } from '../database.ts';
import { quickFolder } from '../quick-folder.ts';

/** How a process ended, and all that it said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that was started; what it says is kept. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  said(): { stdout: string; stderr: string };
  /** Waits until its output holds the pattern; fails when it ends first. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface Served extends Started {
  readonly url: string;
  readonly credentials: Credentials;
}

/** A machine of its own for a test: a data folder, and a database when the run has a server for all. */
export interface Machine {
  readonly folder: string;
  readonly database: 'embedded' | 'given';
  /** Runs `aliquot ARGUMENTS` from a bundle, as `npm start` and `npx aliquot` do. */
  run(args: readonly string[], settings?: Record<string, string>): Started;
  /** Starts the service on a free port and waits until it serves. */
  serve(settings?: Record<string, string>): Promise<Served>;
  /** `npm start` itself, without npm. */
  npmStart(settings?: Record<string, string>): Started;
  /** `npm run tour` against a service of this machine, without npm. */
  tour(url: string): Started;
  /** Waits until a started service serves. */
  served(started: Started): Promise<Served>;
  close(): Promise<void>;
}

const root = new URL('../../', import.meta.url);
const file = (path: string) => fileURLToPath(new URL(path, root));

/** `checkout` is another one than that of the tests, with a slash at its end. */
export async function openMachine(checkout?: string): Promise<Machine> {
  const folder = await quickFolder('aliquot-e2e-');
  const build = checkout === undefined ? await openBuild() : undefined;
  const program = build ? join(build.folder, 'aliquot.js') : `${checkout}bin/aliquot.js`;
  const database = await ownDatabase();
  const running = new Set<Started>();
  const start = (script: string, args: readonly string[], settings: Record<string, string>) => {
    const env = { ...surroundings(), DATA_DIR: folder, ...database, ...settings };
    const started = startProcess([script, ...args], env);
    running.add(started);
    return started;
  };
  const served = async (started: Started): Promise<Served> => {
    const [, url = ''] = await started.says(/"url":"(http:[^"]+)".*"msg":"serving"/);
    const credentials: Credentials = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'));
    return { ...started, url, credentials };
  };
  const run: Machine['run'] = (args, settings = {}) => start(program, args, settings);
  return {
    folder,
    database: database.DATABASE_URL === undefined ? 'embedded' : 'given',
    run,
    served,
    serve: (settings = {}) => served(run(['serve'], { PORT: '0', ...settings })),
    tour: (url) => start(file('node_modules/tsx/dist/cli.mjs'), [file('tools/tour/tour.ts'), url], {}),
    npmStart: (settings = {}) =>
      start(`${checkout ?? file('')}tools/start.mjs`, [], { PORT: '0', ...settings }),
    close: async () => {
      for (const { child } of running) child.kill('SIGTERM');
      await Promise.all([...running].map(({ ended }) => ended));
      await rm(folder, { recursive: true, force: true });
      build?.release();
    },
  };
}

/** The environment of the test run without what configures a service. */
function surroundings(): Record<string, string | undefined> {
  const ours = new Set(Object.keys(ConfigSchema.shape));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.has(name)));
}

/** With DATABASE_URL the run tests that server: an empty database on it. Without, every machine has its own server. */
async function ownDatabase(): Promise<{ DATABASE_URL?: string }> {
  const { connection } = inject('server');
  if (connection.connectionString === undefined) return {};
  // Named so that the end of the run drops it.
  const name = `aliquot_test_${process.pid}_e2e_${randomUUID().slice(0, 8)}`;
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const { connectionString } = inDatabase(connection, name);
  return connectionString === undefined ? {} : { DATABASE_URL: connectionString };
}

export function startProcess(args: readonly string[], env: Record<string, string | undefined>): Started {
  const child = spawn(process.execPath, [...args], { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...said }));
  });
  return {
    child,
    ended,
    said: () => ({ ...said }),
    says: (pattern) => says({ child, ended, said }, pattern),
  };
}

async function says(
  {
    child,
    ended,
    said,
  }: { child: ChildProcess; ended: Promise<Ended>; said: Record<'stdout' | 'stderr', string> },
  pattern: RegExp,
): Promise<RegExpExecArray> {
  let over = false;
  void ended.then(() => (over = true));
  for (;;) {
    const match = pattern.exec(said.stdout) ?? pattern.exec(said.stderr);
    if (match) return match;
    if (over)
      throw new Error(`Process ${child.pid} ended without saying ${pattern}:\n${said.stdout}${said.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
