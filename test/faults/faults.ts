/**
 * `npm run faults [-- NAME...]`: real kills in the middle of writing, twenty of each kind, and then the books.
 * Clients create users and orders under idempotency keys and ask again until they are answered; a receiver takes
 * the events. In the end everything acknowledged must be there once, its event in the log once, and at the receiver.
 * Besides, a laboratory sends results, and visits are booked, with books of their own. A scene that fails costs only
 * itself: those after it get a stage of their own.
 */
import { parseArgs } from 'node:util';
import { openProgress } from '../../tools/progress/progress.ts';
import { describeDuration } from '../../tools/progress/time-left.ts';
import { balance, readBooks, type Balance } from './audit.ts';
import { bookingScene } from './booking-scene.ts';
import { dataKeyScene } from './data-key-scene.ts';
import { deliveryScenes } from './delivery-scenes.ts';
import { onDeliveryStage } from './delivery-stage.ts';
import { laboratoryScene } from './laboratory-scene.ts';
import type { OwnScene } from './own-scene.ts';
import { play, scenes, type Played, type Scene } from './scenes.ts';
import { onStage, type Stage } from './stage.ts';

const FINDINGS_SHOWN = 20;

const lineOf = ({ acknowledged: { users, orders }, ...played }: Played): string =>
  storyOf({ ...played, told: `${users.size} users, ${orders.size} orders with their events` });

type Story = Omit<Played, 'acknowledged'> & { told: string };

function storyOf({ scene, told, answers, kills, interrupted, recoveriesMs }: Story): string {
  const times = recoveriesMs.map(Math.round).toSorted((a, b) => a - b);
  const besides = [...answers]
    .filter(([name]) => name !== '200' && name !== 'AA')
    .map(([name, count]) => `${name} x ${count}`);
  return [
    `${scene.name}: ${scene.title}, ${kills} times, with ${interrupted} requests under way`,
    `  acknowledged: ${told}`,
    `  next acknowledgement after ${times[times.length >> 1]} ms at the median, ${times.at(-1)} ms at most`,
    `  answers besides what was wanted: ${besides.toSorted().join(', ') || 'none'}`,
  ].join('\n');
}

const ownScenes: readonly OwnScene[] = [laboratoryScene, bookingScene, dataKeyScene];
const names = [...scenes, ...deliveryScenes, ...ownScenes].map(({ name }) => name);

function wantedNames(): readonly string[] {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`No scene is named ${unknown.join(' or ')}. The scenes are ${names.join(', ')}.`);
  return positionals.length === 0 ? names : positionals;
}

/** A run without usable arguments ends here. */
function readNames(): readonly string[] {
  try {
    return wantedNames();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(2);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const wanted = readNames();
const progress = openProgress(names.filter((name) => wanted.includes(name)).map((name) => ({ name })));
const balances: Balance[] = [];
const failures: string[] = [];
let acknowledged = 0;

function addFailure(name: string, error: unknown): void {
  failures.push(name);
  progress.print(`${name} failed: ${messageOf(error)}`);
}

/** Waits until everything has settled, reads the books once, and adds what they say of each scene. */
async function settle(stage: Stage, played: readonly Played[]): Promise<void> {
  if (played.length === 0) return;
  progress.print('Waiting until every event has been delivered');
  const books = await readBooks(stage);
  for (const one of played) {
    const found = balance(one, books);
    progress.print(
      `${one.scene.name}: lost ${found.lost}, doubled ${found.doubled}, sent again under the same id ${found.again}`,
    );
    acknowledged += one.acknowledged.users.size + one.acknowledged.orders.size;
    balances.push(found);
  }
}

/** Plays scenes on one stage until one fails or all are played; answers those that are left. */
async function playOn<S extends Stage>(stage: S, all: readonly Scene<S>[]): Promise<readonly Scene<S>[]> {
  const played: Played[] = [];
  let left = all;
  for (const [n, scene] of all.entries()) {
    left = all.slice(n + 1);
    progress.begin(scene.name);
    if (scene.embeddedOnly && !stage.postmaster) {
      progress.print(`${scene.name} skipped: it needs the embedded database`);
      continue;
    }
    try {
      const one = await play(stage, scene, progress.advance);
      progress.print(lineOf(one));
      played.push(one);
    } catch (error) {
      addFailure(scene.name, error);
      break;
    }
  }
  await settle(stage, played).catch((error: unknown) => {
    for (const { scene } of played) addFailure(`the books of ${scene.name}`, error);
  });
  return left;
}

type OnStage<S> = <T>(use: (stage: S) => Promise<T>) => Promise<T>;

async function playAll<S extends Stage>(open: OnStage<S>, all: readonly Scene<S>[]): Promise<void> {
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

async function playOwn(scene: OwnScene): Promise<void> {
  if (!wanted.includes(scene.name)) return;
  progress.begin(scene.name);
  try {
    const account = await scene.run(progress.advance);
    const { lost, doubled } = account;
    progress.print(storyOf({ scene, ...account }));
    progress.print(`${scene.name}: lost ${lost.length}, doubled ${doubled.length}`);
    acknowledged += account.acknowledged;
    balances.push({ lost: lost.length, doubled: doubled.length, again: 0, findings: [...lost, ...doubled] });
  } catch (error) {
    addFailure(scene.name, error);
  }
}

await playAll(onStage, scenes);
await playAll(onDeliveryStage, deliveryScenes);
for (const scene of ownScenes) await playOwn(scene);

const seconds = progress.close();
for (const finding of balances.flatMap(({ findings }) => findings).slice(0, FINDINGS_SHOWN))
  progress.print(finding);
const total = (count: (of: Balance) => number) => balances.reduce((sum, of) => sum + count(of), 0);
const [lost, doubled, again] = [total((of) => of.lost), total((of) => of.doubled), total((of) => of.again)];
progress.print(`sent again under the same id: ${again}`);
if (failures.length > 0) progress.print(`failed: ${failures.join(', ')}`);
progress.print(
  `faults: acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}, in ${describeDuration(seconds)}`,
);
process.exitCode = lost + doubled + failures.length === 0 ? 0 : 1;
