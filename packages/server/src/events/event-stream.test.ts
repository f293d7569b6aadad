import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSession } from '../identity/accounts/accounts.ts';
import { emit } from './events.ts';
import { inTenant } from '../app.ts';
import { MINUTE } from '../platform/clock.ts';
import { openEventSource, type TestEventSource } from '../../test/event-source.ts';
import { cookiePair, joinOrganization } from '../../test/members.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { somethingHappened, useWebhookFixture, waitUntil } from '../../test/webhook-fixture.ts';

const service = useTestService({ EVENT_STREAM_HEARTBEAT_SECONDS: '1', EVENT_STREAMS_PER_TEAM: '3' });
const hooks = useWebhookFixture(service);
const sources: TestEventSource[] = [];
let url: string;
beforeAll(async () => {
  url = await service.http.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => {
  for (const source of sources) source.close();
});

const open = async (headers: Record<string, string>, query = ''): Promise<TestEventSource> => {
  const source = await openEventSource(`${url}/v1/events/stream${query}`, headers);
  sources.push(source);
  return source;
};
const withKey = (team: TestTeam) => ({ 'x-service-api-key': team.key });
const positionsIn = ({ messages }: TestEventSource): number[] => messages.map(({ data }) => data['position']);
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

const signIn = async (team: TestTeam) => {
  const member = await joinOrganization(service, team, {
    email: `${team.tenant.teamId}@example.com`,
    role: 'no_role',
    roles: [{ role: 'administrator' }],
  });
  const { cookie, session } = await openSession(service.app, member, {
    method: 'password',
    address: '192.0.2.1',
  });
  const query = `?session_team_id=${team.tenant.teamId}&session_environment=sandbox`;
  return { member, session, headers: { cookie: cookiePair(cookie) }, query };
};

it('sends the ids of each event of the own team, and nothing of its data', async () => {
  const [team, other] = [await service.team(), await service.team()];
  const [own, foreign] = [await open(withKey(team)), await open(withKey(other))];
  const userId = await team.user('Jane Doe');
  // No random id contains so long a number.
  await hooks.sayOf(team, userId, 777_000_777_000);
  await hooks.say(other, 1, 2);
  await waitUntil(() => own.messages.length === 1 && foreign.messages.length === 2);
  const [message] = own.messages;
  expect(message).toEqual({
    id: '1',
    event: 'event',
    data: {
      id: expect.any(String),
      position: 1,
      event_type: 'test.something.happened',
      created_at: expect.any(String),
      user_id: userId,
      order_id: null,
      object_id: null,
    },
  });
  expect(own.text()).not.toMatch(/777000777000|somebody/);
  expect(positionsIn(foreign)).toEqual([1, 2]);
  expect(own.headers.get('content-type')).toBe('text/event-stream');
});

it('continues after Last-Event-ID without loss and without duplicates, while events go on', async () => {
  const team = await service.team();
  await hooks.say(team, ...range(1, 450));
  await service.settle();
  const first = await open({ ...withKey(team), 'last-event-id': '0' });
  await waitUntil(() => first.messages.length >= 300);
  first.close();
  const last = first.messages.at(-1)?.id ?? '';
  // Events happen before, during and after the next connection opens.
  const happening = (async () => {
    for (const n of range(1, 60)) await hooks.say(team, n);
  })();
  const second = await open({ ...withKey(team), 'last-event-id': last });
  await happening;
  await service.settle();
  await hooks.say(team, 0);
  await waitUntil(() => second.messages.at(-1)?.id === '511');
  expect([...positionsIn(first), ...positionsIn(second)]).toEqual(range(1, 511));
});

it('resumes after the position at which an idle stream began', async () => {
  const team = await service.team();
  await hooks.say(team, 1, 2);
  await service.settle();
  const idle = await open(withKey(team));
  await waitUntil(() => idle.lastEventId() === '2');
  idle.close();
  await hooks.say(team, 3);
  const next = await open({ ...withKey(team), 'last-event-id': idle.lastEventId() });
  await waitUntil(() => next.messages.length === 1);
  expect(positionsIn(next)).toEqual([3]);
});

it('says that events may be missing where a position cannot be continued', async () => {
  const team = await service.team();
  await hooks.say(team, 1, 2, 3);
  await service.settle();
  const unknown = await open({ ...withKey(team), 'last-event-id': '99' });
  await waitUntil(() => unknown.messages.length === 1);
  expect(unknown.messages).toEqual([{ id: '3', event: 'stream.reset', data: { position: 3 } }]);
  await service.ownerPool.query('update event_log_head set removed_to = 2 where team_id = $1', [
    team.tenant.teamId,
  ]);
  const expired = await open(withKey(team), '?after=1');
  await waitUntil(() => expired.messages.length === 1);
  expect(expired.messages[0]?.event).toBe('stream.reset');
  expect((await team.get('/v1/events/stream?after=1')).status).toBe(410);
  expect((await team.get('/v1/events/stream?after=99')).status).toBe(422);
  expect((await team.get('/v1/events/stream?after=2')).json).toMatchObject({
    data: [{ position: 3 }],
    next_cursor: 3,
  });
  expect((await open({ ...withKey(team), 'last-event-id': 'x' })).status).toBe(422);
});

it('ends when its key is revoked', async () => {
  const team = await service.team();
  const source = await open(withKey(team));
  const path = `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;
  const [{ id }] = (await team.management.get(path)).json.api_keys.filter((key: { value: string }) =>
    team.key.startsWith(key.value.replaceAll('*', '')),
  );
  expect((await team.management.delete(`${path}?api_key_id=${id}`)).status).toBe(200);
  await source.ended;
  expect(source.text()).toMatch(/: the key or session has ended/);
  expect((await open(withKey(team))).status).toBe(401);
});

it('ends with the session of a member, and does not keep it from its idle time-out', async () => {
  const team = await service.team();
  const signed = await signIn(team);
  const source = await open(signed.headers, signed.query);
  await hooks.say(team, 1);
  await waitUntil(() => source.messages.length === 1);
  // A request would now record a use of the session; the checks of the stream do not.
  service.clock.move((service.app.config.SESSION_IDLE_MINUTES * MINUTE) / 2);
  await waitUntil(() => source.heartbeats() >= 2);
  const again = await open(signed.headers, signed.query);
  service.clock.move((service.app.config.SESSION_IDLE_MINUTES * MINUTE) / 2);
  await Promise.all([source.ended, again.ended]);
  expect((await open(signed.headers, signed.query)).status).toBe(401);
});

it('ends when the member loses every role, and is refused without one', async () => {
  const team = await service.team();
  const signed = await signIn(team);
  const source = await open(signed.headers, signed.query);
  const change = { role: null, team_role_bindings: null, roles: [] };
  const path = `/v1/org/${team.orgId}/member/${signed.member}`;
  expect((await team.management.patch(path, change)).status).toBe(200);
  await source.ended;
  const signedAgain = await openSession(service.app, signed.member, {
    method: 'password',
    address: '192.0.2.1',
  });
  const headers = { cookie: cookiePair(signedAgain.cookie) };
  expect((await open(headers, signed.query)).status).toBe(404);
});

it('ends when the team is deleted', async () => {
  const team = await service.team();
  const source = await open(withKey(team));
  const gone = await team.management.delete(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`);
  expect(gone.status, gone.text).toBe(200);
  await source.ended;
});

