import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { useTestService } from '../service-hooks.ts';
import { expectConsistent } from './consistency.ts';
import { openClinic } from './clinic.ts';
import { seededRandom } from '../seeded-random.ts';
import { orderActions } from './order-actions.ts';
import { otherActions } from './other-actions.ts';

/**
 * Random walks of two teams with concurrent callers. Whatever happened, all data must be consistent at the end.
 * `WALK=1-50:200:/tmp/traces` runs the walks 1 to 50 with 200 steps each and writes a trace of each to the folder. The
 * default walk is short.
 */
const [seeds = '2', steps = '40', folder] = (process.env['WALK'] ?? '').split(':').filter(Boolean);
const [first = 1, last = first] = seeds.split('-').map(Number);
const CONCURRENT_ACTIONS = 4;
/** Long walks advance clocks far, and all work that becomes due has to run. */
const TIMEOUT_MS = 600_000;

const actions = { ...orderActions, ...otherActions };
const names: readonly string[] = Object.keys(actions);
const INITIAL_ACTIONS = ['create a user', 'create a user', 'place', 'place', 'send a kit', 'place'];

const service = useTestService();

it.each(Array.from({ length: last - first + 1 }, (_, n) => first + n))(
  'walk %i: all data is consistent',
  async (seed) => {
    const diary: string[] = [];
    try {
      await expect(walk(seed, diary)).resolves.toBeUndefined();
    } finally {
      if (folder !== undefined) writeFileSync(`${folder}/walk-${seed}.txt`, diary.join('\n'));
    }
  },
  TIMEOUT_MS,
);

/** Runs the same actions for the same seed, apart from races between concurrent actions. */
async function walk(seed: number, diary: string[]): Promise<void> {
  const roll = seededRandom(seed);
  const clinics = [await openClinic(service, diary), await openClinic(service, diary)];
  const take = (name: string) => {
    const own = seededRandom(roll.below(1e9));
    return withActionName(name, () => actions[name]?.(own.pick(clinics), own));
  };
  for (const name of [...INITIAL_ACTIONS, ...INITIAL_ACTIONS, ...INITIAL_ACTIONS]) await take(name);
  for (let left = Number(steps); left > 0;) {
    const round = Array.from({ length: roll.below(CONCURRENT_ACTIONS) + 1 }, () => take(roll.pick(names)));
    left -= round.length;
    for (const one of await Promise.allSettled(round)) if (one.status === 'rejected') throw one.reason;
  }
  await expectConsistent(service, clinics);
}

async function withActionName(name: string, deed: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await deed();
  } catch (error) {
    throw new Error(`The action "${name}" failed`, { cause: error });
  }
}
