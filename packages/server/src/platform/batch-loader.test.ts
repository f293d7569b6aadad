import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../test/service-hooks.ts';
import { createDedupingLoader, createBatchLoader } from './batch-loader.ts';
import { inTenant, type Work } from './work.ts';

const service = useTestService();
const team = useTestTeam(service);

const work = <T>(run: (one: Work) => Promise<T>) => inTenant(service.app, team.tenant, run);

/** Doubles numbers in the database, and records its batches. */
function doubling() {
  const asked: (readonly number[])[] = [];
  const double = createBatchLoader(async ({ tx }, numbers: readonly number[]) => {
    asked.push(numbers);
    const { rows } = await sql<{ twice: number }>`
      select n * 2 as twice from unnest(${[...numbers]}::int[]) with ordinality as t (n, place) order by place`.execute(
      tx,
    );
    return rows.map(({ twice }) => twice);
  });
  return { asked, double };
}

it('sends concurrent lookups as one, and returns each its own answer', async () => {
  const { asked, double } = doubling();
  const answers = await work((one) => Promise.all([3, 1, 2].map((n) => double(one, n))));
  expect(answers).toEqual([6, 2, 4]);
  expect(asked).toEqual([[3, 1, 2]]);
});

it('batches each step of parallel sequences', async () => {
  const { asked, double } = doubling();
  const fourfold = async (one: Work, n: number) => double(one, await double(one, n));
  expect(await work((one) => Promise.all([1, 2, 3].map((n) => fourfold(one, n))))).toEqual([4, 8, 12]);
  expect(asked).toEqual([
    [1, 2, 3],
    [2, 4, 6],
  ]);
});

it('sends a later lookup again', async () => {
  const { asked, double } = doubling();
  await work(async (one) => [await double(one, 1), await double(one, 1)]);
  expect(asked).toEqual([[1], [1]]);
});

it('does not mix the lookups of two works', async () => {
  const { asked, double } = doubling();
  await Promise.all([work((one) => double(one, 1)), work((one) => double(one, 2))]);
  expect(asked.toSorted()).toEqual([[1], [2]]);
});

it('fails all lookups of a failed batch, and not the next', async () => {
  let isBroken = true;
  const ask = createBatchLoader(async (_one, questions: readonly string[]) => {
    if (isBroken) throw new Error('broken');
    return questions;
  });
  const outcomes = await work((one) => Promise.allSettled(['a', 'b'].map((question) => ask(one, question))));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await work((one) => ask(one, 'c'))).toBe('c');
});

it('looks up a name once for several callers', async () => {
  const looked: string[] = [];
  const find = createDedupingLoader(async (_one, name) => {
    looked.push(name);
    return name.toUpperCase();
  });
  const answers = await work((one) => Promise.all(['a', 'b', 'a'].map((name) => find(one, name))));
  expect(answers).toEqual(['A', 'B', 'A']);
  expect(looked).toEqual(['a', 'b']);
});

it('rejects all lookups of a batch with too few answers', async () => {
  const ask = createBatchLoader(async (_one, questions: readonly string[]) => questions.slice(1));
  const outcomes = await work((one) => Promise.allSettled(['a', 'b'].map((question) => ask(one, question))));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('rejects the lookups of a batch whose query cannot be built', async () => {
  const ask = createBatchLoader((_one, questions: readonly string[]): Promise<readonly string[]> => {
    throw new Error(`cannot ask for ${questions.join(', ')}`);
  });
  await expect(work((one) => ask(one, 'a'))).rejects.toThrow('cannot ask for a');
});
