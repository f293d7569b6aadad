import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** In a separate process: vitest handles unhandled errors itself. */
async function runScript(script: string): Promise<{ code: unknown; output: string }> {
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, output };
}

test('work fails on an unhandled error event or rejection, and the process continues', async () => {
  const script = `
    import { EventEmitter } from 'node:events';
    import { withStrayErrors } from './tools/bench/stray-errors.ts';
    const soon = () => new Promise((resolve) => setTimeout(resolve, 100));
    const say = (work) => withStrayErrors(work).then(console.log, (error) => console.log(error.message));
    await say(async () => {
      setTimeout(() => new EventEmitter().emit('error', new Error('lost connection')), 1);
      await soon();
    });
    await say(async () => {
      void Promise.reject(new Error('lost promise'));
      await soon();
    });
    await say(async () => 'answer');
    await soon();
    console.log(process.listenerCount('uncaughtException'));`;
  expect(await runScript(script)).toEqual({ code: 0, output: 'lost connection\nlost promise\nanswer\n0\n' });
});
