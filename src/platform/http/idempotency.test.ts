import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { inTenant } from '../../app.ts';
import { DomainError } from '../errors.ts';
import { hashRequest, once } from './idempotency.ts';
import type { SentAnswer } from './idempotency-store.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

const DONE: SentAnswer = { status: 200, text: '"done"', headers: {} };

/** The same request again and again, by one key; it does what it is told to. */
const asking =
  (key: string) =>
  (effect: () => SentAnswer): Promise<SentAnswer> =>
    inTenant(house.app, team.tenant, (work) =>
      once(
        work,
        { operation: 'ask', key, hash: hashRequest('the same'), forgetErrors: false, keepHours: 24 },
        async () => effect(),
      ),
    );

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
