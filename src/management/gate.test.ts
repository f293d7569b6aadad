import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { forgetKeys, openGate, startKeyUse } from './gate.ts';
import { digestOf, newManagementKey, newTeamKey } from './keys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const strange = { status: 401, json: { detail: 'Invalid API key' } };
const ownPath = (team: TeamInHand) => `/v2/team/${team.tenant.teamId}`;
const orgPath = (team: TeamInHand) => `/v1/org/${team.orgId}`;
const tokenPath = (team: TeamInHand) => `${orgPath(team)}/team/${team.tenant.teamId}/create_api_access_token`;

describe('a key', () => {
  it('that is missing, unknown or no key at all opens nothing', async () => {
    const team = await house.team();
    for (const key of ['', 'nonsense', newTeamKey('sandbox', 'us'), `sk_us_${'a'.repeat(5000)}`]) {
      expect(await house.caller({ 'x-service-api-key': key }).get(ownPath(team))).toMatchObject(strange);
    }
    for (const key of ['', 'nonsense', newManagementKey(), `mg_${'a'.repeat(5000)}`]) {
      expect(await house.caller({ 'x-management-key': key }).get(orgPath(team))).toMatchObject(strange);
    }
    expect(await house.caller({}).get(ownPath(team))).toMatchObject(strange);
    expect(await house.caller({}).get(orgPath(team))).toMatchObject(strange);
  });

  it('in a header that nobody looks at is answered with the name of the right one', async () => {
    const team = await house.team();
    const missed = house.caller({ 'x-other-api-key': team.key, 'x-api-key': team.managementKey });
    const named = (name: string) => ({
      ...strange,
      headers: { 'www-authenticate': `ApiKey in="header", name="${name}"` },
    });
    expect(await missed.get(ownPath(team))).toMatchObject(named('x-service-api-key'));
    expect(await missed.get(orgPath(team))).toMatchObject(named('x-management-key'));
  });

  it('of the one kind is a stranger to the other API', async () => {
    const team = await house.team();
    const { key, managementKey } = team;
    expect(await house.caller({ 'x-service-api-key': managementKey }).get(ownPath(team))).toMatchObject(
      strange,
    );
    expect(await house.caller({ 'x-management-key': key }).get(orgPath(team))).toMatchObject(strange);
    expect(await house.caller({ 'x-service-api-key': key }).get(orgPath(team))).toMatchObject(strange);
  });

  it('may come in the deprecated header of the organization', async () => {
    const team = await house.team();
    const { status } = await house.caller({ 'X-Service-Org-Key': team.managementKey }).get(orgPath(team));
    expect(status).toBe(200);
  });

  it('is stored as a digest and shown as a prefix', async () => {
    const team = await house.team();
    const { rows } = await house.owner.query('select * from api_key where digest = $1', [digestOf(team.key)]);
    expect(rows).toHaveLength(1);
    expect(rows[0].prefix).toBe(team.key.slice(0, 10));
    expect(JSON.stringify(rows[0])).not.toContain(team.key.slice(10));
    expect(team.key).toMatch(/^sk_us_[0-9A-Za-z]{43}$/);
    expect(team.managementKey).toMatch(/^mg_[0-9A-Za-z]{43}$/);
  });

  it('is dead at once on the node that revokes it, and in seconds on the others', async () => {
    const team = await house.team();
    const other = openGate({ ...house.app });
    const headers = { 'x-service-api-key': team.key };
    const asked = { headers, address: '127.0.0.1', method: 'GET', tag: 'Users' } as const;
    expect((await team.get(ownPath(team))).status).toBe(200);
    expect((await other.team(asked)).tenant).toEqual(team.tenant);
    const keys = `${orgPath(team)}/team_api_keys/sandbox/us`;
    const [key] = (await team.management.get(`${keys}?team_id=${team.tenant.teamId}`)).json.api_keys;
    const revoked = await team.management.delete(`${keys}?api_key_id=${key.id}`);
    expect(revoked.json).toEqual({ success: [key.id], failure: [], not_found: [] });
    expect(await team.get(ownPath(team))).toMatchObject(strange);
    await expect.poll(() => other.team(asked).catch((error: Error) => error.message)).toBe('Invalid API key');
  });

  it('dies with its team', async () => {
    const team = await house.team();
    expect((await team.get(ownPath(team))).status).toBe(200);
    const { access_token: token } = (await team.management.post(tokenPath(team), { env: 'sandbox' })).json;
    expect((await team.management.delete(`${orgPath(team)}/team/${team.tenant.teamId}`)).status).toBe(200);
    expect(await team.get(ownPath(team))).toMatchObject(strange);
    expect(await house.caller({ authorization: `Bearer ${token}` }).get(ownPath(team))).toMatchObject(
      strange,
    );
  });

  it('of an organization on a lower plan does not open the Management API', async () => {
    const team = await house.team();
    await house.owner.query("update organization set plan = 'launch' where id = $1", [team.orgId]);
    forgetKeys(house.app);
    expect(await team.management.get(orgPath(team))).toMatchObject({
      status: 403,
      json: { detail: 'Management API requires the scale plan' },
    });
    expect((await team.get(ownPath(team))).status).toBe(200);
  });

  it('leaves a note of its last use', async () => {
    const team = await house.team();
    await team.get(ownPath(team));
    await team.management.get(orgPath(team));
    await startKeyUse(house.app).stop();
    for (const [table, key] of [
      ['api_key', team.key],
      ['management_key', team.managementKey],
    ] as const) {
      const { rows } = await house.owner.query(`select last_used_at from ${table} where digest = $1`, [
        digestOf(key),
      ]);
      expect(rows[0].last_used_at).toEqual(house.clock.now());
    }
  });
});

