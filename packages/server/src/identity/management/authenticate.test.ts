import { digestToken } from '../../platform/crypto/secret-token.ts';
import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { invalidateKeyCache, createAuthenticator, startKeyUseRecorder } from './authenticate.ts';
import { newManagementKey, newTeamKey } from './keys.ts';

const service = useTestService();

const unauthorized = { status: 401, json: { detail: expect.stringMatching(/^Invalid API key/) } };
const ownPath = (team: TestTeam) => `/v2/team/${team.tenant.teamId}`;
const orgPath = (team: TestTeam) => `/v1/org/${team.orgId}`;
const tokenPath = (team: TestTeam) => `${orgPath(team)}/team/${team.tenant.teamId}/create_api_access_token`;

describe('a key', () => {
  it('is rejected if it is missing, unknown or malformed', async () => {
    const team = await service.team();
    for (const key of ['', 'nonsense', newTeamKey('sandbox', 'us'), `sk_us_${'a'.repeat(5000)}`]) {
      expect(await service.client({ 'x-service-api-key': key }).get(ownPath(team))).toMatchObject(
        unauthorized,
      );
    }
    for (const key of ['', 'nonsense', newManagementKey(), `mg_${'a'.repeat(5000)}`]) {
      expect(await service.client({ 'x-management-key': key }).get(orgPath(team))).toMatchObject(
        unauthorized,
      );
    }
    expect(await service.client({}).get(ownPath(team))).toMatchObject(unauthorized);
    expect(await service.client({}).get(orgPath(team))).toMatchObject(unauthorized);
  });

  const secret = 'a'.repeat(43);
  const [header, management] = ['x-service-api-key', 'x-management-key'];
  // prettier-ignore
  it.each([
    ['none',                          'team', {},                                             /none was sent; expected in the header x-service-api-key$/],
    ['none',                          'org',  {},                                             /none was sent; expected in the header x-management-key$/],
    ['a header of an unknown brand',  'team', { 'x-other-api-key': `sk_us_${secret}` },       /the header x-other-api-key is not read here; expected in the header x-service-api-key$/],
    ['a header without a brand',      'team', { 'x-api-key': `sk_us_${secret}` },             /the header x-api-key is not read here; expected in the header x-service-api-key$/],
    ['a text that is no key',         'team', { [header]: 'nonsense' },                       /value of the header x-service-api-key is not a key; expected a team key/],
    ['a text that is no key',         'org',  { [management]: 'nonsense' },                   /value of the header x-management-key is not a key; expected a management key/],
    ['an unknown key',                'team', { [header]: `sk_us_${secret}` },                /the key in the header x-service-api-key is unknown, revoked or expired$/],
    ['an unknown key of an SDK',      'team', { 'x-vital-api-key': `sk_us_${secret}` },       /the key in the header x-vital-api-key is unknown, revoked or expired$/],
    ['an unknown key',                'org',  { [management]: `mg_${secret}` },               /the key in the header x-management-key is unknown, revoked or expired$/],
    ['a management key for a team',   'team', { [header]: `mg_${secret}` },                   /x-service-api-key contains a management key, which belongs into x-management-key$/],
    ['a team key for management',     'org',  { [management]: `sk_us_${secret}` },            /x-management-key contains a team key; expected a management key/],
  ])('%s (%s) is answered with what was expected', async (_what, api, headers, detail) => {
    // An address is refused after 20 invalid keys in a minute.
    service.clock.move(MINUTE);
    const team = await service.team();
    const answer = await service.client(headers).get(api === 'team' ? ownPath(team) : orgPath(team));
    expect(answer).toMatchObject({ status: 401, json: { detail: expect.stringMatching(detail) } });
    expect(answer.text).not.toContain(secret);
  });

  it('that is missing is answered with the name of the header in WWW-Authenticate', async () => {
    const team = await service.team();
    const missed = service.client({ 'x-other-api-key': team.key, 'x-api-key': team.managementKey });
    const named = (name: string) => ({
      ...unauthorized,
      headers: { 'www-authenticate': `ApiKey in="header", name="${name}"` },
    });
    expect(await missed.get(ownPath(team))).toMatchObject(named('x-service-api-key'));
    expect(await missed.get(orgPath(team))).toMatchObject(named('x-management-key'));
  });

  it.each(['vital', 'junction'])('is read in the headers of the brand %s too', async (brand) => {
    const team = await service.team();
    expect((await service.client({ [`x-${brand}-api-key`]: team.key }).get(ownPath(team))).status).toBe(200);
    const organization = service.client({ [`x-${brand}-org-key`]: team.managementKey });
    expect((await organization.get(orgPath(team))).status).toBe(200);
  });

  it('is a 400 beside another one in the header of another brand', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const both = (key: string) => service.client({ 'x-service-api-key': team.key, 'x-vital-api-key': key });
    const detail = 'x-service-api-key and x-vital-api-key are different; send one of them';
    expect(await both(other.key).get(ownPath(team))).toMatchObject({ status: 400, json: { detail } });
    expect((await both(team.key).get(ownPath(team))).status).toBe(200);
  });

  it('of one kind is invalid for the other API', async () => {
    const team = await service.team();
    const { key, managementKey } = team;
    expect(await service.client({ 'x-service-api-key': managementKey }).get(ownPath(team))).toMatchObject(
      unauthorized,
    );
    expect(await service.client({ 'x-management-key': key }).get(orgPath(team))).toMatchObject(unauthorized);
    expect(await service.client({ 'x-service-api-key': key }).get(orgPath(team))).toMatchObject(unauthorized);
  });

  it('is accepted in the deprecated organization header', async () => {
    const team = await service.team();
    const { status } = await service.client({ 'X-Service-Org-Key': team.managementKey }).get(orgPath(team));
    expect(status).toBe(200);
  });

  it('is stored as a digest and shown as a prefix', async () => {
    const team = await service.team();
    const { rows } = await service.ownerPool.query('select * from api_key where digest = $1', [
      digestToken(team.key),
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0].prefix).toBe(team.key.slice(0, 10));
    expect(JSON.stringify(rows[0])).not.toContain(team.key.slice(10));
    expect(team.key).toMatch(/^sk_us_[0-9A-Za-z]{43}$/);
    expect(team.managementKey).toMatch(/^mg_[0-9A-Za-z]{43}$/);
  });

  it('is invalid immediately on the node that revokes it, and within seconds on others', async () => {
    const team = await service.team();
    const other = createAuthenticator({ ...service.app });
    const headers = { 'x-service-api-key': team.key };
    const route = { method: 'GET', path: '/v2/user', tag: 'Users', operation: 'listUsers' } as const;
    const asked = { ...route, headers, address: '127.0.0.1', params: {}, query: {} };
    expect((await team.get(ownPath(team))).status).toBe(200);
    expect((await other.team(asked)).tenant).toEqual(team.tenant);
    const keys = `${orgPath(team)}/team_api_keys/sandbox/us`;
    const [key] = (await team.management.get(`${keys}?team_id=${team.tenant.teamId}`)).json.api_keys;
    const revoked = await team.management.delete(`${keys}?api_key_id=${key.id}`);
    expect(revoked.json).toEqual({ success: [key.id], failure: [], not_found: [] });
    expect(await team.get(ownPath(team))).toMatchObject(unauthorized);
    await expect
      .poll(() => other.team(asked).catch((error: Error) => error.message))
      .toMatch(/^Invalid API key/);
  });

  it('is invalid after its team is deleted', async () => {
    const team = await service.team();
    expect((await team.get(ownPath(team))).status).toBe(200);
    const { access_token: token } = (await team.management.post(tokenPath(team), { env: 'sandbox' })).json;
    expect((await team.management.delete(`${orgPath(team)}/team/${team.tenant.teamId}`)).status).toBe(200);
    expect(await team.get(ownPath(team))).toMatchObject(unauthorized);
    expect(await service.client({ authorization: `Bearer ${token}` }).get(ownPath(team))).toMatchObject(
      unauthorized,
    );
  });

  it('of an organization on a lower plan has no access to the Management API', async () => {
    const team = await service.team();
    await service.ownerPool.query("update organization set plan = 'launch' where id = $1", [team.orgId]);
    invalidateKeyCache(service.app);
    expect(await team.management.get(orgPath(team))).toMatchObject({
      status: 403,
      json: { detail: 'Management API requires the scale plan' },
    });
    expect((await team.get(ownPath(team))).status).toBe(200);
  });

  it('has its last use saved', async () => {
    const team = await service.team();
    await team.get(ownPath(team));
    await team.management.get(orgPath(team));
    await startKeyUseRecorder(service.app).stop();
    for (const [table, key] of [
      ['api_key', team.key],
      ['management_key', team.managementKey],
    ] as const) {
      const { rows } = await service.ownerPool.query(`select last_used_at from ${table} where digest = $1`, [
        digestToken(key),
      ]);
      expect(rows[0].last_used_at).toEqual(service.clock.now());
    }
  });
});

