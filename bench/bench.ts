/**
 * `npm run bench [-- NAME]`: our requests a second against those of a bare server, in one run on one machine.
 * The service runs as `ROLE=api`, so that no worker of ours takes time from it; the work that an order leaves
 * to a worker (fan-out, delivery) is written in the request and done by another process. Rounds alternate and the
 * median counts: trust the ratio, not the numbers beside it. `orders-list` measures ours against ours: the lists of
 * a team with a million orders (`ours`) against those of a team with a thousand (`bare`). `deliveries` measures one
 * sender against a loop that signs and posts and does nothing else; `deliveries-p99` what one endpoint that hangs costs
 * twenty that do not; `latency` how long a message is on its way, beside nothing. `machine-step` measures a step of an order's
 * machine with its event, in one process with the three statements by hand.
 * `auth` measures a GET behind the gate (`ours`) against the same without a gate (`bare`).
 * `samples-bulk`, `-push`, `-size` and `-read` measure the storage of samples (`ours`) against rows of a bare table (`bare`).
 * `report-text` reads the pages of text reports (`ours`) beside pdftotext (`bare`), where that is installed.
 * `availability-cache` measures availability from what is kept (`ours`) against a provider 50 ms away (`bare`).
 */
import { writeFile } from 'node:fs/promises';
import { availabilityCache } from './availability-cache.ts';
import { cases, type Case } from './cases.ts';
import { fanOut, isolation, throughput } from './deliveries/cases.ts';
import { onDeliveryStage } from './deliveries/stage.ts';
import { auth } from './auth/cases.ts';
import { hl7Intake } from './hl7-intake/cases.ts';
import { reportText } from './lab-reports/cases.ts';
import { fire, send } from './load.ts';
import { orderLists } from './order-lists/cases.ts';
import { onListStage } from './order-lists/stage.ts';
import { machineStep } from './machine-step/cases.ts';
import { onStepStage } from './machine-step/stage.ts';
import { ratioOf, type Result } from './result.ts';
import { onStage, type Stage } from './stage.ts';
import { sampleCases } from './wearables/cases.ts';
import { onSampleStage } from './wearables/stage.ts';

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
  return ratioOf(name, { ours, bare, goal });
}

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
const CACHE = 'availability-cache';
const STEP = 'machine-step';
const INTAKE = 'hl7-intake';
const AUTH = 'auth';
const REPORT_TEXT = 'report-text';
const names = [
  ...cases.map(({ name }) => name),
  STEP,
  INTAKE,
  AUTH,
  REPORT_TEXT,
  LISTS,
  ...Object.keys(DELIVERIES),
  LATENCY,
  CACHE,
  ...Object.keys(sampleCases),
];
if (wanted !== undefined && !names.includes(wanted))
  throw new Error(`No case ${wanted}; there are ${names.join(', ')}`);

const beside: Result[] = [];
if (chosen.length > 0) {
  await onStage(async (stage) => {
    for (const each of chosen) beside.push(await measure(stage, each));
  });
}
if (isWanted(STEP)) beside.push(await onStepStage(machineStep));
if (isWanted(AUTH)) beside.push(await auth());
if (isWanted(INTAKE)) beside.push(...(await hl7Intake()));
const lists = isWanted(LISTS) ? await onListStage(orderLists) : [];
const sent: Result[] = [];
for (const [name, play] of Object.entries(DELIVERIES)) {
  if (isWanted(name)) sent.push(...(await onDeliveryStage(play)));
}
const ways = isWanted(LATENCY) ? await onDeliveryStage(fanOut) : [];
const kept = isWanted(CACHE) ? await availabilityCache() : [];
const pages = isWanted(REPORT_TEXT) ? await reportText() : [];
const sampled: Result[] = [];
for (const [name, measured] of Object.entries(sampleCases)) {
  if (isWanted(name)) sampled.push(await onSampleStage(measured));
}
const results = [...beside, ...lists, ...sent, ...kept, ...pages, ...sampled].map(
  ({ name, ours, bare, ratio, goal }) => ({
    name,
    ours,
    bare,
    ratio,
    goal,
  }),
);
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
if (kept.length > 0) {
  console.log('\nAvailability answers a second from what is kept, and from a provider 50 ms away\n');
  console.log(table(kept, ['kept/s', 'asked/s']));
}
if (pages.length > 0) {
  console.log('\nPages of text reports a second, and those of pdftotext\n');
  console.log(table(pages, ['pages/s', 'pdftotext']));
}
if (sampled.length > 0) {
  console.log(
    '\nSamples a second, or in a mebibyte, and those of a bare table; pushes of twelve and single rows\n',
  );
  console.log(table(sampled, ['ours', 'bare']));
}
if (ways.length > 0) console.log(`\n${ways.join('\n')}`);
