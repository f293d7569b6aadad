import { describe, expect, it } from 'vitest';
import { useAccessLog } from './access-log.ts';
import { useTestService } from './service-hooks.ts';
import type { ApiClient, TestTeam } from './service.ts';
import { sealAccessLog, sealVerifier } from '../src/identity/access-log/access-log.ts';
import { verifyAuditLog } from '../src/identity/management/management.ts';

const service = useTestService();
const { eventually } = useAccessLog(service);

const TOOL = { 'x-assistant-tool': 'list_users' };

interface LoggedCall {
  readonly operation: string;
  readonly status: number;
  readonly assistant_tool: string | null;
}

async function openKey(team: TestTeam, limits: object, environment = 'production') {
  const path = `/v1/org/${team.orgId}/team_api_keys/${environment}/us`;
  const { status, json } = await team.management.post(path, {
    label: 'Assistant',
    team_id: team.tenant.teamId,
    ...limits,
  });
  expect([status, json]).toMatchObject([200, {}]);
  return { id: json.id as string, calls: service.client({ 'x-service-api-key': json.value }) };
}

const logOf = async (team: TestTeam, environment = 'production', query = ''): Promise<LoggedCall[]> => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/${environment}/access_log${query}`;
  return (await team.management.get(path)).json.data;
};

const callsOf = async (...asked: Parameters<typeof logOf>) =>
  (await logOf(...asked)).map(({ operation, status, assistant_tool: tool }) => [operation, status, tool]);

const readUsers = (calls: ApiClient) => calls.get('/v2/user', TOOL);

describe('an assistant', () => {
  it('is refused in production by a key that was not made for assistants, and the log has the refusal', async () => {
    const team = await service.team();
    const { calls } = await openKey(team, { read_only: true });
    expect(await readUsers(calls)).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('create a key with `assistants` and `read_only`') },
    });
    expect((await calls.get('/v2/user')).status).toBe(200);
    await eventually(async () =>
      expect(await callsOf(team)).toEqual([
        ['listUsers', 200, null],
        ['listUsers', 403, 'list_users'],
      ]),
    );
  });

  it('reads production with a key for assistants, and the log has the tool', async () => {
    const team = await service.team();
    const { calls } = await openKey(team, { read_only: true, assistants: true });
    expect((await readUsers(calls)).status).toBe(200);
    expect((await calls.post('/v2/user', { client_user_id: 'x' }, TOOL)).status).toBe(403);
    await eventually(async () =>
      expect((await callsOf(team, 'production', '?assistant_tool=list_users')).toSorted()).toEqual([
        ['createUser', 403, 'list_users'],
        ['listUsers', 200, 'list_users'],
      ]),
    );
    expect(await logOf(team, 'production', '?assistant_tool=other')).toEqual([]);
  });

  it('gets no production key that may write', async () => {
    const team = await service.team();
    const path = `/v1/org/${team.orgId}/team_api_keys/production/us`;
    const body = { label: 'Both', team_id: team.tenant.teamId, assistants: true };
    expect(await team.management.post(path, body)).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'read_only'] }] },
    });
  });

  it('keeps its permission when the key is rotated', async () => {
    const team = await service.team();
    const { id } = await openKey(team, { read_only: true, assistants: true });
    const path = `/v1/org/${team.orgId}/team_api_keys/production/us/${id}/rotate`;
    const { json } = await team.management.post(path, {});
    expect(json).toMatchObject({ read_only: true, assistants: true });
    expect((await readUsers(service.client({ 'x-service-api-key': json.value }))).status).toBe(200);
  });

  it('is logged in the sandbox also where other callers are not', async () => {
    const team = await service.team();
    const { calls } = await openKey(team, { areas: ['users', 'catalog'] }, 'sandbox');
    const answers = [
      await calls.get('/v3/lab_tests', TOOL),
      await calls.get('/v3/orders', TOOL),
      await calls.get('/v2/user?limit=0', TOOL),
      await calls.get('/v2/user', { 'x-assistant-tool': 'No tool' }),
      await calls.get('/v3/lab_tests'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 422, 422, 200]);
    await eventually(async () =>
      expect((await callsOf(team, 'sandbox')).toSorted()).toEqual([
        ['listLabTests', 200, 'list_users'],
        ['listOrders', 403, 'list_users'],
        ['listUsers', 422, '(invalid)'],
        ['listUsers', 422, 'list_users'],
      ]),
    );
  });

  it('may use a management key only for a sandbox', async () => {
    const team = await service.team();
    const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;
    const move = () => team.management.post(`${base}/sandbox/clock`, { advance_seconds: 60 }, TOOL);
    expect((await move()).status).toBe(200);
    for (const path of [`${base}/production/event`, `/v1/org/${team.orgId}/team`])
      expect(await team.management.get(path, TOOL)).toMatchObject({
        status: 403,
        json: { detail: 'An assistant may use a management key only for what belongs to a sandbox' },
      });
    await eventually(async () =>
      expect(await callsOf(team, 'sandbox')).toEqual([['moveSandboxClock', 200, 'list_users']]),
    );
  });

  it('has lines that are sealed with the others', async () => {
    const team = await service.team();
    await team.get('/v2/user', TOOL);
    await team.get('/v2/user');
    await eventually(async () => expect(await logOf(team, 'sandbox')).toHaveLength(2));
    await sealAccessLog(service.app);
    const verify = async () => {
      for await (const { orgId, broken } of verifyAuditLog(service.app, [], sealVerifier))
        if (orgId === team.orgId) return broken?.reason;
      throw new Error('The organization has no audit log');
    };
    expect(await verify()).toBeUndefined();
    const tamper = async (tool: string) => {
      await service.ownerPool.query(`alter table access_log disable trigger user`);
      await service.ownerPool.query(
        `update access_log set assistant_tool = $2 where team_id = $1 and assistant_tool is not null`,
        [team.tenant.teamId, tool],
      );
      await service.ownerPool.query(`alter table access_log enable trigger user`);
    };
    await tamper('get_user');
    expect(await verify()).toMatch('lines of the access log were changed');
    await tamper('list_users');
    expect(await verify()).toBeUndefined();
  });
});

describe('a key', () => {
  it('can ask what it permits, also if it is restricted to areas', async () => {
    const team = await service.team();
    const { id, calls } = await openKey(team, { read_only: true, assistants: true, areas: ['users'] });
    expect(await calls.get('/v1/credential')).toMatchObject({
      status: 200,
      json: {
        id,
        kind: 'api_key',
        team_id: team.tenant.teamId,
        org_id: team.orgId,
        environment: 'production',
        limits: { read_only: true, areas: ['users'], assistants: true },
      },
    });
  });

  it('reads the same events, webhooks and attempts as a management key', async () => {
    const team = await service.team();
    const receiver = await team.endpoint();
    const userId = await team.user('ada');
    await team.post('/v2/link/connect/demo', { user_id: userId, provider: 'oura' });
    await service.settle();
    expect(receiver.events().length).toBeGreaterThan(0);
    const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox`;
    const [{ id }] = (await team.management.get(`${base}/webhook`)).json.data;
    for (const path of ['event', 'webhook', `webhook/${id}/attempt`]) {
      const own = await team.get(`/v1/${path}`);
      expect([path, own.status, own.json.data.length > 0]).toEqual([path, 200, true]);
      expect(own.json).toEqual((await team.management.get(`${base}/${path}`)).json);
    }
    const other = await service.team();
    expect((await other.get(`/v1/webhook/${id}/attempt`)).status).toBe(404);
    expect((await other.get('/v1/event')).json.data).toEqual([]);
  });
});
