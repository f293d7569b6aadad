import { execFile } from 'node:child_process';
import { readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { SUPERUSER } from '../../src/platform/embedded-postgres/cluster.ts';
import { errorsOf, KNOWN_HOSTS, OFFSET_FILE, type MachineStage } from './machine-stage.ts';
import type { FaultScene } from './scenes.ts';

const run = promisify(execFile);

/** How long a failure lasts, and how often `/readyz` is read meanwhile. */
const HOLD_MS = 1500;
const LOOKS = 3;

/** A failure that lasts for a while and is then repaired, as by an operator. */
interface Failure {
  readonly provoke: (stage: MachineStage) => Promise<() => Promise<void>>;
}

const strike =
  ({ provoke }: Failure) =>
  async (stage: MachineStage): Promise<void> => {
    const repair = await provoke(stage);
    try {
      for (let n = 0; n < LOOKS; n += 1) {
        await sleep(HOLD_MS / LOOKS);
        await stage.observe();
      }
    } finally {
      await repair();
    }
    await stage.revive();
  };

/** What was seen, most frequent first, and the different warnings and errors of the log. */
function describeSeen(stage: MachineStage): readonly string[] {
  const logged = new Set(errorsOf(stage.service().output()));
  const seen = [...stage.seen].toSorted(([, a], [, b]) => b - a).map(([what, count]) => `${what} x ${count}`);
  stage.seen.clear();
  return [...seen, ...[...logged].map((line) => `log: ${line}`)];
}

const machineScene = (
  name: string,
  title: string,
  provoke: Failure['provoke'],
): FaultScene<MachineStage> => ({
  name,
  title,
  embeddedOnly: true,
  kill: strike({ provoke }),
  observed: describeSeen,
});

export const machineScenes: readonly FaultScene<MachineStage>[] = [
  machineScene('disk', 'the disk of DATA_DIR and its database full', fillDisk),
  machineScene('slots', 'all connections of the database taken by others', takeConnections),
  machineScene('files', 'no file handles left for the service', takeFileHandles),
  machineScene('names', 'the names of the receivers not resolved', forgetNames),
];

export const clockScenes: readonly FaultScene<MachineStage>[] = [
  machineScene(
    'wall-clock',
    'the clock of the machine set an hour forward and back, or back and forward',
    stepClock,
  ),
];

async function fillDisk({ folder }: MachineStage): Promise<() => Promise<void>> {
  const file = join(folder, 'filler');
  const { bavail, bsize } = await statfs(folder);
  await run('fallocate', ['--length', String(bavail * bsize), file]).catch(() => undefined);
  return () => rm(file, { force: true });
}

/** Ends the connections of the service and takes every slot before it comes back, but those of superusers. */
async function takeConnections(stage: MachineStage): Promise<() => Promise<void>> {
  const taken: pg.Client[] = [];
  await stage.onDatabase(async (client) => {
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'aliquot'`,
    );
    for (;;) {
      const next = new pg.Client({
        host: join(stage.folder, 'postgres', 'run'),
        user: SUPERUSER,
        database: 'aliquot',
      });
      next.on('error', () => {});
      try {
        await next.connect();
        taken.push(next);
      } catch {
        break;
      }
    }
  });
  return async () => void (await Promise.allSettled(taken.map((client) => client.end())));
}

/** Leaves the service the file handles that it has: it can open no file and accept no connection. */
async function takeFileHandles(stage: MachineStage): Promise<() => Promise<void>> {
  const pid = String(stage.service().pid);
  const { stdout } = await run('prlimit', [
    '--pid',
    pid,
    '--nofile',
    '--noheadings',
    '--output',
    'SOFT,HARD',
  ]);
  const [soft = '', hard = ''] = stdout.trim().split(/\s+/);
  const open = await readdir(`/proc/${pid}/fd`);
  await run('prlimit', ['--pid', pid, `--nofile=${open.length}:${hard}`]);
  return async () => void (await run('prlimit', ['--pid', pid, `--nofile=${soft}:${hard}`]));
}

async function forgetNames({ hostsFile }: MachineStage): Promise<() => Promise<void>> {
  await writeFile(hostsFile, '127.0.0.1 localhost\n');
  return () => writeFile(hostsFile, KNOWN_HOSTS);
}

let steps = 0;

async function stepClock({ folder }: MachineStage): Promise<() => Promise<void>> {
  const file = join(folder, OFFSET_FILE);
  steps += 1;
  await writeFile(file, steps % 2 === 0 ? '-3600s' : '+3600s');
  return () => writeFile(file, '+0s');
}
