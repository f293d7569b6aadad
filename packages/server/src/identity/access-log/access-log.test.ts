import { describe, expect, it } from 'vitest';
import { useAccessLog } from '../../../test/access-log.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { inTenant } from '../../platform/work.ts';
import { isLoggedRoute } from './logged-routes.ts';

const service = useTestService();

const { pathOf, logOf, operationsOf, eventually, teamWithAccesses } = useAccessLog(service);

describe('the access log', () => {
  it('lists reads and changes with ids and without names', async () => {
    const { team, userId, orderId } = await teamWithAccesses();
    const keys = await team.management.get(`/v1/org/${team.orgId}/team_api_keys/sandbox/us`);
    const keyId = keys.json.api_keys[0].id;
    const lines = await logOf(team);
    for (const line of lines) expect(line).toMatchObject({ kind: 'api_key', key_id: keyId, status: 200 });
    const seen = lines.map((line) => [line.operation, line.user_id, line.order_id]);
    expect(seen.toSorted()).toEqual([
      ['createOrder', userId, null],
      ['createUser', null, null],
      ['getOrder', null, orderId],
      ['getUser', userId, null],
    ]);
    const { rows } = await service.ownerPool.query('select * from access_log where team_id = $1', [
      team.tenant.teamId,
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/somebody|Ada|Lovelace/);
    // The entry of a change is written in its transaction.
    expect(rows.find(({ operation }) => operation === 'createOrder')).toMatchObject({
      method: 'POST',
      request_id: expect.stringMatching(/\S/),
    });
  });

  it('filters by key, operation, user, order and time, with pages', async () => {
    const { team, userId, orderId } = await teamWithAccesses();
    const [{ key_id: keyId } = { key_id: '' }] = await logOf(team);
    const now = service.clock.now();
    const after = encodeURIComponent(new Date(now.getTime() + 1).toISOString());
    const at = encodeURIComponent(now.toISOString());
    expect(await operationsOf(team, `?order_id=${orderId}`)).toEqual(['getOrder']);
    expect((await operationsOf(team, `?user_id=${userId}`)).toSorted()).toEqual(['createOrder', 'getUser']);
    expect(await operationsOf(team, '?operation=createUser')).toEqual(['createUser']);
    expect(await logOf(team, `?key_id=${keyId}&from=${at}&to=${after}`)).toHaveLength(4);
    expect(await logOf(team, `?from=${after}`)).toEqual([]);
    expect(await logOf(team, '?key_id=nobody')).toEqual([]);
    const first = (await team.management.get(`${pathOf(team)}/access_log?limit=3`)).json;
    const rest = await logOf(team, `?limit=3&next_cursor=${first.next_cursor}`);
    expect([...first.data, ...rest]).toEqual(await logOf(team));
    for (const wrong of ['?limit=0', '?from=yesterday', '?user_id=x', '?next_cursor=x']) {
      expect((await team.management.get(`${pathOf(team)}/access_log${wrong}`)).status).toBe(422);
    }
    const exported = await service.http.server.inject({
      url: `${pathOf(team)}/access_log`,
      headers: { accept: 'application/x-ndjson', 'x-management-key': team.managementKey },
    });
    const lines = exported.body.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual((await logOf(team)).toReversed());
  });

  it('tells nobody how much other tenants do between two entries', async () => {
    const { team } = await teamWithAccesses();
    const { team: other } = await teamWithAccesses();
    await team.get('/v2/user');
    await eventually(async () => expect(await logOf(team)).toHaveLength(5));
    const { rows } = await service.ownerPool.query(
      'select place::text from access_log where team_id = $1 order by place desc',
      [team.tenant.teamId],
    );
    const page = (await team.management.get(`${pathOf(team)}/access_log?limit=1`)).json;
    const told = [
      ...(await logOf(team)).map(({ id }) => id),
      Buffer.from(page.next_cursor, 'base64url').toString(),
    ];
    const positions = new Set(rows.map(({ place }) => place));
    expect(positions.size).toBe(5);
    for (const id of told) {
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(positions).not.toContain(String(Number.parseInt(id.slice(0, 16), 16)));
    }
    const cursorOfOther = (await other.management.get(`${pathOf(other)}/access_log?limit=1`)).json
      .next_cursor;
    expect(
      (await team.management.get(`${pathOf(team)}/access_log?next_cursor=${cursorOfOther}`)).status,
    ).toBe(422);
  });

  it('contains refused requests and replayed responses with their status', async () => {
    const { team } = await teamWithAccesses();
    const stranger = await service.team();
    const theirs = await stranger.user();
    expect((await team.get(`/v2/user/${theirs}`)).status).toBe(404);
    const headers = { 'x-idempotency-key': 'once' };
    for (const _time of [1, 2]) await team.post('/v2/user', { client_user_id: 'again' }, headers);
    expect((await team.post('/v2/user', { client_user_id: 'again' })).status).toBe(400);
    await eventually(async () => {
      expect(await logOf(team, `?user_id=${theirs}`)).toMatchObject([{ operation: 'getUser', status: 404 }]);
      const made = (await logOf(team, '?operation=createUser')).map(({ status }) => status);
      expect(made.toSorted()).toEqual([200, 200, 200, 400]);
    });
  });

  it('contains authorized reads of patient data by the Management API', async () => {
    const { team } = await teamWithAccesses();
    const stranger = await service.team();
    const events = `${pathOf(team)}/event`;
    expect((await team.management.get(events)).status).toBe(200);
    expect((await stranger.management.get(events)).status).toBe(404);
    expect((await team.management.get(`${pathOf(team)}/webhook`)).status).toBe(200);
    await eventually(async () => {
      expect(await logOf(team, '?operation=listEvents')).toEqual([
        expect.objectContaining({ kind: 'management_key', status: 200, user_id: null, other_ids: {} }),
      ]);
    });
    const [{ key_id: keyId } = { key_id: '' }] = await logOf(team, '?operation=listEvents');
    const { data: keys } = (await team.management.get(`/v1/org/${team.orgId}/management_key`)).json;
    expect(keys.map(({ id }: { id: string }) => id)).toContain(keyId);
    expect(await operationsOf(team)).not.toContain('listWebhooks');
  });

  it('remains readable for the organization after the team is deleted', async () => {
    const { team, userId } = await teamWithAccesses();
    const label = 'Of the team alone';
    const bindings = [{ team_id: team.tenant.teamId }];
    const base = `/v1/org/${team.orgId}`;
    const body = { label, role: 'team_admin', team_role_bindings: bindings };
    const { key } = (await team.management.post(`${base}/management_key`, body)).json;
    const before = await logOf(team, `?user_id=${userId}`);
    await team.management.delete(`${base}/team/${team.tenant.teamId}`);
    expect(await logOf(team, `?user_id=${userId}`)).toEqual(before);
    const path = `${pathOf(team)}/access_log`;
    const bound = service.client({ 'x-management-key': key });
    const strangers = [bound, (await service.team()).management];
    for (const caller of strangers) expect((await caller.get(path)).status).toBe(404);
    expect((await team.management.get(`${pathOf(team)}/event`)).status).toBe(404);
  });

  it('commits or rolls back the entry of a change with the change', async () => {
    const team = await service.team();
    await service.ownerPool.query(
      `create function refuse_access() returns trigger language plpgsql as $$ begin
        if new.operation = 'setUserInfo' then raise exception 'no'; end if; return new; end $$`,
    );
    await service.ownerPool.query(
      'create trigger refuse before insert on access_log for each row execute function refuse_access()',
    );
    const userId = await team.user();
    const info = {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      phone_number: '+14155550132',
      gender: 'female',
      dob: '1985-12-10',
      address: { first_line: '1 Main', city: 'San Francisco', state: 'CA', zip: '94104', country: 'US' },
    };
    expect((await team.patch(`/v2/user/${userId}/info`, info)).status).toBe(500);
    await service.ownerPool.query('drop trigger refuse on access_log');
    expect((await team.get(`/v2/user/${userId}/info/latest`)).status).toBe(404);
    expect((await team.patch(`/v2/user/${userId}/info`, info)).status).toBe(200);
    expect((await logOf(team, '?operation=setUserInfo')).some(({ status }) => status === 200)).toBe(true);
  });

  it('is append-only for everyone', async () => {
    const { team } = await teamWithAccesses();
    for (const statement of [
      'update access_log set status = 0',
      'delete from access_log',
      'truncate access_log',
    ]) {
      await expect(service.ownerPool.query(statement)).rejects.toThrow('The access log is append-only');
    }
    const erasing = inTenant(service.app, team.tenant, ({ tx }) => tx.deleteFrom('access_log').execute());
    await expect(erasing).rejects.toThrow(/permission denied/);
  });

  it('covers every change, and every read except those of catalogs and of the team itself', () => {
    const unwatched = service.http.routes.filter((route) => route.scope === 'team' && !isLoggedRoute(route));
    expect(unwatched.every(({ method }) => method === 'GET')).toBe(true);
    const aboutSomebody = unwatched.filter(({ path }) => /:(user|order|client_user|job)_id/.test(path));
    expect(aboutSomebody).toEqual([]);
    const byManagement = service.http.routes.filter(
      (route) => route.scope === 'management' && isLoggedRoute(route),
    );
    expect(byManagement.map(({ schema }) => schema.operationId).toSorted()).toEqual([
      'exportUser',
      'getLabMessage',
      'getReceivedWebhook',
      'getWebhookAttempt',
      'listEvents',
      'listLabMessages',
      'listReceivedWebhooks',
      'listWebhookAttempts',
    ]);
    const namesTenant = /\/:team_id\/:environment\//;
    expect(byManagement.filter(({ path }) => !namesTenant.test(path))).toEqual([]);
    expect(unwatched.map(({ schema }) => schema.operationId)).toEqual(
      expect.arrayContaining(['listLabTests', 'getOwnTeam', 'searchPayors', 'listPscCancellationReasons']),
    );
  });
});
