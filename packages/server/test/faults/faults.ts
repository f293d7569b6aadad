/**
 * `npm run faults [-- NAME...]`: kills processes and connections during writes, twenty times per scene, then audits the
 * data. Clients create users and orders with idempotency keys and retry until they get an answer; a receiver takes the
 * events. At the end everything acknowledged must exist exactly once, with its event once in the log and delivered.
 * Other scenes send laboratory results, book visits and rotate a data key, each with its own audit. A failed scene does
 * not affect others: the scenes after it get a new stage.
 */
import { parseArgs } from 'node:util';
import { openProgress } from '../../../../tools/progress/progress.ts';
import { describeDuration } from '../../../../tools/progress/time-left.ts';
import { auditScene, readStoredState, type FaultAudit } from './audit.ts';
import { bookingScene } from './booking-scene.ts';
import { dataKeyScene } from './data-key-scene.ts';
import { deliveryScenes } from './delivery-scenes.ts';
import { withDeliveryStage } from './delivery-stage.ts';
import { laboratoryScene } from './laboratory-scene.ts';
import { clockScenes, machineScenes } from './machine-scenes.ts';
import { whyNoClock, whyNoMachine, withClockStage, withMachineStage } from './machine-stage.ts';
import { reportScenes } from './report-scenes.ts';
import type { StandaloneScene } from './standalone-scene.ts';
import { playScene, scenes, type PlayedScene, type FaultScene } from './scenes.ts';
import { withFaultStage, type FaultStage } from './stage.ts';

const FINDINGS_SHOWN = 20;

const describePlayed = ({ acknowledged: { users, orders }, ...played }: PlayedScene): string =>
  describeScene({ ...played, told: `${users.size} users, ${orders.size} orders with their events` });

type SceneSummary = Omit<PlayedScene, 'acknowledged'> & { told: string };

function describeScene(summary: SceneSummary): string {
  const { scene, told, answers, kills, interrupted, recoveriesMs, observed = [] } = summary;
  const times = recoveriesMs.map(Math.round).toSorted((a, b) => a - b);
  const besides = [...answers]
    .filter(([name]) => name !== '200' && name !== 'AA')
    .map(([name, count]) => `${name} x ${count}`);
  return [
    `${scene.name}: ${scene.title}, ${kills} times, with ${interrupted} requests in flight`,
    `  acknowledged: ${told}`,
    `  time to the next acknowledgement: median ${times[times.length >> 1]} ms, maximum ${times.at(-1)} ms`,
    `  other responses: ${besides.toSorted().join(', ') || 'none'}`,
    ...observed.map((line) => `  seen: ${line}`),
  ].join('\n');
}

const ownScenes: readonly StandaloneScene[] = [laboratoryScene, bookingScene, dataKeyScene, ...reportScenes];
const names = [...scenes, ...deliveryScenes, ...machineScenes, ...clockScenes, ...ownScenes].map(
  ({ name }) => name,
);

function parseSceneNames(): readonly string[] {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`No scene is named ${unknown.join(' or ')}. The scenes are ${names.join(', ')}.`);
  return positionals.length === 0 ? names : positionals;
}

