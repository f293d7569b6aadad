import { link, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { codeOf, lifeOf } from './processes.ts';

export interface Lock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that works on the folder, or throws naming the one that does.
 *
 * Node has no flock, and "remove the dead owner's file, then write mine" lets two newcomers both win. So the lock files
 * are numbered and the highest number owns: the owner after a dead `lock.4` is whoever makes `lock.5`, which a hard
 * link does for exactly one. A newcomer that slept through all this finds a higher number afterwards and steps back.
 */
export async function takeLock(folder: string): Promise<Lock> {
  const claim = join(folder, `claim.${process.pid}.${randomBytes(4).toString('hex')}`);
  await writeFile(claim, `${process.pid}\n${await lifeOf(process.pid)}\n`);
  try {
    for (;;) {
      const last = await highest(folder);
      await refuseLiving(folder, last);
      const mine = join(folder, `lock.${last + 1}`);
      if (!(await linked(claim, mine))) continue;
      if ((await highest(folder)) !== last + 1) {
        await rm(mine, { force: true });
        continue;
      }
      await sweep(folder, last);
      return { release: () => rm(mine, { force: true }) };
    }
  } finally {
    await rm(claim, { force: true });
  }
}

async function refuseLiving(folder: string, number: number): Promise<void> {
  const text = await readFile(join(folder, `lock.${number}`), 'utf8').catch(() => '');
  const [pid, life] = text.split('\n');
  if (!pid || (await lifeOf(Number(pid))) !== life) return;
  throw new Error(
    `The database in ${folder} is in use by process ${pid}. Stop that process, or give this one another DATA_DIR.`,
  );
}

async function linked(claim: string, lock: string): Promise<boolean> {
  try {
    await link(claim, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

const numbers = async (folder: string): Promise<number[]> =>
  (await readdir(folder)).flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? []).map(Number);

const highest = async (folder: string): Promise<number> => Math.max(0, ...(await numbers(folder)));

/** Removes the locks of the dead and the claims that a kill left; claims of the living may still be needed. */
async function sweep(folder: string, upTo: number): Promise<void> {
  const dead = (await numbers(folder)).filter((number) => number <= upTo).map((number) => `lock.${number}`);
  for (const name of await readdir(folder)) {
    const pid = /^claim\.(\d+)\./.exec(name)?.[1];
    if (pid && !(await lifeOf(Number(pid)))) dead.push(name);
  }
  await Promise.all(dead.map((name) => rm(join(folder, name), { force: true })));
}
