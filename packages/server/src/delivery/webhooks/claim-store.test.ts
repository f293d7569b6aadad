import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { useDeliveryQueue, type QueueEndpoint } from '../../../test/delivery-queue.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { useWebhookFixture } from '../../../test/webhook-fixture.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { claimDeliveries, claimLimited, type DeliveryClaim } from './claim-store.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);
const queue = useDeliveryQueue(service, hooks);
const team = useTestTeam(service);
beforeEach(() => queue.clear());

const FIRST = '00000000-0000-0000-0000-000000000000';
const claimOf = (change: Partial<DeliveryClaim> = {}): DeliveryClaim & { after: string } => ({
  now: queue.now(),
  sender: randomUUID(),
  flying: [],
  leasedUntil: later(queue.now(), MINUTE),
  limit: 100,
  ids: '{}',
  rooms: '{}',
  after: FIRST,
  ...change,
});
const claim = (change: Partial<DeliveryClaim & { after: string }> = {}) =>
  asSystem(queue.app.db, (tx) => claimDeliveries(tx, { ...claimOf(), ...change }));
const limited = (change: Partial<DeliveryClaim> = {}) =>
  asSystem(queue.app.db, (tx) => claimLimited(tx, claimOf(change)));
const change = (statement: string, ...values: unknown[]) => service.ownerPool.query(statement, values);
const leaseOf = async (sender: string) =>
  (await change('select leased_until, messages from webhook_lease where sender = $1', sender)).rows[0];
const lease = (id: string, until: Date) =>
  change(
    'insert into webhook_lease (sender, leased_until, messages) values (gen_random_uuid(), $2, array[$1::uuid])',
    id,
    until,
  );

/** An endpoint with this many due messages, the first due first. */
async function waiting(count: number, options: object = {}): Promise<{ at: QueueEndpoint; ids: string[] }> {
  const at = await queue.endpoint(team, { ...options });
  const events = await queue.events(team, count);
  const ids: string[] = [];
  for (const [n, event] of events.entries())
    ids.push(...(await queue.enqueue(at, [event], later(queue.now(), (n - count) * SECOND))));
  return { at, ids };
}
/** Moves the sandbox clock of the team. */
const offset = (ms: number) =>
  change(
    `update team_environment set clock_offset_ms = $2 where team_id = $1 and environment = 'sandbox'`,
    team.tenant.teamId,
    ms,
  );
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted();

describe('a claimed message', () => {
  it.each([false, true])('has the columns of its row and its endpoint; failing: %s', async (troubled) => {
    const at = await queue.endpoint(team);
    const events = await queue.events(team, 2);
    const ids = await queue.enqueue(at, events);
    await change('update webhook_delivery set attempts = 12 where id = $1', ids[1]);
    await change('update webhook_endpoint set revision = 7 where id = $1', at.id);
    if (troubled) await change('update webhook_endpoint set first_failure_at = now() where id = $1', at.id);
    await offset(DAY);
    const places = new Map(
      (await change('select id, ctid::text as place from webhook_delivery')).rows.map((row) => [
        row.id,
        row.place,
      ]),
    );
    const rows = (await claim()).toSorted((a, b) => a.attempts - b.attempts);
    await change('update team_environment set clock_offset_ms = 0 where team_id = $1', team.tenant.teamId);
    expect(rows).toEqual(
      ids.map((id, n) => ({
        team_id: team.tenant.teamId,
        environment: 'sandbox',
        id,
        endpoint_id: at.id,
        event_id: events[n],
        place: places.get(id),
        bundle: undefined,
        attempts: n * 12,
        revision: 7,
        troubled,
        clock_offset_ms: DAY,
      })),
    );
  });
});

