/**
 * `npm run faults [-- NAME]`: real kills in the middle of writing, twenty of each kind, and then the books.
 * Clients create users and orders under idempotency keys and ask again until they are answered; a receiver takes
 * the events. In the end everything acknowledged must be there once, its event in the log once, and at the receiver.
 */
import { balance, readBooks } from './audit.ts';
import { play, scenes, type Played } from './scenes.ts';
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

async function run(stage: Stage): Promise<boolean> {
  const played: Played[] = [];
  for (const scene of scenes) {
    if (wanted !== undefined && scene.name !== wanted) continue;
    if (scene.embeddedOnly && !stage.postmaster) continue;
    const one = await play(stage, scene);
    say(lineOf(one));
    played.push(one);
  }
  const books = await readBooks(stage);
  const balances = played.map((one) => ({ name: one.scene.name, ...balance(one, books) }));
  for (const { name, lost, doubled } of balances) say(`${name}: lost ${lost}, doubled ${doubled}`);
  for (const finding of balances.flatMap(({ findings }) => findings).slice(0, FINDINGS_SHOWN)) say(finding);
  const total = (count: (of: (typeof balances)[number]) => number) =>
    balances.reduce((sum, of) => sum + count(of), 0);
  const [lost, doubled] = [total((of) => of.lost), total((of) => of.doubled)];
  const acknowledged = played.reduce(
    (sum, { acknowledged: { users, orders } }) => sum + users.size + orders.size,
    0,
  );
  say(`faults: acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}`);
  return lost + doubled === 0;
}

const wanted = process.argv[2];
if (wanted !== undefined && !scenes.some(({ name }) => name === wanted)) {
  throw new Error(`No scene ${wanted}; there are ${scenes.map(({ name }) => name).join(', ')}`);
}
process.exitCode = (await onStage(run)) ? 0 : 1;
