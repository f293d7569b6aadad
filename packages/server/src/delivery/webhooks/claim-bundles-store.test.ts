import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useDeliveryQueue, type QueueEndpoint } from '../../../test/delivery-queue.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { useWebhookFixture } from '../../../test/webhook-fixture.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { bundledMessageId } from './bundle.ts';
import { unpackBundles } from './bundle-store.ts';
import { claimBundles } from './claim-bundles-store.ts';
import type { DeliveryClaim } from './claim-store.ts';

/** Four events: as many as a bundle has at least. */
let events: string[];
const service = useTestService();
const hooks = useWebhookFixture(service);
const queue = useDeliveryQueue(service, hooks);
const team = useTestTeam(service);
beforeAll(async () => {
  events = await queue.events(team, 4);
});
beforeEach(() => queue.clear());

const change = (statement: string, ...values: unknown[]) => service.ownerPool.query(statement, values);
const claim = (change: Partial<DeliveryClaim & { after: string }> = {}) =>
  asSystem(queue.app.db, (tx) =>
    claimBundles(tx, {
      now: queue.now(),
      sender: randomUUID(),
      flying: [],
      leasedUntil: later(queue.now(), MINUTE),
      limit: 100,
      ids: '{}',
      rooms: '{}',
      after: '00000000-0000-0000-0000-000000000000',
      ...change,
    }),
  );
const lease = (sender: string, id: string, until: Date) =>
  change(
    'insert into webhook_lease (sender, leased_until, messages) values ($1, $2, array[$3::uuid])',
    sender,
    until,
    id,
  );

/** An endpoint with this many due bundles, the first due first. */
async function waiting(count: number, options: object = {}): Promise<{ at: QueueEndpoint; ids: string[] }> {
  const at = await queue.endpoint(team, { ...options });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.push(await queue.enqueueBundle(at, events, later(queue.now(), (n - count) * SECOND)));
  return { at, ids };
}
/** The ids of the bundles that are sent whole. */
const wholeIn = ({ rows }: Awaited<ReturnType<typeof claim>>) => [
  ...new Set(rows.map(({ bundle }) => bundle?.id)),
];

describe('a claimed bundle', () => {
  it('has a numbered message for each event, with the columns of its row and its endpoint', async () => {
    const { at, ids } = await waiting(1);
    const [id = ''] = ids;
    await change('update webhook_endpoint set revision = 7 where id = $1', at.id);
    const [stored] = (await change('select ctid::text as place from webhook_bundle')).rows;
    const { rows, toUnpack, last } = await claim();
    expect(rows).toEqual(
      events.map((event, n) => ({
        team_id: team.tenant.teamId,
        environment: 'sandbox',
        id: bundledMessageId(id, n + 1),
        endpoint_id: at.id,
        event_id: event,
        place: stored.place,
        bundle: { id, place: stored.place, size: 4, unpacked: false },
        attempts: 0,
        revision: 7,
        troubled: false,
        clock_offset_ms: 0,
      })),
    );
    expect(new Set(rows.map(({ bundle }) => bundle)).size).toBe(1);
    expect([toUnpack, last]).toEqual([[], undefined]);
  });
});

