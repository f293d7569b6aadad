import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PlanMessage, MutationPlan, TestFileBaseline } from './plan.ts';

interface PlanRunOptions {
  readonly plan: Omit<MutationPlan, 'baseline' | 'output'>;
  /** Folder for the files that are passed to the child. */
  readonly folder: string;
  readonly server: string;
  onMessage(message: PlanMessage): void;
}

/** After this time without a message, the process is killed and another runs the remaining mutants. */
const SILENCE_TIMEOUT_MS = 120_000;
const POLL_MS = 200;
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));

/** Runs a plan to its end, in as many processes as needed. */
export async function runPlan({ plan, folder, server, onMessage }: PlanRunOptions): Promise<void> {
  const baseline: TestFileBaseline[] = [];
  const done = new Set<number>();
  let current: number | undefined;
  const listen = (message: PlanMessage): void => {
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
    const measured = baseline.length;
    if (await followChild({ child, output, listen })) return;
    // A process that fell silent while it measured a test file leaves that file to the next one, once.
    if (current === undefined && baseline.length > measured) continue;
    if (current === undefined)
      throw new Error('The tests do not run without a mutant. Set MUTATION_LOG=1 to see why.');
    if (!done.has(current))
      listen({
        is: 'ended',
        id: current,
        outcome: 'timeout',
        ms: SILENCE_TIMEOUT_MS,
        by: 'its process was killed',
      });
  }
}

interface ChildOutput {
  readonly child: ChildProcess;
  readonly output: string;
  listen(message: PlanMessage): void;
}

/** Reads a child's messages until it ends or falls silent. Returns whether it finished its plan. */
async function followChild({ child, output, listen }: ChildOutput): Promise<boolean> {
  const ended = once(child, 'exit');
  let read = 0;
  let heardAt = performance.now();
  for (let alive = true, last = false; !last;) {
    last = !alive;
    const text = await readFile(output, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(read, end).split('\n')) {
      if (line === '') continue;
      const message: PlanMessage = JSON.parse(line);
      heardAt = performance.now();
      if (message.is === 'finished') {
        child.kill('SIGKILL');
        await ended;
        return true;
      }
      listen(message);
    }
    read = Math.max(read, end);
    if (performance.now() - heardAt > SILENCE_TIMEOUT_MS) child.kill('SIGKILL');
    alive = await Promise.race([ended.then(() => false), sleep(POLL_MS).then(() => true)]);
  }
  return false;
}
