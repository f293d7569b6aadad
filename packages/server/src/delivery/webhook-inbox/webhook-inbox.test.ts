import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../test/faults/service-process.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { lateBound } from '../../../test/service-hooks.ts';
import { webhookFixture } from '../../../test/webhook-fixture.ts';
import { DAY, MINUTE } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { signatureHeaders } from '../webhooks/webhooks.ts';

let opened: TestService | undefined;
const service = lateBound<TestService>(() => opened, 'The test service');
const hooks = lateBound(() => fixture, 'The webhook fixture');
let fixture: ReturnType<typeof webhookFixture> | undefined;

beforeAll(async () => {
  const port = await freePort();
  // Not a loopback address: without the exception for the inbox no sandbox may send to this machine.
  opened = await openTestService({
    HOST: '0.0.0.0',
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
  });
  fixture = webhookFixture(opened);
  await opened.http.server.listen({ port, host: '127.0.0.1' });
});
afterAll(() => opened?.close());

const tenantPath = ({ orgId, tenant }: TestTeam, environment: string = tenant.environment) =>
  `/v1/org/${orgId}/team/${tenant.teamId}/${environment}`;
const pathOf = (team: TestTeam) => `${tenantPath(team)}/webhook_inbox`;
const answerWith = (team: TestTeam, answer: string) => team.management.patch(pathOf(team), { answer });

/** Creates the inbox of a team; returns its endpoint. */
async function openInbox(team: TestTeam): Promise<{ id: string; url: string }> {
  const made = await team.management.post(pathOf(team));
  expect(made.status, made.text).toBe(200);
  return made.json.webhook;
}

const receivedBy = async (team: TestTeam) =>
  (await team.management.get(`${pathOf(team)}/request?limit=100`)).json.data;
const attemptsOf = async (team: TestTeam, id: string) =>
  (await team.management.get(`${tenantPath(team)}/webhook/${id}/attempt`)).json.data;

/** Waits until so many requests have arrived. */
const arrived = (team: TestTeam, count: number) =>
  vi.waitFor(
    async () => {
      const data = await receivedBy(team);
      expect(data).toHaveLength(count);
      return data;
    },
    { timeout: 50_000, interval: 20 },
  );

const post = (url: string, body: string, init: RequestInit = {}) =>
  fetch(url, { method: 'POST', body, ...init });

