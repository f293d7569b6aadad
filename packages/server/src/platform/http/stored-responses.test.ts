import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { HOUR } from '../clock.ts';
import { asSystem } from '../db/transact.ts';
import { DomainError } from '../errors.ts';
import type { Tenant } from '../tenant.ts';
import { inTenant } from '../work.ts';
import { startIdempotencyCleaner } from './idempotency-cleaner.ts';
import { runStepOnce, hashRequest, runOnce } from './idempotency.ts';
import {
  tryLockKey,
  removeExpired,
  type IdempotentRequest,
  type SerializedResponse,
} from './idempotency-store.ts';

const service = useTestService();
const team = useTestTeam(service);

const DONE: SerializedResponse = { status: 200, text: '"done"', headers: {} };

const request = (key: string, more: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  operation: 'ask',
  key,
  hash: hashRequest('the same'),
  forgetErrors: false,
  keepHours: 24,
  ...more,
});

const ask = (
  asked: IdempotentRequest,
  effect: () => SerializedResponse,
  tenant: Tenant = team.tenant,
): Promise<SerializedResponse> =>
  inTenant(service.app, tenant, (work) => runOnce(work, asked, async () => effect()));

const says = (text: string) => (): SerializedResponse => ({ status: 200, text, headers: {} });
const fail = (error: Error) => (): SerializedResponse => {
  throw error;
};

/** Runs a durable step for a request; each run has its own number. */
function beginnings(tenant: () => Tenant = () => team.tenant) {
  let begun = 0;
  const effect = async () => ({ begun: (begun += 1) });
  const shape = z.object({ begun: z.int() });
  return async (asked: IdempotentRequest): Promise<number> =>
    (await inTenant(service.app, tenant(), (work) => runStepOnce(work, asked, { shape, effect }))).begun;
}

describe('a stored response', () => {
  it('is replayed with its status, its bytes and its headers', async () => {
    const sent = { status: 201, text: '{"id": 1}', headers: { location: '/one', 'x-count': '1' } };
    await ask(request('headers'), () => sent);
    const again = await ask(request('headers'), fail(new Error('asked twice')));
    expect({ ...again, text: again.text.toString() }).toEqual({
      ...sent,
      headers: { ...sent.headers, 'idempotency-replayed': 'true' },
    });
  });

  it('is scoped by key, operation, environment and team', async () => {
    const other = await service.team();
    const production: Tenant = { ...team.tenant, environment: 'production' };
    expect((await ask(request('one'), says('1'))).text).toBe('1');
    expect((await ask(request('two'), says('2'))).text).toBe('2');
    expect((await ask(request('one', { operation: 'tell' }), says('3'))).text).toBe('3');
    expect((await ask(request('one'), says('4'), production)).text).toBe('4');
    expect((await ask(request('one'), says('5'), other.tenant)).text).toBe('5');
    for (const [asked, tenant, text] of [
      [request('one'), team.tenant, '1'],
      [request('two'), team.tenant, '2'],
      [request('one', { operation: 'tell' }), team.tenant, '3'],
      [request('one'), production, '4'],
      [request('one'), other.tenant, '5'],
    ] as const)
      expect((await ask(asked, says('anew'), tenant)).text.toString()).toBe(text);
  });

  it('is replaced as soon as it has expired', async () => {
    const asked = request('hours', { keepHours: 2 });
    await ask(asked, says('old'));
    service.clock.move(2 * HOUR - 1);
    expect((await ask(asked, says('new'))).text.toString()).toBe('old');
    service.clock.move(1);
    expect((await ask(asked, says('new'))).text.toString()).toBe('new');
    service.clock.move(2 * HOUR - 1);
    expect((await ask(asked, says('newest'))).text.toString()).toBe('new');
  });

  it('may be of any length, and is encrypted', async () => {
    const text = JSON.stringify({ name: 'Ada'.repeat(2000) });
    await ask(request('sealed'), says(text));
    const { rows } = await service.ownerPool.query<{ answer: Buffer }>(
      `select answer from idempotency_record where idempotency_key = 'sealed'`,
    );
    expect(rows.map(({ answer }) => answer.includes('Ada'))).toEqual([false]);
    expect((await ask(request('sealed'), says('anew'))).text.toString()).toBe(text);
  });
});

