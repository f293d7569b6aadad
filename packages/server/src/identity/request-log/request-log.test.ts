import { describe, expect, it } from 'vitest';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { ApiClient, TestTeam } from '../../../test/service.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { insertRequests } from './store.ts';

const service = useTestService();
const LOG = '/v1/request-log';

interface Entry {
  id: string;
  operation: string;
  path: string;
  request_id: string;
  [field: string]: unknown;
}

const readLog = async (caller: ApiClient, query = ''): Promise<Entry[]> => {
  const { status, json, text } = await caller.get(`${LOG}${query}`);
  expect(status, text).toBe(200);
  return json.data;
};
const isOther = ({ operation }: { operation: string }) => operation !== 'listRequests';
/** The requests of a team besides reads of the log, as soon as so many are written. */
async function eventually(team: TestTeam, count: number): Promise<Entry[]> {
  await expect
    .poll(async () => {
      const query = "select 1 from request_log where team_id = $1 and operation <> 'listRequests'";
      return (await service.ownerPool.query(query, [team.tenant.teamId])).rowCount;
    })
    .toBe(count);
  return (await readLog(team, '?limit=200')).filter(isOther);
}

describe('the request log', () => {
  it('has each request with its path, status, key and ids, newest first', async () => {
    const team = await service.team();
    const made = await team.post('/v2/user', { client_user_id: 'ada' }, { 'x-idempotency-key': 'K-1' });
    const userId = made.json.user_id;
    const read = await team.get(`/v2/user/${userId}`, { 'x-request-id': 'trace-1' });
    service.clock.move(MINUTE);
    await team.get('/v2/user/01900000-0000-7000-8000-000000000000');
    const [missing, get, create] = await eventually(team, 3);
    expect(create).toMatchObject({
      kind: 'api_key',
      operation: 'createUser',
      method: 'POST',
      route: '/v2/user',
      path: '/v2/user',
      status: 200,
      idempotency_key: 'K-1',
      request_id: made.headers['x-request-id'],
      problem: null,
    });
    expect(get).toMatchObject({
      operation: 'getUser',
      route: '/v2/user/:user_id',
      path: `/v2/user/${userId}`,
      request_id: 'trace-1',
      key_id: create?.['key_id'],
      idempotency_key: null,
    });
    expect(get?.['duration_ms']).toBeGreaterThanOrEqual(0);
    expect(read.status).toBe(200);
    expect(missing).toMatchObject({ status: 404, problem: { code: 'not_found', locations: [] } });
    expect((await team.get(`${LOG}/${create?.id}`)).json).toEqual(create);
  });

  it('has where a request was invalid, but no value and no name that the API does not define', async () => {
    const team = await service.team();
    await team.post('/v2/user', { client_user_id: 42, Lovelace: 'Ada' });
    await team.get('/v2/user/resolve/Ada%20Lovelace');
    await team.get('/v3/orders?search_input=Lovelace&size=100000');
    const entries = await eventually(team, 3);
    const problems = entries.map(({ problem }) => problem);
    expect(problems).toContainEqual({
      code: 'invalid',
      locations: [{ loc: ['body', 'client_user_id'], type: 'string_type' }],
    });
    expect(problems).toContainEqual({
      code: 'invalid',
      locations: [{ loc: ['query', 'size'], type: 'too_big' }],
    });
    expect(entries.map(({ path }) => path)).toContain('/v2/user/resolve/:client_user_id');
    const { rows } = await service.ownerPool.query(
      'select l::text as line from request_log l where team_id = $1',
      [team.tenant.teamId],
    );
    expect(JSON.stringify(rows)).not.toMatch(/lovelace/i);
  });

  it('has the member of a session, and nothing of callers that were not authenticated', async () => {
    const team = await service.team();
    const roles = [{ role: 'developer', team_id: team.tenant.teamId }];
    const id = await joinOrganization(service, team, { email: 'dev@example.com', role: 'no_role', roles });
    const member = await signedIn(service, id);
    const headers = { 'x-service-team-id': team.tenant.teamId, 'x-service-environment': 'sandbox' };
    await member.get('/v2/user', headers);
    await service.client({ 'x-service-api-key': 'sk_us_nobody' }).get('/v2/user');
    await service.client({}).get('/v2/user');
    expect(await eventually(team, 1)).toMatchObject([{ kind: 'member', key_id: id, operation: 'listUsers' }]);
  });

  it('is filtered by status, method, path, operation, key, request and time', async () => {
    const team = await service.team();
    const start = service.clock.now();
    const userId = await team.user();
    service.clock.move(MINUTE);
    await team.get(`/v2/user/${userId}`, { 'x-request-id': 'trace-2' });
    await team.get(`/v2/user/01900000-0000-7000-8000-000000000000`);
    const all = await eventually(team, 3);
    const key = String(all[0]?.['key_id']);
    const after = encodeURIComponent(later(start, 1000).toISOString());
    const operations = async (query: string) =>
      (await readLog(team, query))
        .map(({ operation }) => operation)
        .filter((name) => name !== 'listRequests');
    expect(await operations('?status_class=4xx')).toEqual(['getUser']);
    expect(await operations('?status=404')).toEqual(['getUser']);
    expect(await operations('?method=POST')).toEqual(['createUser']);
    expect(await operations(`?path=/v2/user/${userId}`)).toEqual(['getUser']);
    expect(await operations('?path=/v2/user/:user_id')).toEqual(['getUser', 'getUser']);
    expect(await operations('?operation=createUser')).toEqual(['createUser']);
    expect(await operations(`?key_id=${key}`)).toHaveLength(3);
    expect(await operations('?key_id=other')).toEqual([]);
    expect(await operations('?request_id=trace-2')).toEqual(['getUser']);
    expect(await operations(`?from=${after}`)).toEqual(['getUser', 'getUser']);
    expect(await operations(`?to=${after}`)).toEqual(['createUser']);
  });

  it('is read in pages, also where few of very many requests match', async () => {
    const team = await service.team();
    const { teamId: team_id, environment } = team.tenant;
    const row = (index: number) => ({
      team_id,
      environment,
      at: later(service.clock.now(), -index),
      kind: 'api_key',
      key_id: 'k',
      operation: 'getUser',
      method: 'GET',
      route: '/v2/user/:user_id',
      path: '/v2/user/:user_id',
      status: index % 30_000 === 29_999 ? 500 : 200,
      duration_ms: 1,
      request_id: `r${index}`,
      idempotency_key: null,
      problem: null,
      locations: null,
    });
    const rows = Array.from({ length: 60_000 }, (_, index) => row(index));
    await asSystem(service.app.db, (tx) => insertRequests(tx, rows));
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const { json } = await team.get(`${LOG}?status=500&limit=50${cursor && `&next_cursor=${cursor}`}`);
      found.push(...json.data.map(({ request_id: id }: Entry) => id));
      cursor = json.next_cursor;
    }
    expect(found).toEqual(['r29999', 'r59999']);
    expect(pages).toBeGreaterThan(2);
    const first = await team.get(`${LOG}?key_id=k&limit=2`);
    const second = await team.get(`${LOG}?key_id=k&limit=2&next_cursor=${first.json.next_cursor}`);
    const ids = [...first.json.data, ...second.json.data].map(({ request_id: id }: Entry) => id);
    expect(ids).toEqual(['r0', 'r1', 'r2', 'r3']);
  });

  it('shows nothing of another team, also with its ids and cursors', async () => {
    const [team, other] = [await service.team(), await service.team()];
    await team.user();
    const [entry] = await eventually(team, 1);
    expect((await other.get(`${LOG}/${entry?.id}`)).status).toBe(404);
    expect((await other.get(`${LOG}/not-an-id`)).status).toBe(404);
    expect((await other.get(`${LOG}?next_cursor=not-a-cursor`)).status).toBe(422);
    expect((await readLog(other)).filter(({ operation }) => operation === 'createUser')).toEqual([]);
  });

  it('is written when the server closes', async () => {
    const { openTestService } = await import('../../../test/service.ts');
    const other = await openTestService();
    const team = await other.team();
    await team.user();
    await other.http.server.close();
    const { rows } = await other.ownerPool.query('select operation from request_log');
    expect(rows).toEqual([{ operation: 'createUser' }]);
    await other.close();
  });
});