describe('the inbox of a sandbox', () => {
  it('receives events through the sender, and verifies their signatures', async () => {
    const team = await service.team();
    const { id, url } = await openInbox(team);
    expect(url).toMatch(/^http:\/\/localhost:\d+\/webhook-inbox\/[\w-]{43}$/);
    await team.post('/v2/user', { client_user_id: 'ada' });
    await hooks.say(team, 7);
    await service.settle();
    const [newest] = await receivedBy(team);
    expect(newest).toMatchObject({
      event_type: 'test.something.happened',
      verification: 'valid',
      answer: 'success',
    });
    const one = (await team.management.get(`${pathOf(team)}/request/${newest.id}`)).json;
    expect(JSON.parse(one.body)).toMatchObject({ event_type: 'test.something.happened', data: { n: 7 } });
    expect(one.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': newest.message_id,
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(one.size_bytes).toBe(one.body.length);
    const [attempt] = await attemptsOf(team, id);
    expect(attempt).toMatchObject({
      message_id: newest.message_id,
      status_code: 200,
      response: '{"received":true}',
    });
  });

  it('is created once, and again after its endpoint was deleted', async () => {
    const team = await service.team();
    expect((await team.management.get(pathOf(team))).status).toBe(404);
    const made = await Promise.all([openInbox(team), openInbox(team), openInbox(team)]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const [first] = made;
    await hooks.say(team, 1);
    await service.settle();
    expect(await receivedBy(team)).toHaveLength(1);
    await team.management.delete(`${tenantPath(team)}/webhook/${first?.id}`);
    expect((await post(first?.url ?? '', '{}')).status).toBe(404);
    expect((await team.management.get(pathOf(team))).status).toBe(404);
    const second = await openInbox(team);
    expect(second.url).not.toBe(first?.url);
    expect(await receivedBy(team)).toEqual([]);
    await hooks.say(team, 2);
    await service.settle();
    expect(await receivedBy(team)).toHaveLength(1);
  });

  it('fails if it is told to, so that the retry is seen', async () => {
    const team = await service.team();
    const { id } = await openInbox(team);
    expect((await answerWith(team, 'failure')).json.answer).toBe('failure');
    await hooks.say(team, 1);
    await service.settle();
    expect(await receivedBy(team)).toMatchObject([{ answer: 'failure', verification: 'valid' }]);
    await answerWith(team, 'success');
    await hooks.move(MINUTE);
    const [retried, failed] = await receivedBy(team);
    expect(retried).toMatchObject({ answer: 'success', verification: 'valid' });
    expect(retried.message_id).toBe(failed.message_id);
    expect((await attemptsOf(team, id)).map((one: { status_code: number }) => one.status_code)).toEqual([
      200, 500,
    ]);
    expect((await answerWith(team, 'sometimes')).status).toBe(422);
  });

  it('is silent if it is told to, until the caller gives up', async () => {
    const team = await service.team();
    const { url } = await openInbox(team);
    await answerWith(team, 'timeout');
    const caller = new AbortController();
    const answer = post(url, '{}', { signal: caller.signal });
    expect(await arrived(team, 1)).toMatchObject([{ answer: 'timeout', verification: 'missing' }]);
    caller.abort();
    await expect(answer).rejects.toThrow();
  });

  it('tells a valid signature from a missing, an old and a wrong one', async () => {
    const team = await service.team();
    const { id, url } = await openInbox(team);
    const { key } = (await team.management.get(`${tenantPath(team)}/webhook/${id}/secret`)).json;
    const at = service.clock.now();
    const signed = (body: string, when = at, keys = [key]) =>
      signatureHeaders({ id: 'msg_mine', at: when, body }, keys);
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const old = new Date(at.getTime() - 6 * MINUTE);
    const sent = [
      { body: 'a', headers: {} },
      { body: 'b', headers: signed('b', at, [other]) },
      { body: 'c', headers: signed('other', at) },
      { body: 'd', headers: signed('d', old) },
      { body: 'e', headers: signed('e', at, [other, key]) },
    ];
    for (const { body, headers } of sent) expect((await post(url, body, { headers })).status).toBe(200);
    const found = (await receivedBy(team)).toReversed();
    expect(found.map((one: { verification: string }) => one.verification)).toEqual([
      'missing',
      'invalid',
      'invalid',
      'expired',
      'valid',
    ]);
  });

  it('keeps the newest hundred, for seven days of the sandbox clock', async () => {
    const team = await service.team();
    const { url } = await openInbox(team);
    for (let n = 0; n < 103; n += 1) expect((await post(url, `{"n":${n}}`)).status).toBe(200);
    const kept = await receivedBy(team);
    expect(kept).toHaveLength(100);
    const oldest = await team.management.get(`${pathOf(team)}/request/${kept.at(-1).id}`);
    expect(oldest.json.body).toBe('{"n":3}');
    const first = (await team.management.get(`${pathOf(team)}/request?limit=60`)).json;
    const rest = (await team.management.get(`${pathOf(team)}/request?next_cursor=${first.next_cursor}`)).json;
    expect([...first.data, ...rest.data]).toEqual(kept);
    expect(rest.next_cursor).toBeNull();
    const clock = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    await team.management.post(clock, { advance_seconds: (6 * DAY) / 1000 });
    await post(url, 'late');
    expect(await receivedBy(team)).toHaveLength(100);
    await team.management.post(clock, { advance_seconds: (1 * DAY) / 1000 });
    await service.settle();
    expect(await receivedBy(team)).toHaveLength(1);
    await team.management.post(clock, { advance_seconds: (6 * DAY) / 1000 });
    await service.settle();
    expect(await receivedBy(team)).toEqual([]);
  });

  it('hides what is about a deleted user, and erases it with the user', async () => {
    const team = await service.team();
    await openInbox(team);
    const userId = await team.user();
    await hooks.sayOf(team, userId, 1);
    await hooks.say(team, 2);
    await service.settle();
    const before = await receivedBy(team);
    const about = before.at(-1);
    await team.delete(`/v2/user/${userId}`);
    await service.settle();
    expect((await team.management.get(`${pathOf(team)}/request/${about.id}`)).status).toBe(404);
    const clock = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    // The inbox keeps for seven days, the user is erased after seven: only one of them may remove the rows.
    await service.ownerPool.query(
      `update webhook_inbox_request set received_at = received_at + interval '9 days' where team_id = $1`,
      [team.tenant.teamId],
    );
    await team.management.post(clock, { advance_seconds: (7 * DAY) / 1000 });
    await service.settle();
    const { rows } = await service.ownerPool.query(
      'select id from webhook_inbox_request where team_id = $1',
      [team.tenant.teamId],
    );
    const left = rows.map(({ id }) => id);
    expect(left).not.toContain(about.id);
    expect(left.length).toBeGreaterThan(0);
  });

  it('stores nothing of an event that was erased while its message was under way', async () => {
    const team = await service.team();
    const { id, url } = await openInbox(team);
    const { key } = (await team.management.get(`${tenantPath(team)}/webhook/${id}/secret`)).json;
    const message = { id: `msg_${newId()}`, at: service.clock.now(), body: 'old' };
    const answer = await post(url, message.body, { headers: signatureHeaders(message, [key]) });
    expect(answer.status).toBe(200);
    expect(await receivedBy(team)).toEqual([]);
  });

  it('stores nothing in clear', async () => {
    const team = await service.team();
    const { url } = await openInbox(team);
    await post(url, '{"event_type":"secret.word"}', { headers: { 'x-word': 'secret.word' } });
    const { rows } = await service.ownerPool.query('select * from webhook_inbox_request where team_id = $1', [
      team.tenant.teamId,
    ]);
    const stored = rows.map((row) =>
      Object.values(row)
        .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
        .join(' '),
    );
    expect(stored).toHaveLength(1);
    expect(stored.join()).not.toContain('secret.word');
  });

  it('masks headers that may be secret', async () => {
    const team = await service.team();
    const { url } = await openInbox(team);
    await post(url, '{}', { headers: { authorization: 'Bearer mine', 'x-plain': 'shown' } });
    const [{ id }] = await receivedBy(team);
    const { headers } = (await team.management.get(`${pathOf(team)}/request/${id}`)).json;
    expect(headers).toMatchObject({ authorization: '********', 'x-plain': 'shown' });
  });
});

describe('strangers', () => {
  it('get the answer of a path without a route for any token that is not known', async () => {
    const { url } = await openInbox(await service.team());
    const wrong = [`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`, `${url}A`, url.slice(0, -1)];
    const answers = await Promise.all(wrong.map((one) => post(one, '{}')));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await answers[0]?.text()).not.toContain('inbox');
    expect((await fetch(url)).status).not.toBe(200);
  });

  it('cannot send more than a body of 256 KiB', async () => {
    const team = await service.team();
    const { url } = await openInbox(team);
    expect((await post(url, 'x'.repeat(256 * 1024))).status).toBe(200);
    expect((await post(url, 'x'.repeat(256 * 1024 + 1))).status).toBe(413);
    expect(await receivedBy(team)).toHaveLength(1);
  });

  it('cannot read or set the inbox of another team', async () => {
    const [owner, other] = [await service.team(), await service.team()];
    const { url } = await openInbox(owner);
    await post(url, '{}');
    const [{ id }] = await receivedBy(owner);
    expect((await other.management.get(`${pathOf(other)}/request/${id}`)).status).toBe(404);
    expect((await other.management.get(pathOf(owner))).status).toBe(404);
    expect((await other.management.get(`${pathOf(owner)}/request/${id}`)).status).toBe(404);
    expect((await other.management.patch(pathOf(owner), { answer: 'failure' })).status).toBe(404);
    expect(await receivedBy(other)).toEqual([]);
  });

  it('cannot link a request to an event without its signature', async () => {
    const team = await service.team();
    const { url } = await openInbox(team);
    await hooks.say(team, 1);
    await service.settle();
    const [{ message_id }] = await receivedBy(team);
    await post(url, '{}', { headers: { 'webhook-id': message_id } });
    const { rows } = await service.ownerPool.query(
      'select event_id from webhook_inbox_request where team_id = $1 order by id',
      [team.tenant.teamId],
    );
    expect(rows.map(({ event_id }) => event_id === null)).toEqual([false, true]);
  });
});

describe('the guard against private targets', () => {
  const refusedFrom = (url: string) => [
    new URL('/healthz', url).href,
    `${url}/../../healthz`,
    `${url}?x=1`,
    `${url}#x`,
    `${url}/`,
    url.replace('/webhook-inbox/', '/webhook-inbox/../v1/'),
    url.replace('/webhook-inbox/', '//webhook-inbox/'),
    url.replace('localhost', 'LOCALHOST'),
    url.replace('localhost', '127.0.0.1'),
    url.replace(/:(\d+)\//, (_, port) => `:${Number(port) + 1}/`),
    url.replace('http://', 'http://a@'),
    url.slice(0, -1),
    `${url}A`,
  ];

  it('lets a team enter no URL of this service, not even that of an inbox', async () => {
    const team = await service.team();
    const { url } = await openInbox(team);
    for (const target of [url, ...refusedFrom(url)]) {
      const made = await team.management.post(`${tenantPath(team)}/webhook`, { url: target });
      expect([target, made.status]).toEqual([target, 422]);
    }
  });

  it('lets the sender reach the inbox only, in sandbox only', async () => {
    const team = await service.team();
    const { id, url } = await openInbox(team);
    const urls = refusedFrom(url).filter((target) => URL.canParse(target));
    for (const target of urls) {
      await service.ownerPool.query(
        'update webhook_endpoint set url = $1, revision = revision + 1, disabled_at = null where id = $2',
        [target, id],
      );
      await hooks.say(team, 1);
      await service.settle();
      const [attempt] = await attemptsOf(team, id);
      expect([target, attempt.error]).toEqual([target, 'The URL leads to a private address']);
    }
    expect(await receivedBy(team)).toEqual([]);
  });

  it('has no exception for production', async () => {
    const team = await service.team('production');
    const sandbox = await openInbox({ ...team, tenant: { ...team.tenant, environment: 'sandbox' } });
    const made = await team.management.post(`${tenantPath(team)}/webhook`, { url: 'https://example.com/' });
    await service.ownerPool.query('update webhook_endpoint set url = $1 where id = $2', [
      sandbox.url,
      made.json.id,
    ]);
    await hooks.say(team, 1);
    await service.settle();
    const [attempt] = await attemptsOf(team, made.json.id);
    expect(attempt.error).toBe('The URL leads to a private address');
    const inbox = await team.management.post(`${tenantPath(team)}/webhook_inbox`);
    expect(inbox.status).toBe(422);
  });

  it('lets a form send back the URL of the inbox with other changes', async () => {
    const team = await service.team();
    const { id, url } = await openInbox(team);
    const path = `${tenantPath(team)}/webhook/${id}`;
    expect((await team.management.patch(path, { url, description: 'mine' })).status).toBe(200);
    expect((await team.management.patch(path, { url: `${url}/` })).status).toBe(422);
  });
});