describe('a failure', () => {
  it.each(['invalid', 'unavailable', 'too_many'] as const)(
    'of kind %s is no answer to keep',
    async (kind) => {
      await expect(ask(request(kind), fail(new DomainError(kind, 'not now')))).rejects.toMatchObject({
        kind,
      });
      expect(await ask(request(kind), () => DONE)).toEqual(DONE);
    },
  );

  it('that is unexpected is not stored', async () => {
    await expect(ask(request('bug'), fail(new TypeError('a bug')))).rejects.toThrow('a bug');
    expect(await ask(request('bug'), () => DONE)).toEqual(DONE);
  });

  it.each([
    ['not_found', 404],
    ['forbidden', 403],
  ] as const)('of kind %s is stored unchanged', async (kind, status) => {
    const said = { status, text: '{"detail":"no"}', headers: {} };
    expect(await ask(request(kind), fail(new DomainError(kind, 'no')))).toEqual(said);
    const again = await ask(request(kind), () => DONE);
    expect([again.status, again.text.toString()]).toEqual([status, said.text]);
  });

  it.each([
    [399, true],
    [400, false],
    [500, false],
  ])(
    'is what has status 400 or more: %i is kept for who wants errors forgotten: %s',
    async (status, isKept) => {
      const asked = request(`status ${status}`, { forgetErrors: true });
      await ask(asked, () => ({ ...DONE, status }));
      expect((await ask(asked, says('anew'))).text.toString()).toBe(isKept ? '"done"' : 'anew');
    },
  );

  it('rolls back the writes before it, and nothing else', async () => {
    const write = (client: string) => (work: Parameters<Parameters<typeof inTenant>[2]>[0]) =>
      runOnce(work, request(`user ${client}`), async () => {
        await work.tx
          .insertInto('app_user')
          .values({
            team_id: team.tenant.teamId,
            environment: team.tenant.environment,
            id: crypto.randomUUID(),
            client_user_id: client,
            created_at: work.now,
          })
          .execute();
        throw new DomainError('conflict', 'no');
      });
    expect((await inTenant(service.app, team.tenant, write('undone'))).status).toBe(409);
    expect((await team.get('/v2/user/resolve/undone')).status).toBe(404);
  });
});

describe('a durable step', () => {
  it('is removed with its error, and nothing else is', async () => {
    const other = await service.team();
    const production: Tenant = { ...team.tenant, environment: 'production' };
    const begins = [() => team.tenant, () => production, () => other.tenant].map((tenant) =>
      beginnings(tenant),
    );
    const [here, there, elsewhere] = begins;
    if (!here || !there || !elsewhere) throw new Error('three of them');
    const asked = request('begun', { forgetErrors: true });
    const beside = [request('another', { forgetErrors: true }), { ...asked, operation: 'tell' }];
    expect(await here(asked)).toBe(1);
    expect(await Promise.all([there(asked), elsewhere(asked)])).toEqual([1, 1]);
    for (const [at, each] of beside.entries()) expect(await here(each)).toBe(at + 2);
    await ask(asked, fail(new DomainError('bad_request', 'nobody answered')));
    expect(await here(asked)).toBe(4);
    expect(await Promise.all([there(asked), elsewhere(asked)])).toEqual([1, 1]);
    for (const [at, each] of beside.entries()) expect(await here(each)).toBe(at + 2);
  });

  it('is refused to another request with the same key', async () => {
    const begin = beginnings();
    await begin(request('other'));
    await expect(begin({ ...request('other'), hash: hashRequest('another') })).rejects.toMatchObject({
      kind: 'conflict',
      message: 'This idempotency key was used with another request',
    });
  });

  it('is run by one of several concurrent requests; the others are told to retry after a second', async () => {
    const asked = request('held');
    await inTenant(service.app, team.tenant, async (work) => {
      expect(await tryLockKey(work, { ...asked, operation: 'ask/begun' })).toBe(true);
      await expect(beginnings()(asked)).rejects.toMatchObject({ kind: 'conflict', retryAfterSeconds: 1 });
      expect(await beginnings()(request('not held'))).toBe(1);
    });
  });
});

describe('the cleaner', () => {
  const left = async (): Promise<string[]> => {
    const { rows } = await service.ownerPool.query<{ key: string }>(
      `select idempotency_key as key from idempotency_record where operation = 'clean' order by 1`,
    );
    return rows.map(({ key }) => key);
  };

  it('removes expired responses, up to its limit, and keeps the rest', async () => {
    for (const key of ['a', 'b', 'c'])
      await ask(request(key, { operation: 'clean', keepHours: 1 }), () => DONE);
    await ask(request('kept', { operation: 'clean', keepHours: 3 }), () => DONE);
    service.clock.move(2 * HOUR);
    const remove = (limit: number) =>
      asSystem(service.app.db, (tx) => removeExpired(tx, service.clock.now(), limit));
    expect(await remove(2)).toBe(2);
    await startIdempotencyCleaner(service.app).stop();
    expect(await left()).toEqual(['kept']);
    expect(await remove(2)).toBe(0);
  });
});
