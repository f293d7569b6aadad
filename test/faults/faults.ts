/**
 * `npm run faults [-- NAME]`: real kills in the middle of writing, twenty of each kind, and then the books.
 * Clients create users and orders under idempotency keys and ask again until they are answered; a receiver takes
 * the events. In the end everything acknowledged must be there once, its event in the log once, and at the receiver.
 */
import { balance, readBooks, type Balance } from './audit.ts';
import { deliveryScenes } from './delivery-scenes.ts';
import { onDeliveryStage } from './delivery-stage.ts';
import { play, scenes, type Played, type Scene } from './scenes.ts';
import { onStage, type Stage } from './stage.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const FINDINGS_SHOWN = 20;

function lineOf({ scene, acknowledged, answers, kills, interrupted, recoveriesMs }: Played): string {
  const times = recoveriesMs.map(Math.round).toSorted((a, b) => a - b);
  const besides = [...answers]
    .filter(([name]) => name !== '200')
    .map(([name, count]) => `${name} x ${count}`);
  return [
    `${scene.name}: ${scene.title}, ${kills} times, with ${interrupted} requests under way`,
    `  acknowledged: ${acknowledged.users.size} users, ${acknowledged.orders.size} orders with their events`,
    `  next acknowledgement after ${times[times.length >> 1]} ms at the median, ${times.at(-1)} ms at most`,
    `  answers besides 200: ${besides.toSorted().join(', ') || 'none'}`,
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
const chosen = <S extends Stage>(all: readonly Scene<S>[]) =>
  all.filter(({ name }) => wanted === undefined || wanted === name);
const [ofService, ofDelivery] = [chosen(scenes), chosen(deliveryScenes)];
if (ofService.length + ofDelivery.length === 0) {
  const names = [...scenes, ...deliveryScenes].map(({ name }) => name);
  throw new Error(`No scene ${wanted}; there are ${names.join(', ')}`);
}

const accounts: Account[] = [];
if (ofService.length > 0) accounts.push(await onStage((stage) => run(stage, ofService)));
if (ofDelivery.length > 0) accounts.push(await onDeliveryStage((stage) => run(stage, ofDelivery)));

const balances = accounts.flatMap((account) => account.balances);
for (const finding of balances.flatMap(({ findings }) => findings).slice(0, FINDINGS_SHOWN)) say(finding);
const total = (count: (of: Balance) => number) => balances.reduce((sum, of) => sum + count(of), 0);
const acknowledged = accounts
  .flatMap(({ played }) => played)
  .reduce((sum, one) => sum + one.acknowledged.users.size + one.acknowledged.orders.size, 0);
const [lost, doubled, again] = [total((of) => of.lost), total((of) => of.doubled), total((of) => of.again)];
say(`sent again under the same id: ${again}`);
say(`faults: acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}`);
process.exitCode = lost + doubled === 0 ? 0 : 1;