describe('an access token', () => {
  it('stands for its team and environment for ten minutes of its clock', async () => {
    const team = await house.team();
    const made = await team.management.post(tokenPath(team), { env: 'sandbox' });
    expect(made.json).toEqual({ access_token: expect.any(String), expires_in: 600 });
    const bearer = house.caller({ authorization: `Bearer ${made.json.access_token}` });
    expect((await bearer.get(ownPath(team))).status).toBe(200);
    const user = await bearer.post('/v2/user', { client_user_id: 'by-token' });
    expect((await team.get(`/v2/user/${user.json.user_id}`)).status).toBe(200);

    const clock = `${orgPath(team)}/team/${team.tenant.teamId}/sandbox/clock`;
    await team.management.post(clock, { advance_seconds: (9 * MINUTE) / SECOND });
    expect((await bearer.get(ownPath(team))).status).toBe(200);
    await team.management.post(clock, { advance_seconds: MINUTE / SECOND });
    expect(await bearer.get(ownPath(team))).toMatchObject(strange);
  });

  it('of production does not see the sandbox', async () => {
    const team = await house.team();
    const userId = await team.user();
    const made = await team.management.post(tokenPath(team), { env: 'production' });
    const bearer = house.caller({ authorization: `Bearer ${made.json.access_token}` });
    expect((await bearer.get(ownPath(team))).status).toBe(200);
    expect((await bearer.get(`/v2/user/${userId}`)).status).toBe(404);
  });

  it('that was not signed here opens nothing', async () => {
    const team = await house.team();
    const { access_token: token } = (await team.management.post(tokenPath(team), { env: 'sandbox' })).json;
    const [head, , signature] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ sub: team.tenant.teamId, env: 'production' })).toString(
      'base64url',
    );
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    for (const forged of [`${head}.${claims}.${signature}`, unsigned, 'nonsense', team.key]) {
      const bearer = house.caller({ authorization: `Bearer ${forged}` });
      expect(await bearer.get(ownPath(team))).toMatchObject(strange);
    }
    const management = house.caller({ authorization: `Bearer ${token}` });
    expect(await management.get(orgPath(team))).toMatchObject(strange);
  });
});
