import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { DomainError } from '../errors.ts';
import { inTenant } from '../work.ts';
import { begunOnce, hashRequest, once } from './idempotency.ts';
import type { SentAnswer } from './idempotency-store.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

const DONE: SentAnswer = { status: 200, text: '"done"', headers: {} };

const request = (key: string, forgetErrors = false) => ({
  operation: 'ask',
  key,
  hash: hashRequest('the same'),
  forgetErrors,
  keepHours: 24,
});

/** The same request again and again, by one key; it does what it is told to. */
const asking =
  (...keyed: Parameters<typeof request>) =>
  (effect: () => SentAnswer): Promise<SentAnswer> =>
    inTenant(house.app, team.tenant, (work) => once(work, request(...keyed), async () => effect()));

/** What such a request begins before it waits; every beginning has a number of its own. */
function beginning(...keyed: Parameters<typeof request>) {
  let begun = 0;
  const effect = async () => ({ begun: (begun += 1) });
  const shape = z.object({ begun: z.int() });
  return () =>
    inTenant(house.app, team.tenant, (work) => begunOnce(work, request(...keyed), { shape, effect }));
}

const refuse = (error: DomainError) => (): SentAnswer => {
  throw error;
};

it('keeps a refusal', async () => {
  const ask = asking('refused');
  const refused = { status: 409, text: '{"detail":"It is taken"}' };
  expect(await ask(refuse(new DomainError('conflict', 'It is taken')))).toMatchObject(refused);
  expect(await ask(() => DONE)).toMatchObject(refused);
});

it('does not keep a refusal that asks to come again, and hands on when', async () => {
  const ask = asking('come again');
  const passing = new DomainError('conflict', 'It was taken a moment ago; try again', 1);
  await expect(ask(refuse(passing))).rejects.toMatchObject({ kind: 'conflict', retryAfterSeconds: 1 });
  expect(await ask(() => DONE)).toEqual(DONE);
});

it('begins once what a request then waits for, though it was killed while it waited', async () => {
  const begin = beginning('begun');
  expect(await begin()).toEqual({ begun: 1 });
  expect(await begin()).toEqual({ begun: 1 });
  await asking('begun')(() => DONE);
  expect(await begin()).toEqual({ begun: 1 });
});

it('begins anew where an error was not to be kept', async () => {
  const begin = beginning('anew', true);
  const ask = asking('anew', true);
  expect(await begin()).toEqual({ begun: 1 });
  expect((await ask(refuse(new DomainError('bad_request', 'Nobody answered')))).status).toBe(400);
  expect(await begin()).toEqual({ begun: 2 });
});
