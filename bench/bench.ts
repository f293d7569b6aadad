/**
 * `npm run bench [-- NAME]`: our requests a second against those of a bare server, in one run on one machine.
 * The service runs as `ROLE=api`, so that no worker of ours takes time from it; the work that an order leaves
 * to a worker (fan-out, delivery) is written in the request and done by another process. Rounds alternate and the
 * median counts: trust the ratio, not the numbers beside it.
 */
import { writeFile } from 'node:fs/promises';
import { cases, type Case } from './cases.ts';
import { fire, send } from './load.ts';
import { onStage, type Stage } from './stage.ts';

const ROUNDS = 5;
const ROUND_MS = 3000;
const WARM_UP_MS = 1500;
/** The bare answers must be as long as ours, but for an id or a moment here and there. */
const LENGTH_TOLERANCE = 0.02;

interface Result {
  readonly name: string;
  readonly ours: number;
  readonly bare: number;
  readonly ratio: number;
  readonly goal: number;
}

async function measure(stage: Stage, { name, goal, shots }: Case): Promise<Result> {
  const shoot = shots(stage);
  const [our, their] = [await send(stage.ours, shoot(0)), await send(stage.bare, shoot(0))];
  if (Math.abs(our.length - their.length) > our.length * LENGTH_TOLERANCE) {
    throw new Error(
      `${name}: the bare answer has ${their.length} characters, ours ${our.length}\n${our}\n${their}`,
    );
  }
  await fire(stage.ours, shoot, WARM_UP_MS);
  await fire(stage.bare, shoot, WARM_UP_MS);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0;
    if (first) ours.push(await fire(stage.ours, shoot, ROUND_MS));
    bare.push(await fire(stage.bare, shoot, ROUND_MS));
    if (!first) ours.push(await fire(stage.ours, shoot, ROUND_MS));
  }
  const [a, b] = [Math.round(median(ours)), Math.round(median(bare))];
  return { name, ours: a, bare: b, ratio: Number((a / b).toFixed(3)), goal };
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

function table(results: readonly Result[]): string {
  const line = (name: string, cells: readonly string[]) =>
    name.padEnd(14) + cells.map((cell) => cell.padStart(9)).join('');
  const rows = results.map(({ name, ours, bare, ratio, goal }) => {
    const verdict = ratio >= goal ? 'ok' : 'below';
    return line(name, [String(ours), String(bare), ratio.toFixed(3), goal.toFixed(3), verdict]);
  });
  return [line('case', ['ours/s', 'bare/s', 'ratio', 'goal']), ...rows].join('\n');
}

const wanted = process.argv[2];
const chosen = cases.filter(({ name }) => wanted === undefined || name === wanted);
if (chosen.length === 0)
  throw new Error(`No case ${wanted}; there are ${cases.map(({ name }) => name).join(', ')}`);

const results = await onStage(async (stage) => {
  const measured: Result[] = [];
  for (const each of chosen) measured.push(await measure(stage, each));
  return measured;
});
await writeFile(new URL('results.json', import.meta.url), `${JSON.stringify({ results })}\n`);
console.log(
  'ours: one process, ROLE=api; bare: one process; one database, fsync on; medians of alternating rounds\n',
);
console.log(table(results));
