import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { onceTogether, together } from './together.ts';
import { inTenant, type Work } from './work.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

const work = <T>(run: (one: Work) => Promise<T>) => inTenant(house.app, team.tenant, run);

/** Doubles numbers in the database, and remembers what it was asked at once. */
function doubling() {
  const asked: (readonly number[])[] = [];
  const double = together(async ({ tx }, numbers: readonly number[]) => {
    asked.push(numbers);
    const { rows } = await sql<{ twice: number }>`
      select n * 2 as twice from unnest(${[...numbers]}::int[]) with ordinality as t (n, place) order by place`.execute(
      tx,
    );
    return rows.map(({ twice }) => twice);
  });
  return { asked, double };
}

it('sends once what is asked side by side, and answers each with its own', async () => {
  const { asked, double } = doubling();
  const answers = await work((one) => Promise.all([3, 1, 2].map((n) => double(one, n))));
  expect(answers).toEqual([6, 2, 4]);
  expect(asked).toEqual([[3, 1, 2]]);
});

it('keeps those together who go the same way step by step', async () => {
  const { asked, double } = doubling();
  const fourfold = async (one: Work, n: number) => double(one, await double(one, n));
  expect(await work((one) => Promise.all([1, 2, 3].map((n) => fourfold(one, n))))).toEqual([4, 8, 12]);
  expect(asked).toEqual([
    [1, 2, 3],
    [2, 4, 6],
  ]);
});

it('asks again for what is asked after an answer', async () => {
  const { asked, double } = doubling();
  await work(async (one) => [await double(one, 1), await double(one, 1)]);
  expect(asked).toEqual([[1], [1]]);
});

it('does not mix the questions of two works', async () => {
  const { asked, double } = doubling();
  await Promise.all([work((one) => double(one, 1)), work((one) => double(one, 2))]);
  expect(asked.toSorted()).toEqual([[1], [2]]);
});

it('fails all who asked, and answers the next', async () => {
  let isBroken = true;
  const ask = together(async (_one, questions: readonly string[]) => {
    if (isBroken) throw new Error('broken');
    return questions;
  });
  const outcomes = await work((one) => Promise.allSettled(['a', 'b'].map((question) => ask(one, question))));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await work((one) => ask(one, 'c'))).toBe('c');
});

it('looks once for what several ask for by one name', async () => {
  const looked: string[] = [];
  const find = onceTogether(async (_one, name) => {
    looked.push(name);
    return name.toUpperCase();
  });
  const answers = await work((one) => Promise.all(['a', 'b', 'a'].map((name) => find(one, name))));
  expect(answers).toEqual(['A', 'B', 'A']);
  expect(looked).toEqual(['a', 'b']);
});