describe('a bundle', () => {
  type Arrange = (id: string, at: QueueEndpoint) => Promise<unknown>;
  type Taken = 'whole' | 'unpacked' | 'not';
  const endpoint =
    (set: string): Arrange =>
    (_id, at) =>
      change(`update webhook_endpoint set ${set} where id = $1`, at.id);
  const due =
    (ms: number): Arrange =>
    (id) =>
      change('update webhook_bundle set due_wall = $2 where id = $1', id, later(queue.now(), ms));
  const withSingle =
    (also: Arrange, status = 'pending'): Arrange =>
    async (id, at) => {
      const [event = ''] = await queue.events(team, 1);
      const [single] = await queue.enqueue(at, [event]);
      await change('update webhook_delivery set status = $2 where id = $1', single, status);
      await also(id, at);
    };
  const nothing: Arrange = async () => {};
  // prettier-ignore
  const cases: [string, Arrange, Taken][] = [
    ['that is due now',                                    nothing,                                                          'whole'],
    ['that is due later',                                  due(1),                                                           'not'],
    ['next to a single message',                           withSingle(nothing),                                              'whole'],
    ['of a disabled endpoint',                             endpoint('disabled_at = now()'),                                  'not'],
    ['of a failing endpoint',                              endpoint('first_failure_at = now()'),                             'unpacked'],
    ['of an endpoint with a rate limit',                   endpoint('rate_limit = 100'),                                     'unpacked'],
    ['of a failing endpoint with a due message',           withSingle(endpoint('first_failure_at = now()')),                 'not'],
    ['of a failing endpoint with a held message',          withSingle(endpoint('first_failure_at = now()'), 'held'),         'unpacked'],
    ['that another sender has leased',                     (id) => lease(randomUUID(), id, later(queue.now(), 1)),           'not'],
    ['whose lease ends now',                               (id) => lease(randomUUID(), id, queue.now()),                     'whole'],
    ['whose lease is from a clock that was set back',      (id) => lease(randomUUID(), id, later(queue.now(), 3 * MINUTE)),  'whole'],
  ];
  it.each(cases)('%s is claimed: %s', async (_what, arrange, taken) => {
    const { at, ids } = await waiting(1);
    await arrange(ids[0] ?? '', at);
    const sender = randomUUID();
    const claimed = await claim({ sender });
    expect(wholeIn(claimed)).toEqual(taken === 'whole' ? ids : []);
    expect(claimed.toUnpack).toMatchObject(
      taken === 'unpacked' ? [{ team_id: team.tenant.teamId, environment: 'sandbox', id: ids[0] }] : [],
    );
    const leased = await change('select messages from webhook_lease where sender = $1', sender);
    expect(leased.rows).toEqual(taken === 'whole' ? [{ messages: ids }] : []);
  });

  // prettier-ignore
  const rooms: [room: number | undefined, hasSingle: boolean, count: number][] = [
    [undefined, false, 1],
    [undefined, true,  1],
    [0,         false, 0],
    [1,         false, 1],
    [14,        false, 1],
    [15,        false, 2],
    [25,        false, 3],
    [25,        true,  1],
    [0,         true,  0],
  ];
  it.each(rooms)(
    'of an endpoint with room for %s, next to a message: %s, is one of %i',
    async (room, hasSingle, count) => {
      const { at, ids } = await waiting(4);
      if (hasSingle) await queue.enqueue(at, await queue.events(team, 1));
      const known = room === undefined ? {} : { ids: `{${at.id}}`, rooms: `{${room}}` };
      expect(wholeIn(await claim(known)).toSorted()).toEqual(ids.slice(0, count).toSorted());
    },
  );

  it('is claimed from endpoint to endpoint by id, up to the limit, which the next claim continues', async () => {
    const all = [await waiting(1), await waiting(1), await waiting(1)];
    const [one, two, three] = all.toSorted((a, b) => (a.at.id < b.at.id ? -1 : 1));
    const first = await claim({ limit: 2 });
    expect(wholeIn(first)).toEqual([one?.ids[0], two?.ids[0]]);
    expect(first.last).toBe(two?.at.id);
    const second = await claim({ limit: 2, after: first.last ?? '' });
    expect([wholeIn(second), second.last]).toEqual([three?.ids, undefined]);
  });

  it('is added to the lease of the sender, who does not claim it again', async () => {
    const { ids } = await waiting(1);
    const [sender, other] = [randomUUID(), randomUUID()];
    await lease(sender, other, later(queue.now(), MINUTE));
    expect(wholeIn(await claim({ sender, leasedUntil: later(queue.now(), 7 * SECOND) }))).toEqual(ids);
    const { rows } = await change(
      'select leased_until, messages from webhook_lease where sender = $1',
      sender,
    );
    expect(rows).toEqual([{ leased_until: later(queue.now(), 7 * SECOND), messages: [other, ...ids] }]);
    expect(wholeIn(await claim({ sender }))).toEqual([]);
  });
});

describe('a bundle that is unpacked', () => {
  it('leaves a message for each event that still exists, due as it was, and other bundles as they are', async () => {
    const { at, ids } = await waiting(2);
    const [id = '', other] = ids;
    await change('update webhook_bundle set event_ids[2] = gen_random_uuid() where id = $1', id);
    const key = { team_id: team.tenant.teamId, environment: 'sandbox', id };
    await asSystem(queue.app.db, (tx) => unpackBundles(tx, [key]));
    const { rows } = await change(
      'select id, event_id, endpoint_id, status, attempts, due_wall, due_at from webhook_delivery order by id',
    );
    const due = later(queue.now(), -2 * SECOND);
    const message = { endpoint_id: at.id, status: 'pending', attempts: 0, due_wall: due, due_at: due };
    expect(rows).toEqual(
      [1, 3, 4].map((n) => ({ id: bundledMessageId(id, n), event_id: events[n - 1], ...message })),
    );
    expect((await change('select id from webhook_bundle')).rows).toEqual([{ id: other }]);
  });
});