describe('a message', () => {
  type Arrange = (id: string, at: QueueEndpoint) => Promise<unknown>;
  const status = (to: string) => (id: string) =>
    change('update webhook_delivery set status = $2 where id = $1', id, to);
  const due = (ms: number) => (id: string) =>
    change('update webhook_delivery set due_wall = $2 where id = $1', id, later(queue.now(), ms));
  const endpoint =
    (set: string): Arrange =>
    (_id, at) =>
      change(`update webhook_endpoint set ${set} where id = $1`, at.id);
  const bundled = (id: string) => `${id.slice(0, 15)}000${id.slice(18)}`;
  // prettier-ignore
  const cases: [string, Arrange, boolean, Partial<DeliveryClaim>?][] = [
    ['that is due now',                               async () => {},                                                   true],
    ['that is due later',                             due(1),                                                           false],
    ['that is held',                                  status('held'),                                                   false],
    ['that failed finally',                           status('failed'),                                                 false],
    ['of a disabled endpoint',                        endpoint('disabled_at = now()'),                                  false],
    ['of an endpoint with a rate limit',              endpoint('rate_limit = 100'),                                     false],
    ['of a failing endpoint',                         endpoint('first_failure_at = now()'),                             true],
    ['that another sender has leased',                (id) => lease(id, later(queue.now(), 1)),                         false],
    ['whose lease ends now',                          (id) => lease(id, queue.now()),                                   true],
    ['whose lease ends in two minutes',               (id) => lease(id, later(queue.now(), 2 * MINUTE)),                false],
    ['whose lease is from a clock that was set back', (id) => lease(id, later(queue.now(), 2 * MINUTE + 1)),            true],
    ['of a bundle that another sender has leased',    (id) => lease(bundled(id), later(queue.now(), MINUTE)),           false],
  ];
  it.each(cases)('%s is claimed: %s', async (_what, arrange, isClaimed) => {
    const { at, ids } = await waiting(1);
    await arrange(ids[0] ?? '', at);
    expect(idsOf(await claim())).toEqual(isClaimed ? ids : []);
  });

  it('that the sender has in flight is not claimed, nor one of its bundle', async () => {
    const { ids } = await waiting(3);
    const [one = '', two = '', three = ''] = ids;
    expect(idsOf(await claim({ flying: [one, bundled(two)] }))).toEqual([three]);
  });
});

describe('a claim', () => {
  // prettier-ignore
  const rooms: [string, boolean, number | undefined, number][] = [
    ['an endpoint that is not known',        false, undefined, 10],
    ['a failing endpoint',                   true,  undefined, 2],
    ['an endpoint with room for three',      false, 3,         3],
    ['a failing endpoint with room for one', true,  1,         1],
    ['an endpoint without room',             false, 0,         0],
  ];
  it.each(rooms)('takes those that are due first, from %s', async (_what, isFailing, room, count) => {
    const { at, ids } = await waiting(12);
    if (isFailing) await change('update webhook_endpoint set first_failure_at = now() where id = $1', at.id);
    const known = room === undefined ? {} : { ids: `{${at.id}}`, rooms: `{${room}}` };
    expect(idsOf(await claim(known))).toEqual(ids.slice(0, count).toSorted());
  });

  it('goes from endpoint to endpoint by id, after the last one, up to its limit', async () => {
    const all = [await waiting(1), await waiting(1), await waiting(1)];
    const [one, two, three] = all.toSorted((a, b) => (a.at.id < b.at.id ? -1 : 1));
    expect(idsOf(await claim({ limit: 2 }))).toEqual([...(one?.ids ?? []), ...(two?.ids ?? [])].toSorted());
    expect(idsOf(await claim({ after: one?.at.id ?? '', sender: randomUUID() }))).toEqual(three?.ids);
  });

  it('leases what it takes, in addition to what is in flight', async () => {
    const { ids } = await waiting(2);
    const [sender, flying, leasedUntil] = [randomUUID(), randomUUID(), later(queue.now(), 7 * SECOND)];
    await claim({ sender, flying: [flying], leasedUntil });
    const taken = await leaseOf(sender);
    expect([taken.leased_until, taken.messages.toSorted()]).toEqual([
      leasedUntil,
      [flying, ...ids].toSorted(),
    ]);
    await change('delete from webhook_delivery');
    // Nothing more is due; the lease is renewed, and then has nothing more in flight.
    const next = later(leasedUntil, SECOND);
    await claim({ sender, flying: [flying], leasedUntil: next });
    expect(await leaseOf(sender)).toEqual({ leased_until: next, messages: [flying] });
    await claim({ sender, leasedUntil: later(next, SECOND) });
    expect(await leaseOf(sender)).toEqual({ leased_until: later(next, SECOND), messages: [] });
    await claim({ sender, leasedUntil: later(next, MINUTE) });
    expect(await leaseOf(sender)).toEqual({ leased_until: later(next, SECOND), messages: [] });
  });

  it('of nothing leaves no lease', async () => {
    const sender = randomUUID();
    expect(await claim({ sender })).toEqual([]);
    expect(await limited({ sender })).toEqual([]);
    expect(await leaseOf(sender)).toBeUndefined();
  });
});

