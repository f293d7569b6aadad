/**
 * Minimal sources with the entry points of the service, so that thirty builds take seconds. The program loads a part,
 * two threads and a child process: immediately, or on SIGUSR2 if the checkout has a file `wait`. It prints the text of
 * each. The text is as large as a part of the service, so that reading a half-written file would be noticed.
 */
export const smallProgram = (text: string): Record<string, string> => ({
  'packages/server/src/cli/aliquot.ts': `
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';

const programOf = (name: string) => fileURLToPath(new URL(name + '.js', import.meta.url));
const threadSays = async (name: string) => (await once(new Worker(programOf(name)), 'message'))[0];
const childSays = () => spawnSync(process.execPath, [programOf('lab-report-reader')], { encoding: 'utf8' }).stdout;

if (existsSync(new URL('../../../../wait', import.meta.url))) {
  const keeping = setInterval(() => {}, 1000);
  const signal = once(process, 'SIGUSR2');
  process.stdout.write('waiting\\n');
  await signal;
  clearInterval(keeping);
}
const { text } = await import('../part.ts');
const said = [text, await threadSays('fit-decoder'), await threadSays('webhook-signer'), childSays()];
process.stdout.write(said.map((each) => each.trim()).join(' ') + '\\n');
`,
  'packages/server/src/part.ts': `export const text = '${text}${' '.repeat(1_000_000)}';`,
  'packages/server/src/lab-reports/readers/child.ts': `
import { text } from '../../part.ts';
process.stdout.write(text.trim());
`,
  'packages/report-reader/src/command.ts': '',
  'packages/dashboard/src/main.tsx': `document.title = 'small';`,
  'packages/server/src/wearables/files/fit/thread.ts': `
import { parentPort } from 'node:worker_threads';
import { text } from '../../../part.ts';
parentPort?.postMessage(text);
`,
  'packages/server/src/delivery/webhooks/signing/thread.ts': `
import { parentPort } from 'node:worker_threads';
parentPort?.postMessage('${text}${' '.repeat(300_000)}');
`,
});
