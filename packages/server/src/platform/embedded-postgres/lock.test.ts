import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { acquireFolderLock } from './lock.ts';
import { processIdentity } from './processes.ts';

const folders: string[] = [];

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'aliquot-lock-'));
  folders.push(made);
  return made;
}

afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true }))));

describe('the lock of a data folder', () => {
  it('names the process that holds it, and is free again after release', async () => {
    const here = await folder();
    const lock = await acquireFolderLock(here);
    await expect(acquireFolderLock(here)).rejects.toThrow(`in use by process ${process.pid}`);
    await lock.release();
    await (await acquireFolderLock(here)).release();
    expect(await readdir(here)).toEqual([]);
  });

  it('is taken from a dead process, and from one whose pid was reused', async () => {
    const here = await folder();
    const killed = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    await once(killed, 'spawn');
    const life = await processIdentity(Number(killed.pid));
    await writeFile(join(here, 'lock.4'), `${killed.pid}\n${life}\n`);
    await expect(acquireFolderLock(here)).rejects.toThrow(`in use by process ${killed.pid}`);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await (await acquireFolderLock(here)).release();

    await writeFile(join(here, 'lock.7'), `${process.pid}\nan earlier life\n`);
    await (await acquireFolderLock(here)).release();
    expect(await readdir(here)).toEqual([]);
  });

  it('goes to exactly one of many that find a dead owner at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const here = await folder();
      await writeFile(join(here, 'lock.1'), `${process.pid}\nan earlier life\n`);
      const tries = await Promise.allSettled(Array.from({ length: 12 }, () => acquireFolderLock(here)));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});
