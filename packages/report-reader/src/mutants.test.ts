import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { mutateFiles, validFiles } from '../test/mutants.ts';

/** `MUTANTS=500` is the full run; the default is a sample for every change. */
const MUTANTS = Number(process.env['MUTANTS'] ?? 60);
/** The page timeout of the service. */
const ONE_MS = 60_000;
const READER = fileURLToPath(new URL('../test/mutant-reader.ts', import.meta.url));

let reader: ChildProcess | undefined;
afterAll(async () => {
  if (!reader || reader.exitCode !== null || reader.signalCode !== null) return;
  const ended = once(reader, 'exit');
  reader.kill('SIGKILL');
  await ended;
});

/** The decision on a file; `fell` if it crashed the process or exceeded the time limit. */
async function decisionOn(file: Buffer): Promise<unknown> {
  reader ??= fork(READER, { execArgv: ['--import', 'tsx'], serialization: 'advanced', stdio: 'ignore' });
  const of = reader;
  const over = new AbortController();
  const late = setTimeout(() => of.kill('SIGKILL'), ONE_MS);
  const { signal } = over;
  of.send(file);
  const decision = await Promise.race([
    once(of, 'message', { signal }).then(([said]: unknown[]) => said),
    once(of, 'exit', { signal }).then(() => 'fell'),
  ]);
  clearTimeout(late);
  over.abort();
  if (decision === 'fell') reader = undefined;
  return decision;
}

const DECIDED = new Set([
  'read',
  'refused',
  'invalid_input',
  'low_quality',
  'not_english',
  'too_many_pages',
  'processing_error',
  'fell',
]);

it(
  'every corrupted file gets a decision',
  async () => {
    const sound = await validFiles();
    const decisions = new Map<unknown, number>();
    const count = (decision: unknown) => decisions.set(decision, (decisions.get(decision) ?? 0) + 1);
    for (const file of sound) expect(await decisionOn(file)).toBe('read');
    for (const file of mutateFiles(sound, MUTANTS)) count(await decisionOn(file));
    if (process.env['MUTANTS'] !== undefined)
      process.stdout.write(`${JSON.stringify(Object.fromEntries(decisions))}\n`);
    expect([...decisions.keys()].filter((decision) => !DECIDED.has(String(decision)))).toEqual([]);
    // The sample must contain both readable and unreadable files.
    expect(decisions.get('read')).toBeGreaterThan(MUTANTS / 10);
    expect(decisions.get('refused')).toBeGreaterThan(MUTANTS / 10);
    expect(decisions.get('fell') ?? 0).toBeLessThan(MUTANTS / 50);
  },
  120_000 + MUTANTS * 2000,
);
