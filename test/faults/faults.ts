/**
 * `npm run faults [-- NAME]`: real kills in the middle of writing, twenty of each kind, and then the books.
 * Clients create users and orders under idempotency keys and ask again until they are answered; a receiver takes
 * the events. In the end everything acknowledged must be there once, its event in the log once, and at the receiver.
 * Besides, a laboratory sends results, and visits are booked, with books of their own.
 */
import { balance, readBooks, type Balance } from './audit.ts';
import { bookingScene } from './booking-scene.ts';
import { dataKeyScene } from './data-key-scene.ts';
import { deliveryScenes } from './delivery-scenes.ts';
import { onDeliveryStage } from './delivery-stage.ts';
import { laboratoryScene } from './laboratory-scene.ts';
import type { OwnAccount, OwnScene } from './own-scene.ts';
import { play, scenes, type Played, type Scene } from './scenes.ts';
import { onStage, type Stage } from './stage.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
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

interface Account {
  readonly played: readonly Played[];
  readonly balances: readonly (Balance & { name: string })[];
}

/** Plays the wanted scenes on one stage, lets everything settle, and reads the books once. */
async function run<S extends Stage>(stage: S, all: readonly Scene<S>[]): Promise<Account> {
  const played: Played[] = [];
  for (const scene of all) {
    if (scene.embeddedOnly && !stage.postmaster) continue;
    const one = await play(stage, scene);
    say(lineOf(one));
    played.push(one);
  }
  const books = await readBooks(stage);
  const balances = played.map((one) => ({ name: one.scene.name, ...balance(one, books) }));
  for (const { name, lost, doubled, again } of balances) {
    say(`${name}: lost ${lost}, doubled ${doubled}, sent again under the same id ${again}`);
  }
  return { played, balances };
}

const wanted = process.argv[2];
const chosen = <S extends { name: string }>(all: readonly S[]) =>
  all.filter(({ name }) => wanted === undefined || wanted === name);
const ownScenes: readonly OwnScene[] = [laboratoryScene, bookingScene, dataKeyScene];
const [ofService, ofDelivery, ofTheirOwn] = [chosen(scenes), chosen(deliveryScenes), chosen(ownScenes)];
if (ofService.length + ofDelivery.length + ofTheirOwn.length === 0) {
  const names = [...scenes, ...deliveryScenes, ...ownScenes].map(({ name }) => name);
  throw new Error(`No scene ${wanted}; there are ${names.join(', ')}`);
}

const accounts: Account[] = [];
if (ofService.length > 0) accounts.push(await onStage((stage) => run(stage, ofService)));
if (ofDelivery.length > 0) accounts.push(await onDeliveryStage((stage) => run(stage, ofDelivery)));
const ownAccounts: OwnAccount[] = [];
for (const scene of ofTheirOwn) {
  const account = await scene.run();
  say(storyOf({ scene, ...account }));
  say(`${scene.name}: lost ${account.lost.length}, doubled ${account.doubled.length}`);
  ownAccounts.push(account);
}

const balances = [
  ...accounts.flatMap((account) => account.balances),
  ...ownAccounts.map(({ lost, doubled }) => ({
    lost: lost.length,
    doubled: doubled.length,
    again: 0,
    findings: [...lost, ...doubled],
  })),
];
for (const finding of balances.flatMap(({ findings }) => findings).slice(0, FINDINGS_SHOWN)) say(finding);
const total = (count: (of: Balance) => number) => balances.reduce((sum, of) => sum + count(of), 0);
const acknowledged = [
  ...accounts
    .flatMap(({ played }) => played)
    .map(({ acknowledged: { users, orders } }) => users.size + orders.size),
  ...ownAccounts.map((account) => account.acknowledged),
].reduce((sum, count) => sum + count, 0);
const [lost, doubled, again] = [total((of) => of.lost), total((of) => of.doubled), total((of) => of.again)];
say(`sent again under the same id: ${again}`);
say(`faults: acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}`);
process.exitCode = lost + doubled === 0 ? 0 : 1;
