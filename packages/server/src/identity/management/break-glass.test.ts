import { describe, expect, it, vi } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { listMailStates } from '../../mail/mail.ts';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { readTenant } from '../../platform/work.ts';
import { invalidateKeyCache } from './authenticate.ts';

const service = useTestService();

const unauthorized = { status: 401, json: { detail: expect.stringMatching(/^Invalid API key/) } };
const baseOf = (team: TestTeam) => `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox`;
const reason = 'the clinic cannot reach its own system';
const open = (team: TestTeam, body: object = { reason }) =>
  team.management.post(`${baseOf(team)}/break_glass`, body);
const callerOf = (token: string) => service.client({ authorization: `Bearer ${token}` });
const auditEntriesOf = async (team: TestTeam, id: string) =>
  (await team.management.get(`/v1/org/${team.orgId}/audit_log?subject=${id}`)).json.data;

describe('break-glass', () => {
  it('permits reading the data of one team in one environment', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const userId = await team.user();
    const { status, json } = await open(team);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      expires_in: 3600,
      access_token: expect.stringMatching(/^bg_[0-9A-Za-z]{43}$/),
    });
    const reader = callerOf(json.access_token);
    expect((await reader.get(`/v2/user/${userId}`)).status).toBe(200);
    expect((await reader.get(`/v2/user/${await other.user()}`)).status).toBe(404);
    expect((await reader.post('/v2/user', { client_user_id: 'x' })).status).toBe(403);
    expect((await reader.delete(`/v2/user/${userId}`)).status).toBe(403);
    const asKey = service.client({ 'x-service-api-key': json.access_token });
    expect(await asKey.get(`/v2/user/${userId}`)).toMatchObject(unauthorized);
    const { rows } = await service.ownerPool.query('select * from break_glass where id = $1', [json.id]);
    expect(JSON.stringify(rows)).not.toContain(json.access_token);
  });

  it('is recorded in the audit log, the access log and the service log, and e-mailed to the team', async () => {
    const team = await service.team();
    const settings = { sandbox: { critical_result_notification_email: 'lead@example.com' } };
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;
    expect((await team.management.patch(path, settings)).status).toBe(200);
    const userId = await team.user();
    const warned = vi.spyOn(service.app.log, 'warn');
    const { id, access_token: token } = (await open(team)).json;
    expect(warned.mock.calls.map(([fields]) => fields)).toContainEqual(
      expect.objectContaining({ opening: id }),
    );
    warned.mockRestore();
    expect(await auditEntriesOf(team, id)).toMatchObject([{ action: 'break_glass.open', after: { reason } }]);
    await callerOf(token).get(`/v2/user/${userId}`);
    await vi.waitFor(
      async () => {
        const { data } = (await team.management.get(`${baseOf(team)}/access_log?key_id=${id}`)).json;
        expect(data).toMatchObject([{ kind: 'break_glass', operation: 'getUser', user_id: userId }]);
      },
      { timeout: 50_000, interval: 20 },
    );
    const mails = await readTenant(service.app, team.tenant, (work) =>
      listMailStates(work, [`break-glass/${id}`]),
    );
    expect(mails).toHaveLength(1);
  });

  it('ends after an hour of system time, or when it is ended early', async () => {
    const team = await service.team();
    const [first, second] = [(await open(team)).json, (await open(team)).json];
    const users = (token: string) => callerOf(token).get('/v2/user');
    await team.management.post(`${baseOf(team)}/clock`, { advance_seconds: (2 * HOUR) / 1000 });
    expect((await users(first.access_token)).status).toBe(200);
    const path = `${baseOf(team)}/break_glass/${first.id}`;
    expect((await team.management.delete(path)).json).toEqual({ success: true });
    expect(await users(first.access_token)).toMatchObject(unauthorized);
    expect((await team.management.delete(path)).status).toBe(404);
    expect((await auditEntriesOf(team, first.id)).map(({ action }: { action: string }) => action)).toEqual([
      'break_glass.end',
      'break_glass.open',
    ]);
    service.clock.move(59 * MINUTE);
    expect((await users(second.access_token)).status).toBe(200);
    service.clock.move(MINUTE);
    expect(await users(second.access_token)).toMatchObject(unauthorized);
    expect((await team.management.delete(`${baseOf(team)}/break_glass/${second.id}`)).status).toBe(404);
  });

  it('ends when the management key that opened it is revoked or expires', async () => {
    const team = await service.team();
    const keyPath = `/v1/org/${team.orgId}/management_key`;
    const expires_at = later(service.clock.now(), 30 * MINUTE).toISOString();
    const [revoked, expiring] = await Promise.all(
      [{}, { expires_at }].map(async (limits) => {
        const made = await team.management.post(keyPath, { label: 'k', role: 'org_admin', ...limits });
        const opener = service.client({ 'x-management-key': made.json.key });
        const opened = await opener.post(`${baseOf(team)}/break_glass`, { reason });
        return { keyId: made.json.id, reader: callerOf(opened.json.access_token) };
      }),
    );
    const [byTeam, users] = [(await open(team)).json, '/v2/user'];
    expect((await revoked?.reader.get(users))?.status).toBe(200);
    expect((await team.management.delete(`${keyPath}/${revoked?.keyId}`)).status).toBe(200);
    expect(await revoked?.reader.get(users)).toMatchObject(unauthorized);
    expect((await expiring?.reader.get(users))?.status).toBe(200);
    service.clock.move(30 * MINUTE);
    invalidateKeyCache(service.app);
    expect(await expiring?.reader.get(users)).toMatchObject(unauthorized);
    expect((await callerOf(byTeam.access_token).get(users)).status).toBe(200);
  });

  it('ends when the member who opened it loses a role', async () => {
    const team = await service.team();
    const email = 'lead@example.com';
    const memberId = await joinOrganization(service, team, { email, role: 'org_admin' });
    const opened = await (await signedIn(service, memberId)).post(`${baseOf(team)}/break_glass`, { reason });
    const reader = callerOf(opened.json.access_token);
    expect((await reader.get('/v2/user')).status).toBe(200);
    await service.ownerPool.query(
      `update organization_member set role = 'no_role', is_owner = false where id = $1`,
      [memberId],
    );
    invalidateKeyCache(service.app);
    expect(await reader.get('/v2/user')).toMatchObject(unauthorized);
  });

  it('is listed with its reason, newest first and in pages', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await open(team)).json.id);
    await team.management.delete(`${baseOf(team)}/break_glass/${ids[2]}`);
    const list = async (query = '') =>
      (await team.management.get(`${baseOf(team)}/break_glass${query}`)).json;
    const { data, next_cursor: cursor } = await list();
    expect(cursor).toBeNull();
    expect(data.map(({ id, is_open }: { id: string; is_open: boolean }) => [id, is_open])).toEqual([
      [ids[0], true],
      [ids[1], true],
      [ids[2], false],
    ]);
    expect(data[2]).toMatchObject({ reason, ended_at: expect.any(String) });
    expect(JSON.stringify(data)).not.toContain('bg_');
    const behind = Buffer.from(ids[0] ?? '').toString('base64url');
    expect((await list(`?next_cursor=${behind}`)).data).toEqual(data.slice(1));
    service.clock.move(60 * MINUTE);
    expect((await list()).data[0]).toMatchObject({ id: ids[0], is_open: false, ended_at: null });
    expect((await other.management.get(`${baseOf(team)}/break_glass`)).status).toBe(404);
    expect((await team.management.get(`${baseOf(team)}/break_glass?next_cursor=x`)).status).toBe(422);
  });

  it('requires a reason, and an Org Management Key of the same organization', async () => {
    const [team, stranger] = [await service.team(), await service.team()];
    for (const wrong of [{}, { reason: 'short' }, { reason: ' '.repeat(20) }, { reason: 'x'.repeat(501) }]) {
      expect((await open(team, wrong)).status).toBe(422);
    }
    const body = { label: 'k', role: 'team_admin', team_role_bindings: [{ team_id: team.tenant.teamId }] };
    const bound = (await team.management.post(`/v1/org/${team.orgId}/management_key`, body)).json;
    const caller = service.client({ 'x-management-key': bound.key });
    expect((await caller.post(`${baseOf(team)}/break_glass`, { reason })).status).toBe(403);
    expect((await stranger.management.post(`${baseOf(team)}/break_glass`, { reason })).status).toBe(404);
    const { id } = (await open(team)).json;
    const across = `${baseOf(team).replace('/sandbox', '/production')}/break_glass/${id}`;
    expect((await team.management.delete(across)).status).toBe(404);
    expect((await caller.delete(`${baseOf(team)}/break_glass/${id}`)).status).toBe(403);
  });
});

describe('an access token', () => {
  it('has the same id in the audit log and the access log', async () => {
    const team = await service.team();
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/create_api_access_token`;
    const { access_token: token } = (await team.management.post(path, { env: 'sandbox' })).json;
    expect((await callerOf(token).post('/v2/user', { client_user_id: 'x' })).status).toBe(200);
    const [deed] = (await team.management.get(`/v1/org/${team.orgId}/audit_log?action=access_token.create`))
      .json.data;
    const { data } = (await team.management.get(`${baseOf(team)}/access_log`)).json;
    expect(data).toMatchObject([
      { kind: 'access_token', key_id: deed.after.token_id, operation: 'createUser' },
    ]);
  });
});
