import { link, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { errorCodeOf, processIdentity } from './processes.ts';

interface FolderLock {
  release(): Promise<void>;
}

/**
 * Locks the folder for this process, or throws with the id of the owner.
 *
 * Node has no flock, and "remove the dead owner's file, then write mine" lets two processes both win. Therefore lock
 * files are numbered and the highest number owns: the next owner after a dead `lock.4` is the process that creates
 * `lock.5`, by a hard link, which succeeds only once. A process that was suspended meanwhile finds a higher number
 * afterwards and gives up its lock.
 */
export async function acquireFolderLock(folder: string): Promise<FolderLock> {
  const claim = join(folder, `claim.${process.pid}.${randomBytes(4).toString('hex')}`);
  await writeFile(claim, `${process.pid}\n${await processIdentity(process.pid)}\n`);
  try {
    for (;;) {
      const last = await highest(folder);
      await assertOwnerIsDead(folder, last);
      const mine = join(folder, `lock.${last + 1}`);
      if (!(await tryLink(claim, mine))) continue;
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

/** The process that owns the folder now; undefined if none does. */
export const findFolderOwner = async (folder: string): Promise<number | undefined> =>
  findLivingOwner(folder, await highest(folder));

async function findLivingOwner(folder: string, number: number): Promise<number | undefined> {
  const text = await readFile(join(folder, `lock.${number}`), 'utf8').catch(() => '');
  const [pid, life] = text.split('\n');
  return pid && (await processIdentity(Number(pid))) === life ? Number(pid) : undefined;
}

async function assertOwnerIsDead(folder: string, number: number): Promise<void> {
  const pid = await findLivingOwner(folder, number);
  if (pid === undefined) return;
  throw new Error(
    `The database in ${folder} is in use by process ${pid}. Stop that process, or use another DATA_DIR.`,
  );
}

async function tryLink(claim: string, lock: string): Promise<boolean> {
  try {
    await link(claim, lock);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

const numbers = async (folder: string): Promise<number[]> =>
  (await readdir(folder)).flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? []).map(Number);

const highest = async (folder: string): Promise<number> => Math.max(0, ...(await numbers(folder)));

/** Removes the locks of dead processes and their claims. Claims of running processes may still be needed. */
async function sweep(folder: string, upTo: number): Promise<void> {
  const dead = (await numbers(folder)).filter((number) => number <= upTo).map((number) => `lock.${number}`);
  for (const name of await readdir(folder)) {
    const pid = /^claim\.(\d+)\./.exec(name)?.[1];
    if (pid && !(await processIdentity(Number(pid)))) dead.push(name);
  }
  await Promise.all(dead.map((name) => rm(join(folder, name), { force: true })));
}