it('refuses more streams of a team than its limit, and counts only those that are open', async () => {
  const [team, other] = [await service.team(), await service.team()];
  const three = [await open(withKey(team)), await open(withKey(team)), await open(withKey(team))];
  const fourth = await open(withKey(team));
  expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, '10']);
  expect((await open(withKey(other))).status).toBe(200);
  three[0]?.close();
  await waitUntil(async () => (await open(withKey(team))).status === 200);
});

it('closes the connection of a client that does not read, which then continues', async () => {
  const team = await service.team();
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const received: Buffer[] = [];
  socket.write(
    `GET /v1/events/stream HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nx-service-api-key: ${team.key}\r\n\r\n`,
  );
  await new Promise<void>((resolve) =>
    socket.once('data', (first) => {
      received.push(first);
      socket.pause();
      resolve();
    }),
  );
  // More than the buffers of the kernel and of the stream hold.
  const count = 60_000;
  await hooks.say(team, ...range(1, count));
  await service.settle();
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (piece) => received.push(piece));
  socket.resume();
  await ended;
  const text = Buffer.concat(received).toString();
  expect(text).toMatch(/: this client reads too slowly/);
  const ids = [...text.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(range(1, ids.length));
  expect(ids.length).toBeLessThan(count);
  const rest = await open({ ...withKey(team), 'last-event-id': String(ids.length) });
  await waitUntil(() => rest.messages.length === count - ids.length);
  expect(positionsIn(rest)).toEqual(range(ids.length + 1, count));
}, 120_000);

it('ends when the server stops, without waiting for the client', async () => {
  const stopping: TestService = await openTestService();
  const team = await stopping.team();
  const at = await stopping.http.server.listen({ host: '127.0.0.1', port: 0 });
  const source = await openEventSource(`${at}/v1/events/stream`, withKey(team));
  await inTenant(stopping.app, team.tenant, (work) =>
    emit(work, somethingHappened, { subject: { userId: null, clientUserId: null }, data: { n: 1 } }),
  );
  await waitUntil(() => source.messages.length === 1);
  await stopping.close();
  await source.ended;
  expect(source.text()).toMatch(/: the server stops/);
});