describe('a claim from an endpoint with a rate limit', () => {
  // prettier-ignore
  const rates: [rate: number, waits: number, room: number | undefined, count: number, pauseMs: number][] = [
    [1,    2,  undefined, 1,  1050],
    [20,   2,  undefined, 1,  52],
    [21,   3,  undefined, 2,  100],
    [100,  9,  undefined, 5,  52],
    [100,  3,  undefined, 3,  31],
    [100,  9,  2,         2,  21],
    [1000, 12, undefined, 10, 10],
    [1000, 12, 0,         0,  0],
  ];
  it.each(rates)(
    'of %i a second with %i due and room for %s takes the first %i, and pauses %i ms',
    async (rate, waits, room, count, pauseMs) => {
      const { at, ids } = await waiting(waits, { rate_limit: rate });
      const known = room === undefined ? {} : { ids: `{${at.id}}`, rooms: `{${room}}` };
      const rows = await limited(known);
      expect(idsOf(rows)).toEqual(ids.slice(0, count).toSorted());
      const { rows: endpoints } = await change(
        'select rate_free_at from webhook_endpoint where id = $1',
        at.id,
      );
      expect(endpoints).toEqual([{ rate_free_at: count === 0 ? null : later(queue.now(), pauseMs) }]);
      expect(
        rows.every(({ troubled, attempts, endpoint_id: id }) => !troubled && attempts === 0 && id === at.id),
      ).toBe(true);
    },
  );

  type Arrange = (id: string, at: QueueEndpoint) => Promise<unknown>;
  const free =
    (ms: number): Arrange =>
    (_id, at) =>
      change('update webhook_endpoint set rate_free_at = $2 where id = $1', at.id, later(queue.now(), ms));
  // prettier-ignore
  const cases: [string, Arrange, boolean][] = [
    ['that is free since now',                        free(0),                                                                                true],
    ['that is free later',                            free(1),                                                                                false],
    ['that is free in two minutes',                   free(2 * MINUTE),                                                                       false],
    ['that is free later than any clock could say',   free(2 * MINUTE + 1),                                                                   true],
    ['that is disabled',                              (_id, at) => change('update webhook_endpoint set disabled_at = now() where id = $1', at.id), false],
    ['that has no limit any more',                    (_id, at) => change('update webhook_endpoint set rate_limit = null where id = $1', at.id), false],
    ['whose message is held',                         (id) => change(`update webhook_delivery set status = 'held' where id = $1`, id),        false],
    ['whose message is due later',                    (id) => change('update webhook_delivery set due_wall = $2 where id = $1', id, later(queue.now(), HOUR)), false],
    ['whose message another sender has leased',       (id) => lease(id, later(queue.now(), MINUTE)),                                          false],
  ];
  it.each(cases)('%s takes its message: %s', async (_what, arrange, isClaimed) => {
    const { at, ids } = await waiting(1, { rate_limit: 10 });
    await arrange(ids[0] ?? '', at);
    expect(idsOf(await limited())).toEqual(isClaimed ? ids : []);
  });

  it('adds to the lease of the sender, and takes nothing that it already has', async () => {
    const { ids } = await waiting(4, { rate_limit: 40 });
    const [sender, flying] = [randomUUID(), randomUUID()];
    await claim({ sender, flying: [flying] });
    const first = idsOf(await limited({ sender }));
    expect(first).toEqual(ids.slice(0, 2).toSorted());
    expect((await leaseOf(sender)).messages.toSorted()).toEqual([flying, ...first].toSorted());
    expect((await leaseOf(sender)).leased_until).toEqual(later(queue.now(), MINUTE));
    await change('update webhook_endpoint set rate_free_at = null');
    expect(idsOf(await limited({ sender }))).toEqual(ids.slice(2).toSorted());
    expect((await leaseOf(sender)).messages.toSorted()).toEqual([flying, ...ids].toSorted());
  });
});
