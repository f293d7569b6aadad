import { expect, it } from 'vitest';
import { z } from 'zod';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { DomainError } from '../errors.ts';
import { inTenant } from '../work.ts';
import { runStepOnce, hashRequest, runOnce } from './idempotency.ts';
import type { SerializedResponse } from './idempotency-store.ts';

const service = useTestService();
const team = useTestTeam(service);

const DONE: SerializedResponse = { status: 200, text: '"done"', headers: {} };

const request = (key: string, forgetErrors = false) => ({
  operation: 'ask',
  key,
  hash: hashRequest('the same'),
  forgetErrors,
  keepHours: 24,
});

/** Repeats a request with one key. */
const asking =
  (...keyed: Parameters<typeof request>) =>
  (effect: () => SerializedResponse): Promise<SerializedResponse> =>
    inTenant(service.app, team.tenant, (work) => runOnce(work, request(...keyed), async () => effect()));

/** The durable step of the request; each run has its own number. */
function beginning(...keyed: Parameters<typeof request>) {
  let begun = 0;
  const effect = async () => ({ begun: (begun += 1) });
  const shape = z.object({ begun: z.int() });
  return () =>
    inTenant(service.app, team.tenant, (work) => runStepOnce(work, request(...keyed), { shape, effect }));
}

const refuse = (error: DomainError) => (): SerializedResponse => {
  throw error;
};

it('stores an error response', async () => {
  const ask = asking('refused');
  const refused = { status: 409, text: '{"detail":"It is taken"}' };
  expect(await ask(refuse(new DomainError('conflict', 'It is taken')))).toMatchObject(refused);
  expect(await ask(() => DONE)).toMatchObject(refused);
});

it('does not store an error with Retry-After, and passes it on', async () => {
  const ask = asking('come again');
  const passing = new DomainError('conflict', 'It was taken a moment ago; try again', 1);
  await expect(ask(refuse(passing))).rejects.toMatchObject({ kind: 'conflict', retryAfterSeconds: 1 });
  expect(await ask(() => DONE)).toEqual(DONE);
});

it('runs a step once, even if the request was killed while it waited', async () => {
  const begin = beginning('begun');
  expect(await begin()).toEqual({ begun: 1 });
  expect(await begin()).toEqual({ begun: 1 });
  await asking('begun')(() => DONE);
  expect(await begin()).toEqual({ begun: 1 });
});

it('runs the step again when an error must not be stored', async () => {
  const begin = beginning('anew', true);
  const ask = asking('anew', true);
  expect(await begin()).toEqual({ begun: 1 });
  expect((await ask(refuse(new DomainError('bad_request', 'Nobody answered')))).status).toBe(400);
  expect(await begin()).toEqual({ begun: 2 });
});
