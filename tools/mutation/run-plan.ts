import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Message, MutationPlan, TestFileBaseline } from './plan.ts';

export interface RunOptions {
  readonly plan: Omit<MutationPlan, 'baseline' | 'output'>;
  /** A folder of its own for what is handed over. */
  readonly folder: string;
  readonly server: string;
  onMessage(message: Message): void;
}

/** As long as a mutant may be silent; its process is then ended, and another takes the rest. */
const SILENCE_MS = 120_000;
const POLL_MS = 200;
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));

/** Runs a plan to its end, in as many processes as it takes. */
export async function runPlan({ plan, folder, server, onMessage }: RunOptions): Promise<void> {
  const baseline: TestFileBaseline[] = [];
  const done = new Set<number>();
  let current: number | undefined;
  const listen = (message: Message): void => {
    if (message.is === 'baseline') baseline.push(message.baseline);
    if (message.is === 'begun') current = message.id;
    if (message.is === 'ended') done.add(message.id);
    onMessage(message);
  };
  for (let round = 0; done.size < plan.wanted.length; round += 1) {
    const wanted = plan.wanted.filter((id) => !done.has(id));
    const output = join(folder, `messages-${round}.jsonl`);
    const planPath = join(folder, 'plan.json');
    await writeFile(output, '');
    await writeFile(planPath, JSON.stringify({ ...plan, wanted, baseline, output } satisfies MutationPlan));
    const child = spawn(process.execPath, ['--import', 'tsx', CHILD, planPath, server], {
      cwd: plan.root,
      stdio: process.env['MUTATION_LOG'] ? 'inherit' : 'ignore',
    });
    current = undefined;
    if (await follow({ child, output, listen })) return;
    if (current === undefined)
      throw new Error('The tests do not run without a mutant: MUTATION_LOG=1 says why');
    if (!done.has(current))
      listen({ is: 'ended', id: current, outcome: 'timeout', ms: SILENCE_MS, by: 'its process was ended' });
  }
}

interface Following {
  readonly child: ChildProcess;
  readonly output: string;
  listen(message: Message): void;
}

/** Reads what a process says until it ends or falls silent; whether it came to the end of its plan. */
async function follow({ child, output, listen }: Following): Promise<boolean> {
  const ended = once(child, 'exit');
  let read = 0;
  let heardAt = performance.now();
  for (let alive = true, last = false; !last;) {
    last = !alive;
    const text = await readFile(output, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(read, end).split('\n')) {
      if (line === '') continue;
      const message: Message = JSON.parse(line);
      heardAt = performance.now();
      if (message.is === 'finished') {
        child.kill('SIGKILL');
        await ended;
        return true;
      }
      listen(message);
    }
    read = Math.max(read, end);
    if (performance.now() - heardAt > SILENCE_MS) child.kill('SIGKILL');
    alive = await Promise.race([ended.then(() => false), sleep(POLL_MS).then(() => true)]);
  }
  return false;
}
