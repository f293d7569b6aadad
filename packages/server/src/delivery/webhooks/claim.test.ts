import { beforeEach, describe, expect, it } from 'vitest';
import { useDeliveryQueue } from '../../../test/delivery-queue.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { useWebhookFixture } from '../../../test/webhook-fixture.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { bundledMessageId } from './bundle.ts';
import { openClaims, type ClaimedMessage, type DeliveryClaims } from './claim.ts';
import { openLanes } from './lanes.ts';

let team: TestTeam;
const service = useTestService();
const hooks = useWebhookFixture(service);
const queue = useDeliveryQueue(service, hooks);
beforeEach(async () => {
  await queue.clear();
  team = await service.team();
});

/** A sender that keeps all that it claims in flight. */
function openSenderOf(claims: DeliveryClaims = openClaims(queue.app)) {
  const flying: string[] = [];
  const lanes = openLanes();
  return {
    claims,
    claim: async (limit = 100) => {
      const batch = await claims.claim(limit, { lanes, leasedIds: () => flying });
      for (const { row } of batch.claimed) flying.push(row.bundle?.id ?? row.id);
      return batch;
    },
  };
}
const idsOf = (claimed: readonly ClaimedMessage[]) => claimed.map(({ row }) => row.id).toSorted();
const change = (statement: string, ...values: unknown[]) => service.ownerPool.query(statement, values);
const statuses = async (): Promise<[string, string][]> =>
  (await change('select event_id, status from webhook_delivery order by id')).rows.map((row) => [
    row.event_id,
    row.status,
  ]);
const bundles = async () =>
  (await change('select id from webhook_bundle order by id')).rows.map(({ id }) => id);

describe('a claim of a bundle with a message that must not be sent', () => {
  it.each(['of a deleted user', 'whose event was erased'])(
    '%s sends nothing of it yet, and unpacks it',
    async (what) => {
      const user = await team.user();
      const at = await queue.endpoint(team);
      const [about = ''] = await queue.events(team, 1, user);
      const [one = '', two = '', three = '', ...others] = await queue.events(team, 8);
      const [spoiled, sound] = [
        await queue.enqueueBundle(at, [one, about, two, three]),
        await queue.enqueueBundle(at, others, later(queue.now(), -1)),
      ];
      const sender = openSenderOf();
      await change(
        what === 'of a deleted user'
          ? 'update app_user set deleted_at = now() where id = $1'
          : 'delete from event where user_id = $1',
        user,
      );
      const lanes = { start: () => {}, finish: () => {}, rooms: () => ({ ids: [at.id], rooms: [20] }) };
      const first = await sender.claims.claim(100, { lanes, leasedIds: () => [] });
      expect(idsOf(first.claimed)).toEqual(others.map((_, n) => bundledMessageId(sound, n + 1)));
      expect(first).toMatchObject({ more: true, limited: false });
      expect(await bundles()).toEqual([sound]);
      const isKept = what === 'of a deleted user';
      expect(await statuses()).toEqual(
        (isKept ? [one, about, two, three] : [one, two, three]).map((event) => [event, 'pending']),
      );

      const second = await sender.claims.claim(100, { lanes, leasedIds: () => [sound] });
      expect(second.claimed.map(({ row }) => [row.id, row.event_id, row.bundle])).toEqual(
        [one, two, three].map((event, n) => [bundledMessageId(spoiled, [1, 3, 4][n] ?? 0), event, undefined]),
      );
      expect((await statuses()).filter(([, status]) => status === 'held')).toEqual(
        isKept ? [[about, 'held']] : [],
      );
    },
  );

  it('of a failing endpoint unpacks it, and claims its messages next', async () => {
    const at = await queue.endpoint(team);
    await queue.enqueueBundle(at, await queue.events(team, 4));
    await change('update webhook_endpoint set first_failure_at = now() where id = $1', at.id);
    const sender = openSenderOf();
    expect(await sender.claim()).toMatchObject({ claimed: [], more: true });
    expect(await bundles()).toEqual([]);
    expect(idsOf((await sender.claim()).claimed)).toHaveLength(2);
    expect(await sender.claim()).toMatchObject({ claimed: [{ row: { troubled: true } }, {}] });
  });
});