describe('an access token', () => {
  it('is valid for its team and environment for ten minutes on its clock', async () => {
    const team = await service.team();
    const made = await team.management.post(tokenPath(team), { env: 'sandbox' });
    expect(made.json).toEqual({
      access_token: expect.any(String),
      expires_in: 600,
      token_id: expect.any(String),
    });
    const bearer = service.client({ authorization: `Bearer ${made.json.access_token}` });
    expect((await bearer.get(ownPath(team))).status).toBe(200);
    const user = await bearer.post('/v2/user', { client_user_id: 'by-token' });
    expect((await team.get(`/v2/user/${user.json.user_id}`)).status).toBe(200);

    const clock = `${orgPath(team)}/team/${team.tenant.teamId}/sandbox/clock`;
    await team.management.post(clock, { advance_seconds: (9 * MINUTE) / SECOND });
    expect((await bearer.get(ownPath(team))).status).toBe(200);
    await team.management.post(clock, { advance_seconds: MINUTE / SECOND });
    expect(await bearer.get(ownPath(team))).toMatchObject(unauthorized);
  });

  it('of production has no access to the sandbox', async () => {
    const team = await service.team();
    const userId = await team.user();
    const made = await team.management.post(tokenPath(team), { env: 'production' });
    const bearer = service.client({ authorization: `Bearer ${made.json.access_token}` });
    expect((await bearer.get(ownPath(team))).status).toBe(200);
    expect((await bearer.get(`/v2/user/${userId}`)).status).toBe(404);
  });

  it('is rejected if this service did not sign it', async () => {
    const team = await service.team();
    const { access_token: token } = (await team.management.post(tokenPath(team), { env: 'sandbox' })).json;
    const [head, , signature] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ sub: team.tenant.teamId, env: 'production' })).toString(
      'base64url',
    );
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    for (const forged of [`${head}.${claims}.${signature}`, unsigned, 'nonsense', team.key]) {
      const bearer = service.client({ authorization: `Bearer ${forged}` });
      expect(await bearer.get(ownPath(team))).toMatchObject(unauthorized);
    }
    const management = service.client({ authorization: `Bearer ${token}` });
    expect(await management.get(orgPath(team))).toMatchObject(unauthorized);
  });
});
