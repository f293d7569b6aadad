import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { z } from 'zod';
import { openBuild } from '../../../../tools/build.mjs';

/** A child process that serves HTTP: the bundled service, or the bare server of the bench. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Resolves when the process has ended for any reason. */
  readonly exited: Promise<void>;
  hasEnded(): boolean;
  /** The last part of its output. */
  output(): string;
  /** Sends SIGTERM and waits; sends SIGKILL after a timeout. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const OUTPUT_MAX = 20_000;
const STOP_TIMEOUT_MS = 20_000;

interface ServiceBundle {
  /** Arguments that make Node run the service, as `npm start` does. */
  readonly serve: readonly string[];
  release(): Promise<void>;
}

const Package = z.object({ scripts: z.object({ start: z.string() }) });

/** The build of the current sources. It is not removed until it is released. */
export async function buildService(): Promise<ServiceBundle> {
  const build = await openBuild();
  return {
    serve: [...(await nodeFlags()), join(build.folder, 'aliquot.js'), 'serve'],
    release: async () => build.release(),
  };
}

/** The options that `npm start` gives to Node. */
async function nodeFlags(): Promise<string[]> {
  const { scripts } = Package.parse(JSON.parse(await readFile(`${root}package.json`, 'utf8')));
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/**
 * Starts `node ARGUMENTS` on the port of `env` and waits until it answers. Its environment is `env` alone. A `command`
 * other than Node itself gets the path of Node and the arguments after its own.
 */
export async function startProcess(
  args: readonly string[],
  env: Record<string, string>,
  command?: readonly [string, ...string[]],
): Promise<ServiceProcess> {
  const [program, ...words] = command ? [...command, process.execPath, ...args] : [process.execPath, ...args];
  const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'close').then(() => undefined);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-OUTPUT_MAX)));
  }
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    await gone;
  };
  const running: ServiceProcess = {
    url: `http://127.0.0.1:${env['PORT']}`,
    pid: child.pid ?? 0,
    exited: gone,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    output: () => said,
    kill: () => end('SIGKILL'),
    stop: async () => {
      const patience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await end('SIGTERM').finally(() => clearTimeout(patience));
    },
  };
  await waitUntilReady(running).catch(async (error: unknown) => {
    await running.kill();
    throw error;
  });
  return running;
}

const START_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 20;

async function waitUntilReady(running: ServiceProcess): Promise<void> {
  const until = performance.now() + START_TIMEOUT_MS;
  let left = false;
  void running.exited.then(() => (left = true));
  while (!left && performance.now() < until) {
    const answer = await request(`${running.url}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await sleep(POLL_INTERVAL_MS);
  }
  throw new Error(`The process ${left ? 'ended' : 'did not answer'}. Its output:\n${running.output()}`);
}

/** A port that is currently free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