describe('a claimed message', () => {
  it('has its event, its endpoint and the cipher of its team', async () => {
    const other = await service.team();
    const [one, two, theirs] = [
      await queue.endpoint(team),
      await queue.endpoint(team),
      await queue.endpoint(other),
    ];
    const events = await queue.events(team, 2);
    await queue.enqueue(one, events);
    await queue.enqueue(two, events);
    await queue.enqueue(theirs, await queue.events(other, 1));
    const { claimed } = await openSenderOf().claim();
    expect(claimed).toHaveLength(5);
    for (const { row, endpoint, event, cipher, presigned } of claimed) {
      const at = [one, two, theirs].find(({ id }) => id === row.endpoint_id);
      expect(endpoint?.url).toBe(at?.receiver.url);
      expect(event).toMatchObject({ tenant: at?.team.tenant, type: 'test.something.happened', test: false });
      expect(JSON.parse(event.body(cipher).toString())).toMatchObject({ data: { n: expect.any(Number) } });
      expect(presigned).toBeUndefined();
    }
    const ofOne = claimed.filter(({ row }) => row.endpoint_id === one.id);
    expect(ofOne[0]?.endpoint).toBe(ofOne[1]?.endpoint);
  });

  it('has the endpoint of its revision', async () => {
    const at = await queue.endpoint(team);
    const sender = openSenderOf();
    await queue.enqueue(at, await queue.events(team, 1));
    const [before] = (await sender.claim()).claimed;
    const other = await queue.endpoint(team);
    await team.management.patch(at.path, { url: other.receiver.url });
    await queue.enqueue(at, await queue.events(team, 1));
    const [after] = (await sender.claim()).claimed;
    expect([before?.endpoint?.url, after?.endpoint?.url]).toEqual([at.receiver.url, other.receiver.url]);
  });

  it('has no endpoint if that was deleted meanwhile', async () => {
    const at = await queue.endpoint(team);
    await queue.enqueue(at, await queue.events(team, 1));
    await change('update webhook_endpoint set deleted_at = now() where id = $1', at.id);
    expect((await openSenderOf().claim()).claimed).toMatchObject([{ endpoint: undefined }]);
  });
});

describe('claims of one sender', () => {
  it('go on after the last endpoint, and start again when they reached the end', async () => {
    const endpoints = [await queue.endpoint(team), await queue.endpoint(team), await queue.endpoint(team)];
    const events = await queue.events(team, 1);
    const ids = new Map<string, string>();
    for (const at of endpoints) ids.set(at.id, (await queue.enqueue(at, events))[0] ?? '');
    const sorted = [...ids.keys()].toSorted().map((id) => ids.get(id));
    const sender = openSenderOf();
    const first = await sender.claim(2);
    expect([idsOf(first.claimed), first.more]).toEqual([sorted.slice(0, 2).toSorted(), true]);
    // A message of an endpoint that was visited waits until the scan begins again.
    const visited = endpoints.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, 1);
    const extra: string[] = [];
    for (const at of visited) extra.push(...(await queue.enqueue(at, await queue.events(team, 1))));
    const second = await sender.claim(2);
    expect([idsOf(second.claimed), second.more]).toEqual([sorted.slice(2), true]);
    const third = await sender.claim(2);
    expect([idsOf(third.claimed), third.more]).toEqual([extra, false]);
    expect(await sender.claim(2)).toMatchObject({ claimed: [], more: false, limited: false });
  });

  it('leave single messages the larger share when those filled the last one', async () => {
    const singles = [];
    const events = await queue.events(team, 10);
    for (let n = 0; n < 4; n += 1) singles.push(await queue.endpoint(team));
    for (const at of singles) await queue.enqueue(at, events);
    const sender = openSenderOf();
    expect((await sender.claim(40)).claimed).toHaveLength(40);
    for (const at of singles)
      for (let n = 0; n < 2; n += 1) await queue.enqueueBundle(at, events.slice(0, 4));
    // One of the four bundles that forty messages have room for.
    const crowded = await sender.claim(40);
    expect(new Set(crowded.claimed.map(({ row }) => row.bundle?.id)).size).toBe(1);
    const plain = await sender.claim(40);
    expect(new Set(plain.claimed.map(({ row }) => row.bundle?.id)).size).toBeGreaterThan(1);
  });

  it('say if an endpoint has a rate limit', async () => {
    const at = await queue.endpoint(team, { rate_limit: 20 });
    await queue.enqueue(at, await queue.events(team, 2));
    const sender = openSenderOf();
    const first = await sender.claim();
    expect([first.claimed.length, first.limited, first.more]).toEqual([1, true, false]);
    expect(await sender.claim()).toMatchObject({ claimed: [], limited: false });
  });

  it('lease their messages for a minute, until they are released', async () => {
    const at = await queue.endpoint(team);
    const ids = await queue.enqueue(at, await queue.events(team, 2));
    const [one, two] = [openSenderOf(), openSenderOf()];
    expect(idsOf((await one.claim()).claimed)).toEqual(ids.toSorted());
    const leases = () =>
      change('select leased_until, messages from webhook_lease where $1 = any(messages)', ids[0]);
    expect((await leases()).rows).toMatchObject([{ leased_until: later(queue.now(), MINUTE) }]);
    expect((await two.claim()).claimed).toEqual([]);
    await two.claims.release();
    expect((await two.claim()).claimed).toEqual([]);
    await one.claims.release();
    expect((await leases()).rows).toEqual([]);
    expect(idsOf((await two.claim()).claimed)).toEqual(ids.toSorted());
  });
});