/** Exits with 2 if the arguments are not valid. */
function readSceneNames(): readonly string[] {
  try {
    return parseSceneNames();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(2);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const wanted = readSceneNames();
const progress = openProgress(names.filter((name) => wanted.includes(name)).map((name) => ({ name })));
const balances: FaultAudit[] = [];
const failures: string[] = [];
let acknowledged = 0;

function addFailure(name: string, error: unknown): void {
  failures.push(name);
  progress.print(`${name} failed: ${messageOf(error)}`);
}

/** Waits until everything has settled, reads the stored state once, and adds the audit of each scene. */
async function settle(stage: FaultStage, played: readonly PlayedScene[]): Promise<void> {
  if (played.length === 0) return;
  progress.print('Waiting until every event has been delivered');
  const books = await readStoredState(stage);
  for (const one of played) {
    const found = auditScene(one, books);
    progress.print(
      `${one.scene.name}: lost ${found.lost}, duplicated ${found.doubled}, redelivered with the same id ${found.redelivered}`,
    );
    acknowledged += one.acknowledged.users.size + one.acknowledged.orders.size;
    balances.push(found);
  }
}

/** Plays scenes on one stage until one fails or all are played; returns the scenes that are left. */
async function playOn<S extends FaultStage>(
  stage: S,
  all: readonly FaultScene<S>[],
): Promise<readonly FaultScene<S>[]> {
  const played: PlayedScene[] = [];
  let left = all;
  for (const [n, scene] of all.entries()) {
    left = all.slice(n + 1);
    progress.begin(scene.name);
    if (scene.embeddedOnly && !stage.postmaster) {
      progress.print(`${scene.name} skipped: it needs the embedded database`);
      continue;
    }
    try {
      const one = await playScene(stage, scene, progress.advance);
      progress.print(describePlayed(one));
      played.push(one);
    } catch (error) {
      addFailure(scene.name, error);
      break;
    }
  }
  await settle(stage, played).catch((error: unknown) => {
    for (const { scene } of played) addFailure(`the audit of ${scene.name}`, error);
  });
  return left;
}

type StageRunner<S> = <T>(use: (stage: S) => Promise<T>) => Promise<T>;

async function playAll<S extends FaultStage>(
  open: StageRunner<S>,
  all: readonly FaultScene<S>[],
): Promise<void> {
  let left = all.filter(({ name }) => wanted.includes(name));
  while (left.length > 0) {
    const [first] = left;
    try {
      left = [...(await open((stage) => playOn(stage, left)))];
    } catch (error) {
      addFailure(`the stage of ${first?.name}`, error);
      return;
    }
  }
}

async function playOwn(scene: StandaloneScene): Promise<void> {
  if (!wanted.includes(scene.name)) return;
  progress.begin(scene.name);
  try {
    const account = await scene.run(progress.advance);
    const { lost, doubled } = account;
    progress.print(describeScene({ scene, ...account }));
    progress.print(`${scene.name}: lost ${lost.length}, duplicated ${doubled.length}`);
    acknowledged += account.acknowledged;
    balances.push({
      lost: lost.length,
      doubled: doubled.length,
      redelivered: 0,
      findings: [...lost, ...doubled],
    });
  } catch (error) {
    addFailure(scene.name, error);
  }
}

/** Names the wanted scenes that cannot be played on this machine. */
function isPossible(all: readonly { readonly name: string }[], lack: string | undefined): boolean {
  if (lack === undefined) return true;
  for (const { name } of all) if (wanted.includes(name)) progress.print(`${name} skipped: ${lack}`);
  return false;
}

await playAll(withFaultStage, scenes);
await playAll(withDeliveryStage, deliveryScenes);
if (isPossible(machineScenes, whyNoMachine())) await playAll(withMachineStage, machineScenes);
if (isPossible(clockScenes, whyNoClock())) await playAll(withClockStage, clockScenes);
for (const scene of ownScenes) if (isPossible([scene], scene.lacks?.())) await playOwn(scene);

const seconds = progress.close();
for (const finding of balances.flatMap(({ findings }) => findings).slice(0, FINDINGS_SHOWN))
  progress.print(finding);
const total = (count: (of: FaultAudit) => number) => balances.reduce((sum, of) => sum + count(of), 0);
const [lost, doubled, again] = [
  total((of) => of.lost),
  total((of) => of.doubled),
  total((of) => of.redelivered),
];
progress.print(`redelivered with the same id: ${again}`);
if (failures.length > 0) progress.print(`failed: ${failures.join(', ')}`);
progress.print(
  `faults: acknowledged ${acknowledged}, lost ${lost}, duplicated ${doubled}, in ${describeDuration(seconds)}`,
);
process.exitCode = lost + doubled + failures.length === 0 ? 0 : 1;
