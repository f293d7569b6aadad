import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  useWebhookFixture,
  somethingHappened,
  waitUntil,
  type TestEndpoint,
} from '../../../test/webhook-fixture.ts';
import { openTestService } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { openReceiver, createLatch, type Receiver } from '../../../test/receiver.ts';
import { inTenant } from '../../app.ts';
import { emit } from '../../events/events.ts';
import { DAY, HOUR, MINUTE, SECOND, systemClock } from '../../platform/clock.ts';
import { RETRY_DELAYS_MS } from './schedule.ts';
import { startSender } from './sender.ts';

let hook: typeof hooks.hook;
let say: typeof hooks.say;
let statusOf: typeof hooks.statusOf;
let move: typeof hooks.move;
const service = useTestService();
const hooks = useWebhookFixture(service);
beforeAll(async () => {
  ({ hook, say, statusOf, move } = hooks);
});

const Event = z.object({ data: z.object({ n: z.number() }) });
const Headers = z.record(z.string(), z.string());

const numbers = (receiver: Receiver) => receiver.received.map(({ body }) => body.data['n']);

describe('a message', () => {
  it('is signed for the libraries of both families, and carries the headers of the endpoint', async () => {
    service.clock.move(systemClock.now().getTime() - service.clock.now().getTime());
    const team = await service.team();
    const { receiver, path } = await hook(team);
    await team.management.put(`${path}/headers`, { headers: { Authorization: 'Bearer me' } });
    await say(team, 1);
    await service.settle();
    const { key } = (await team.management.get(`${path}/secret`)).json;
    const [got] = receiver.received;
    const headers = Object.fromEntries(
      Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    expect(new Webhook(key).verify(got?.text ?? '', headers)).toMatchObject({
      event_type: 'test.something.happened',
      data: { n: 1 },
      team_id: team.tenant.teamId,
    });
    expect(() => new SvixWebhook(key).verify(got?.text ?? '', headers)).not.toThrow();
    expect(headers).toMatchObject({ authorization: 'Bearer me', 'content-type': 'application/json' });
    expect(headers['user-agent']).toMatch(/^aliquot\/\d/);
  });

  it('is signed the same way when hundreds go at once', async () => {
    service.clock.move(systemClock.now().getTime() - service.clock.now().getTime());
    const team = await service.team();
    const all = await Promise.all(Array.from({ length: 8 }, () => hook(team)));
    const keys = await Promise.all(
      all.map(async ({ path }) => (await team.management.get(`${path}/secret`)).json.key),
    );
    // The first burst starts the signing thread; the second is signed by it.
    for (const burst of [0, 1]) {
      await say(team, ...Array.from({ length: 30 }, (_, n) => burst * 30 + n));
      await service.settle();
    }
    for (const [n, { receiver }] of all.entries()) {
      const verifies = new Webhook(keys[n]);
      const told = receiver.received.map(({ text, headers }) =>
        Event.parse(verifies.verify(text, Headers.parse(headers))),
      );
      expect(told.map(({ data }) => data.n).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 60 }, (_, m) => m),
      );
    }
  });

  it('goes to every matching endpoint, with one id, and to no other team', async () => {
    const [team, stranger] = await Promise.all([service.team(), service.team()]);
    const all = await hook(team);
    const exact = await hook(team, { filter_types: ['test.something.happened'] });
    const prefix = await hook(team, { filter_types: ['test.*', 'test.something.*'] });
    const other = await hook(team, { filter_types: ['labtest.*'] });
    const disabled = await hook(team, { disabled: true });
    const theirs = await hook(stranger);
    await say(team, 1);
    await service.settle();
    const ids = [all, exact, prefix].map(({ receiver }) =>
      receiver.received.map((each) => each.headers['webhook-id']),
    );
    expect(ids[0]).toHaveLength(1);
    expect(ids).toEqual([ids[0], ids[0], ids[0]]);
    for (const { receiver } of [other, disabled, theirs]) expect(receiver.received).toEqual([]);
  });

  it('is signed with both secrets during the overlap, on the clock of the tenant', async () => {
    const team = await service.team();
    const { receiver, path } = await hook(team);
    const signatures = () =>
      receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    await team.management.post(`${path}/secret/rotate`, {});
    await say(team, 1);
    await service.settle();
    await team.management.post(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`, {
      advance_seconds: 24 * 3600,
    });
    await say(team, 2);
    await service.settle();
    expect(signatures()).toEqual([2, 1]);
  });
});

describe('a message that fails', () => {
  it('is retried at every step of the schedule with the same id, then exhausted with an event', async () => {
    const team = await service.team();
    const bad = await hook(team, { filter_types: ['test.*'] });
    const watcher = await hook(team, { filter_types: ['message.*'] });
    bad.receiver.respond = () => ({ status: 500 });
    await say(team, 1);
    await service.settle();
    for (const [index, step] of RETRY_DELAYS_MS.entries()) {
      expect(bad.receiver.received).toHaveLength(index + 1);
      await move(step - SECOND);
      expect(bad.receiver.received, `before step ${index}`).toHaveLength(index + 1);
      await move(step * 0.1 + SECOND);
    }
    expect(bad.receiver.received).toHaveLength(8);
    expect(new Set(bad.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await statusOf(bad)).toEqual([{ status: 'failed', attempts: 8 }]);
    await service.settle();
    expect(watcher.receiver.received.map(({ body }) => body)).toMatchObject([
      {
        event_type: 'message.attempt.exhausted',
        data: { endpoint_id: bad.id, attempts: 8, last_attempt: { status_code: 500 } },
      },
    ]);
  });

  it('is not reported to the endpoint itself, nor is the exhaustion of that event', async () => {
    const team = await service.team();
    const one = await hook(team);
    const two = await hook(team);
    for (const { receiver } of [one, two]) receiver.respond = () => ({ status: 500 });
    await say(team, 1);
    await service.settle();
    // Both exhaustions, within the five days after which an endpoint is disabled and the other one is told of that.
    for (const step of [...RETRY_DELAYS_MS, ...RETRY_DELAYS_MS]) await move(step * 1.1 + SECOND);
    const types = ({ receiver }: TestEndpoint) =>
      new Set(receiver.received.map(({ body }) => body.event_type));
    const about = ({ receiver }: TestEndpoint) =>
      new Set(receiver.received.map(({ body }) => body.data['endpoint_id']).filter(Boolean));
    for (const each of [one, two]) expect(types(each)).toContain('message.attempt.exhausted');
    expect(about(one)).toEqual(new Set([two.id]));
    expect(about(two)).toEqual(new Set([one.id]));
    const exhausted = { status: 'failed', attempts: RETRY_DELAYS_MS.length + 1 };
    for (const each of [one, two]) expect(await statusOf(each)).toEqual([exhausted, exhausted]);
  });

  it('waits for as long as a busy receiver asks, up to the next step', async () => {
    const team = await service.team();
    const { receiver } = await hook(team);
    const asked = ['120', '7200'];
    receiver.respond = () => ({
      status: 429,
      headers: { 'retry-after': asked[receiver.received.length - 1] ?? '0' },
    });
    await say(team, 1);
    await service.settle();
    await move(119 * SECOND);
    expect(receiver.received).toHaveLength(1);
    await move(2 * SECOND);
    expect(receiver.received).toHaveLength(2);
    await move(29 * MINUTE);
    expect(receiver.received).toHaveLength(2);
    await move(2 * MINUTE);
    expect(receiver.received).toHaveLength(3);
  });

  it('does not follow redirects', async () => {
    const team = await service.team();
    const { receiver, path } = await hook(team);
    const elsewhere = await openReceiver();
    receiver.respond = () => ({ status: 307, headers: { location: elsewhere.url } });
    await say(team, 1);
    await service.settle();
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
    const attempts = await team.management.get(`${path}/attempt`);
    expect(attempts.json.data).toMatchObject([
      { status_code: 307, error: expect.stringContaining('redirect'), attempt: 1 },
    ]);
  });

  it('comes due when the sandbox clock is moved', async () => {
    const team = await service.team();
    const { receiver } = await hook(team);
    receiver.respond = () => ({ status: receiver.received.length < 3 ? 500 : 200 });
    await say(team, 1);
    await service.settle();
    const clock = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    const moved = await team.management.post(clock, { advance_seconds: 3600 });
    expect(moved.status, moved.text).toBe(200);
    await service.settle();
    expect(receiver.received).toHaveLength(3);
  });
});

describe('an endpoint', () => {
  it('is disabled by 410 with an event; enabled again it gets its pending messages', async () => {
    const team = await service.team();
    const gone = await hook(team, { filter_types: ['test.*'] });
    const watcher = await hook(team, { filter_types: ['endpoint.*'] });
    gone.receiver.respond = () => ({ status: 410 });
    await say(team, 1);
    await service.settle();
    expect((await team.management.get(gone.path)).json.disabled).toBe(true);
    await say(team, 2);
    await service.settle();
    expect(watcher.receiver.received.map(({ body }) => body)).toMatchObject([
      { event_type: 'endpoint.disabled', data: { endpoint_id: gone.id, reason: 'gone' } },
    ]);
    expect(await statusOf(gone)).toEqual([{ status: 'held', attempts: 1 }]);
    gone.receiver.respond = () => ({ status: 200 });
    await team.management.patch(gone.path, { disabled: false });
    await move(5 * SECOND * 1.1);
    expect(numbers(gone.receiver)).toEqual([1, 1]);
    const recovered = await team.management.post(`${gone.path}/replay-missing`, {
      since: new Date(service.clock.now().getTime() - DAY).toISOString(),
    });
    expect(recovered.json).toMatchObject({ status: 'started' });
    await service.settle();
    expect(numbers(gone.receiver)).toEqual([1, 1, 2]);
  });

  it('with nothing but failures for five days is disabled', async () => {
    const team = await service.team();
    const bad = await hook(team, { filter_types: ['test.*'] });
    const watcher = await hook(team, { filter_types: ['endpoint.*'] });
    bad.receiver.respond = () => ({ status: 500 });
    for (let hours = 0; hours < 12 + 5 * 24; hours += 12) {
      await say(team, hours);
      await service.settle();
      expect((await team.management.get(bad.path)).json.disabled).toBe(false);
      await move(12 * HOUR);
    }
    await say(team, 999);
    await service.settle();
    expect((await team.management.get(bad.path)).json.disabled).toBe(true);
    expect(watcher.receiver.received.map(({ body }) => body.data['reason'])).toEqual(['failing']);
  });

  it('that succeeds in between is not disabled', async () => {
    const team = await service.team();
    const { receiver, path } = await hook(team);
    for (let hours = 0; hours < 8 * 24; hours += 12) {
      receiver.respond = () => ({ status: hours % 96 === 48 ? 200 : 500 });
      await say(team, hours);
      await service.settle();
      await move(12 * HOUR);
    }
    expect((await team.management.get(path)).json.disabled).toBe(false);
  });

  it('that is slow does not delay the others', async () => {
    const team = await service.team();
    const slow = await hook(team);
    const quick = await hook(await service.team());
    const team2 = await service.team();
    const other = await hook(team2);
    const { release, released } = createLatch();
    slow.receiver.respond = () => ({ status: 200, after: released });
    await say(team, ...Array.from({ length: 100 }, (_, n) => n));
    await say(team2, ...Array.from({ length: 300 }, (_, n) => n));
    await waitUntil(() => other.receiver.received.length >= 300);
    // All others are delivered while the slow one still holds its first few.
    expect(slow.receiver.received.length).toBeLessThanOrEqual(10);
    expect(quick.receiver.received).toEqual([]);
    await team.management.delete(slow.path);
    release();
    await service.settle();
  });

  it('with a rate limit gets no more than that a second', async () => {
    const team = await service.team();
    const limited = await hook(team, { rate_limit: 10 });
    const { receiver } = limited;
    const at: number[] = [];
    receiver.respond = () => {
      at.push(service.clock.now().getTime());
      return { status: 200 };
    };
    await say(team, ...Array.from({ length: 25 }, (_, n) => n));
    await hooks.pass(limited, { count: 25, stepMs: 15 });
    for (const from of at) {
      expect(at.filter((moment) => moment >= from && moment < from + SECOND).length).toBeLessThanOrEqual(11);
    }
    expect(at.at(-1) ?? 0).toBeLessThan((at[0] ?? 0) + 6 * SECOND);
    await service.settle();
  });
});

describe('senders', () => {
  it('send every message once, however many they are', async () => {
    const team = await service.team();
    const { receiver } = await hook(team);
    const more = [startSender(service.app), startSender(service.app), startSender(service.app)];
    await say(team, ...Array.from({ length: 500 }, (_, n) => n));
    await service.settle();
    await Promise.all(more.map((sender) => sender.stop()));
    expect(receiver.received).toHaveLength(500);
    expect(new Set(numbers(receiver)).size).toBe(500);
  });

  it('finish messages in flight before they stop', async () => {
    const other = await openTestService();
    const team = await other.team();
    const receiver = await team.endpoint();
    const { release, released } = createLatch();
    receiver.respond = () => ({ status: 200, after: released });
    await inTenant(other.app, team.tenant, (work) =>
      emit(work, somethingHappened, { subject: { userId: null, clientUserId: null }, data: { n: 1 } }),
    );
    await waitUntil(() => receiver.received.length > 0);
    const { options } = other.ownerPool;
    const closing = other.close({ keepDatabase: true });
    release();
    await closing;
    const client = new pg.Client(options);
    await client.connect();
    const { rows: owed } = await client.query('select status from webhook_delivery');
    const { rows: attempts } = await client.query('select attempt, error from webhook_attempt');
    const { rows: leases } = await client.query('select sender from webhook_lease');
    await client.end();
    expect(owed).toEqual([]);
    expect(attempts).toEqual([{ attempt: 1, error: null }]);
    expect(leases).toEqual([]);
  });

  it('resend the messages of a killed sender, with the same ids', async () => {
    const team = await service.team();
    const held = await hook(team, { disabled: true });
    await team.management.patch(held.path, { disabled: false });
    const lease = `insert into webhook_lease (sender, leased_until, messages)
      values (gen_random_uuid(), $2, array(select id from webhook_delivery where endpoint_id = $1))`;
    held.receiver.respond = () => ({ status: 500 });
    await say(team, 1);
    await service.settle();
    await service.ownerPool.query(lease, [held.id, new Date(service.clock.now().getTime() + MINUTE)]);
    service.clock.move(30 * SECOND);
    await hooks.lookedAgain();
    expect(held.receiver.received).toHaveLength(1);
    await move(31 * SECOND);
    expect(held.receiver.received).toHaveLength(2);
  });
});

describe('a target', () => {
  it('at a private address is refused when saved, and when its name later resolves to one', async () => {
    const strict = await openTestService({ ALLOW_PRIVATE_WEBHOOK_TARGETS: 'false' });
    const server: Server = createServer((_request, response) => response.end('secret'));
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    let reached = 0;
    server.on('connection', () => (reached += 1));
    const team = await strict.team();
    const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/webhook`;
    for (const host of ['localhost', '127.0.0.1', '[::1]', '2130706433', '169.254.169.254']) {
      const refused = await team.management.post(base, { url: `http://${host}:${port}/` });
      expect(refused.status, host).toBe(422);
    }
    for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) {
      const made = await team.management.post(base, { url: 'https://8.8.8.8/' });
      await strict.ownerPool.query('update webhook_endpoint set url = $1 where id = $2', [
        `http://${host}:${port}/`,
        made.json.id,
      ]);
    }
    await inTenant(strict.app, team.tenant, (work) =>
      emit(work, somethingHappened, { subject: { userId: null, clientUserId: null }, data: { n: 1 } }),
    );
    await strict.settle();
    const { rows } = await strict.ownerPool.query<{ error: string }>('select error from webhook_attempt');
    expect(rows).toHaveLength(4);
    for (const { error } of rows) expect(error).toContain('private address');
    expect(reached).toBe(0);
    server.close();
    await strict.close();
  });
});
