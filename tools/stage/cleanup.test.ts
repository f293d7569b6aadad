import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openInSteps } from './cleanup.ts';

const undo = (log: string[], name: string) => async () => void log.push(name);

test('undoes the opened steps, the last one first', async () => {
  const log: string[] = [];
  const opening = openInSteps(async (cleanups) => {
    cleanups.push(undo(log, 'folder'), undo(log, 'server'));
    return 'open';
  });
  expect(await opening.opened).toBe('open');
  await opening.close();
  expect(log).toEqual(['server', 'folder']);
  await opening.close();
  expect(log).toEqual(['server', 'folder']);
});

test('undoes the steps before the one that failed', async () => {
  const log: string[] = [];
  const opening = openInSteps(async (cleanups) => {
    cleanups.push(undo(log, 'folder'));
    throw new Error('The server did not start');
  });
  await expect(opening.opened).rejects.toThrow('The server did not start');
  await opening.close();
  expect(log).toEqual(['folder']);
});

test('runs all tasks even if one fails, and then throws its failure', async () => {
  const log: string[] = [];
  const opening = openInSteps(async (cleanups) => {
    cleanups.push(undo(log, 'folder'), () => Promise.reject(new Error('The server did not stop')));
  });
  await opening.opened;
  await expect(opening.close()).rejects.toThrow('The server did not stop');
  expect(log).toEqual(['folder']);
});

test('cleans up an opening that is closed before it finished', async () => {
  const log: string[] = [];
  const opening = openInSteps(async (cleanups) => {
    await new Promise<void>((goOn) => cleanups.push(async () => goOn()));
    cleanups.push(undo(log, 'started late'));
  });
  await opening.close();
  expect(log).toEqual(['started late']);
});

test('an interrupted command removes its folder and stops', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-cleanup-'));
  const script = `
    import { rm } from 'node:fs/promises';
    import { withCleanup } from './tools/stage/cleanup.ts';
    const alive = setInterval(() => {}, 1000);
    await withCleanup(
      async (cleanups) => void cleanups.push(() => rm(${JSON.stringify(folder)}, { recursive: true })),
      () => (console.log('ready'), new Promise((_, reject) => process.on('SIGINT', () => reject(new Error('cut off'))))),
    ).catch(() => {});
    clearInterval(alive);
    console.log('went on');`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said === 'ready\n') child.kill('SIGINT');
  });
  const [code] = await once(child, 'close');
  expect({ code, said, isFolderThere: existsSync(folder) }).toEqual({
    code: 130,
    said: 'ready\n',
    isFolderThere: false,
  });
  await rm(folder, { recursive: true, force: true });
});
