import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHouse, type House } from '../house.ts';
import { balance } from './books.ts';
import { openClinic } from './clinic.ts';
import { dice } from '../dice.ts';
import { orderDeeds } from './order-deeds.ts';
import { otherDeeds } from './other-deeds.ts';

/**
 * Random lives of two teams at once, several callers beside each other; whatever happened, the books balance in the end.
 * `WALK=1-50:200:/tmp/diaries` takes the walks 1 to 50 with 200 steps each and writes down what happened in each;
 * what runs with every change is short.
 */
const [seeds = '2', steps = '40', folder] = (process.env['WALK'] ?? '').split(':').filter(Boolean);
const [first = 1, last = first] = seeds.split('-').map(Number);
const AT_ONCE = 4;
/** Long walks move clocks far, and everything on the way happens. */
const PATIENCE_MS = 600_000;

const deeds = { ...orderDeeds, ...otherDeeds };
const names: readonly string[] = Object.keys(deeds);
const BEGINNING = ['create a user', 'create a user', 'place', 'place', 'send a kit', 'place'];

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

it.each(Array.from({ length: last - first + 1 }, (_, n) => first + n))(
  'walk %i: the books balance',
  async (seed) => {
    const diary: string[] = [];
    try {
      await expect(walk(seed, diary)).resolves.toBeUndefined();
    } finally {
      if (folder !== undefined) writeFileSync(`${folder}/walk-${seed}.txt`, diary.join('\n'));
    }
  },
  PATIENCE_MS,
);

/** The same deeds for the same seed, but for what those of one round do to each other. */
async function walk(seed: number, diary: string[]): Promise<void> {
  const roll = dice(seed);
  const clinics = [await openClinic(house, diary), await openClinic(house, diary)];
  const take = (name: string) => {
    const own = dice(roll.below(1e9));
    return goodEnd(name, () => deeds[name]?.(own.pick(clinics), own));
  };
  for (const name of [...BEGINNING, ...BEGINNING, ...BEGINNING]) await take(name);
  for (let left = Number(steps); left > 0;) {
    const round = Array.from({ length: roll.below(AT_ONCE) + 1 }, () => take(roll.pick(names)));
    left -= round.length;
    for (const one of await Promise.allSettled(round)) if (one.status === 'rejected') throw one.reason;
  }
  await balance(house, clinics);
}

async function goodEnd(name: string, deed: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await deed();
  } catch (error) {
    throw new Error(`To ${name} did not go well`, { cause: error });
  }
}
