import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { beginMemoryShortage, canRefuseMemory, refuseMemory, returnMemory } from '../memory-shortage.ts';
import { whyNoMachine } from './machine-stage.ts';
import type { FaultStage } from './stage.ts';

const run = promisify(execFile);

const SHORT_MS = 1500;
/** Less than a reader takes for one report, so that the system kills it. */
const GROUP_BYTES = 4 * 1024 * 1024;

/** The memory controller of the control groups, in the old or the new hierarchy. */
const CONTROLLERS = [
  { parent: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', none: '-1' },
  { parent: '/sys/fs/cgroup', limit: 'memory.max', none: 'max' },
] as const;

interface MemoryGroup {
  /** Limits the processes in it, and those that join. */
  limit(): Promise<void>;
  lift(): Promise<void>;
  join(pid: number): Promise<void>;
}

/** Why memory cannot run out here; undefined where it can. */
export const whyNoMemory = (): string | undefined =>
  whyNoMachine() ?? (canRefuseMemory ? undefined : 'it needs the command prlimit (util-linux)');

/** Undefined where the system does not let us make a group with a limit of memory. */
async function openGroup(cleanups: CleanupTasks): Promise<MemoryGroup | undefined> {
  for (const { parent, limit, none } of CONTROLLERS) {
    const folder = join(parent, `aliquot-faults-${process.pid}`);
    if (!existsSync(parent) || !(await succeeds(mkdir(folder)))) continue;
    cleanups.push(() => rmdir(folder));
    if (!existsSync(join(folder, limit))) continue;
    const set = (value: string) => writeFile(join(folder, limit), value);
    return {
      limit: () => set(String(GROUP_BYTES)),
      lift: () => set(none),
      // It may have ended.
      join: async (pid) => void (await succeeds(writeFile(join(folder, 'cgroup.procs'), String(pid)))),
    };
  }
  return undefined;
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const listReaders = async (stage: FaultStage): Promise<readonly number[]> => {
  const { stdout } = await run('pgrep', ['--parent', String(stage.service().pid), 'node']).catch(() => ({
    stdout: '',
  }));
  return stdout.split('\n').filter(Boolean).map(Number);
};

/** Takes the memory of all readers, by turns: the system kills them, or refuses them more. */
export async function openMemoryStrikes(
  stage: FaultStage,
  cleanups: CleanupTasks,
): Promise<{ strike(): Promise<void>; describe(): string }> {
  const group = await openGroup(cleanups);
  let killed = 0;
  let refused = 0;
  let strikes = 0;
  const strike = async () => {
    strikes += 1;
    const isKill = group !== undefined && strikes % 2 === 1;
    if (isKill) await group.limit();
    const shortage = beginMemoryShortage(() => listReaders(stage), isKill ? group.join : refuseMemory);
    await sleep(SHORT_MS);
    const affected = await shortage.end();
    if (isKill) await group.lift();
    else await Promise.all(affected.map(returnMemory));
    if (isKill) killed += affected.length;
    else refused += affected.length;
  };
  return {
    strike,
    describe: () =>
      `${group ? `${killed} readers in a full control group` : 'no control group could be made'}, ` +
      `${refused} readers refused memory`,
  };
}
