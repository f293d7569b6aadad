/**
 * `npm run bench [-- NAME]`: our requests a second against those of a bare server, in one run on one machine.
 * The service runs as `ROLE=api`, so that no worker of ours takes time from it; the work that an order leaves
 * to a worker (fan-out, delivery) is written in the request and done by another process. Rounds alternate and the
 * median counts: trust the ratio, not the numbers beside it. `orders-list` measures ours against ours: the lists of
 * a team with a million orders (`ours`) against those of a team with a thousand (`bare`). `deliveries` measures one
 * sender against a loop that signs and posts and does nothing else; `deliveries-p99` what one endpoint that hangs costs
 * twenty that do not; `latency` how long a message is on its way, beside nothing.
 */
import { writeFile } from 'node:fs/promises';
import { cases, type Case } from './cases.ts';
import { fanOut, isolation, throughput } from './deliveries/cases.ts';
import { onDeliveryStage } from './deliveries/stage.ts';
import { fire, send } from './load.ts';
import { orderLists } from './order-lists/cases.ts';
import { onListStage } from './order-lists/stage.ts';
import type { Result } from './result.ts';
import { onStage, type Stage } from './stage.ts';

const ROUNDS = 5;
const ROUND_MS = 3000;
const WARM_UP_MS = 1500;
/** The bare answers must be as long as ours, but for an id or a moment here and there. */
const LENGTH_TOLERANCE = 0.02;

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

function table(results: readonly Result[], columns: readonly [string, string]): string {
  const width = Math.max(...results.map(({ name }) => name.length)) + 2;
  const line = (name: string, cells: readonly string[]) =>
    name.padEnd(width) + cells.map((cell) => cell.padStart(10)).join('');
  const rows = results.map(({ name, ours, bare, ratio, goal }) => {
    const verdict = ratio >= goal ? 'ok' : 'below';
    return line(name, [String(ours), String(bare), ratio.toFixed(3), goal.toFixed(3), verdict]);
  });
  return [line('case', [...columns, 'ratio', 'goal']), ...rows].join('\n');
}

const wanted = process.argv[2];
const isWanted = (name: string): boolean => wanted === undefined || name === wanted;
const chosen = cases.filter(({ name }) => isWanted(name));
const LISTS = 'orders-list';
const DELIVERIES = { deliveries: throughput, 'deliveries-p99': isolation };
const LATENCY = 'latency';
const names = [...cases.map(({ name }) => name), LISTS, ...Object.keys(DELIVERIES), LATENCY];
if (wanted !== undefined && !names.includes(wanted))
  throw new Error(`No case ${wanted}; there are ${names.join(', ')}`);

const beside: Result[] = [];
if (chosen.length > 0) {
  await onStage(async (stage) => {
    for (const each of chosen) beside.push(await measure(stage, each));
  });
}
const lists = isWanted(LISTS) ? await onListStage(orderLists) : [];
const sent: Result[] = [];
for (const [name, play] of Object.entries(DELIVERIES)) {
  if (isWanted(name)) sent.push(...(await onDeliveryStage(play)));
}
const ways = isWanted(LATENCY) ? await onDeliveryStage(fanOut) : [];
const results = [...beside, ...lists, ...sent].map(({ name, ours, bare, ratio, goal }) => ({
  name,
  ours,
  bare,
  ratio,
  goal,
}));
await writeFile(new URL('results.json', import.meta.url), `${JSON.stringify({ results })}\n`);
console.log(
  'ours: one process, ROLE=api; bare: one process; one database, fsync on; medians of alternating rounds\n',
);
if (beside.length > 0) console.log(table(beside, ['ours/s', 'bare/s']));
if (lists.length > 0) {
  console.log('\nFirst pages a second of a team with 1,000,000 orders, and of one with 1,000\n');
  console.log(table(lists, ['million/s', '1000/s']));
}
if (sent.length > 0) {
  console.log('\nDeliveries a second of one sender, and of the bare loop; milliseconds where it says p99\n');
  console.log(table(sent, ['ours', 'bare']));
}
if (ways.length > 0) console.log(`\n${ways.join('\n')}`);
