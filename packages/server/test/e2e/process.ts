import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';
import type { BootstrapCredentials } from '../../src/identity/management/management.ts';
import { ConfigSchema } from '../../src/platform/config.ts';
import { openBuild } from '../../../../tools/build.mjs';
import { withDatabase } from '../database.ts';
import { createMemoryFolder } from '../memory-folder.ts';

/** How a process ended, with its whole output. */
interface ProcessResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started process; its output is recorded. */
export interface StartedProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessResult>;
  output(): { stdout: string; stderr: string };
  /** Waits until its output matches the pattern; fails if it ends first. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface ServingProcess extends StartedProcess {
  readonly url: string;
  readonly credentials: BootstrapCredentials;
}

/** An isolated environment for a test: a data folder, and a database if the run has a shared server. */
export interface TestMachine {
  readonly folder: string;
  readonly database: 'embedded' | 'given';
  /** Runs `aliquot ARGUMENTS` from a bundle, as `npm start` and `npx aliquot` do. */
  run(args: readonly string[], settings?: Record<string, string>): StartedProcess;
  /** Starts the service on a free port and waits until it is serving. */
  serve(settings?: Record<string, string>): Promise<ServingProcess>;
  /** `npm start` itself, without npm. */
  npmStart(settings?: Record<string, string>): StartedProcess;
  /** `npm run tour` against a service of this machine, without npm. */
  tour(url: string): StartedProcess;
  /** `npm run clients` against a service of this machine, without npm. */
  clients(url: string): StartedProcess;
  /** Waits until a started service is serving. */
  waitUntilServing(started: StartedProcess): Promise<ServingProcess>;
  close(): Promise<void>;
}

const root = new URL('../../../../', import.meta.url);
const file = (path: string) => fileURLToPath(new URL(path, root));

/** `checkout` is the root of another checkout, with a trailing slash. */
export async function openMachine(checkout?: string): Promise<TestMachine> {
  const folder = await createMemoryFolder('aliquot-e2e-');
  const build = checkout === undefined ? await openBuild() : undefined;
  const program = build ? join(build.folder, 'aliquot.js') : `${checkout}packages/server/bin/aliquot.js`;
  const database = await createOwnDatabase();
  const running = new Set<StartedProcess>();
  const start = (script: string, args: readonly string[], settings: Record<string, string>) => {
    const env = { ...environmentWithoutConfig(), DATA_DIR: folder, ...database, ...settings };
    const started = startProcess([script, ...args], env);
    running.add(started);
    return started;
  };
  const served = async (started: StartedProcess): Promise<ServingProcess> => {
    const [, url = ''] = await started.waitForOutput(/"url":"(http:[^"]+)".*"msg":"serving"/);
    const credentials: BootstrapCredentials = JSON.parse(
      await readFile(join(folder, 'credentials.json'), 'utf8'),
    );
    return { ...started, url, credentials };
  };
  const run: TestMachine['run'] = (args, settings = {}) => start(program, args, settings);
  return {
    folder,
    database: database.DATABASE_URL === undefined ? 'embedded' : 'given',
    run,
    waitUntilServing: served,
    serve: (settings = {}) => served(run(['serve'], { PORT: '0', ...settings })),
    tour: (url) => start(file('node_modules/tsx/dist/cli.mjs'), [file('tools/tour/tour.ts'), url], {}),
    clients: (url) =>
      start(file('node_modules/tsx/dist/cli.mjs'), [file('tools/clients/clients.ts'), '--url', url], {}),
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

/** The environment of the test run without settings of the service, except the driver that it is run with. */
function environmentWithoutConfig(): Record<string, string | undefined> {
  const ours = new Set(Object.keys(ConfigSchema.omit({ DATABASE_DRIVER: true }).shape));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.has(name)));
}

/** With DATABASE_URL: an empty database on that server. Otherwise every machine runs its own embedded server. */
async function createOwnDatabase(): Promise<{ DATABASE_URL?: string }> {
  const { connection } = inject('server');
  if (connection.connectionString === undefined) return {};
  // Named so that the end of the run drops it.
  const name = `aliquot_test_${process.pid}_e2e_${randomUUID().slice(0, 8)}`;
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const { connectionString } = withDatabase(connection, name);
  return connectionString === undefined ? {} : { DATABASE_URL: connectionString };
}

export function startProcess(
  args: readonly string[],
  env: Record<string, string | undefined>,
): StartedProcess {
  const child = spawn(process.execPath, [...args], { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
  }
  const ended = new Promise<ProcessResult>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...said }));
  });
  return {
    child,
    ended,
    output: () => ({ ...said }),
    waitForOutput: (pattern) => waitForOutput({ child, ended, said }, pattern),
  };
}

async function waitForOutput(
  {
    child,
    ended,
    said,
  }: { child: ChildProcess; ended: Promise<ProcessResult>; said: Record<'stdout' | 'stderr', string> },
  pattern: RegExp,
): Promise<RegExpExecArray> {
  let over = false;
  void ended.then(() => (over = true));
  for (;;) {
    const match = pattern.exec(said.stdout) ?? pattern.exec(said.stderr);
    if (match) return match;
    if (over)
      throw new Error(
        `Process ${child.pid} ended without printing ${pattern}:\n${said.stdout}${said.stderr}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
