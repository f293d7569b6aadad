import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

async function ask(form: Record<string, string>) {
  const answer = await service.http.server.inject({
    method: 'POST',
    url: '/v1/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });
  return { status: answer.statusCode, json: answer.json() };
}

const exchange = (userToken: string) =>
  ask({ grant_type: EXCHANGE, subject_token_type: 'urn:junction:sign-in-token', subject_token: userToken });
const refresh = (token: string) => ask({ grant_type: 'refresh_token', refresh_token: token });
const refused = (errorType: string) => ({ status: 401, json: { detail: { error_type: errorType } } });

async function signInTokenOf(user: string, of: TestTeam = team): Promise<{ word: string; id: string }> {
  const { json } = await of.post(`/v2/user/${user}/sign_in_token`);
  const { user_token: word } = JSON.parse(Buffer.from(json.sign_in_token, 'base64').toString());
  return { word, id: json.token_id };
}

async function signIn(user: string, of: TestTeam = team) {
  const { json } = await exchange((await signInTokenOf(user, of)).word);
  return { tokens: json, app: service.client({ authorization: `Bearer ${json.access_token}` }) };
}

const SUMMARY = '?start_date=2026-03-01';
const day = { data: [{ calendar_date: '2026-03-01', steps: 10 }] };

describe('a sign-in token', () => {
  it('has the form that the mobile SDKs take apart', async () => {
    const user = await team.user();
    const { json } = await team.post(`/v2/user/${user}/sign_in_token`);
    const both = JSON.parse(Buffer.from(json.sign_in_token, 'base64').toString());
    expect(both).toEqual({ public_key: expect.any(String), user_token: expect.any(String) });
    const [header = '', claims = ''] = both.user_token.split('.');
    // They decode these parts as base64, in which base64url’s own characters are errors.
    expect(`${header}${claims}`).toMatch(/^[A-Za-z0-9+/]+$/);
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64').toString());
    expect(read(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(read(claims)).toMatchObject({
      iss: 'id-signer-stg-us@vital-id-stg-us.iam.gserviceaccount.com',
      uid: user,
      tenant_id: team.tenant.teamId,
      claims: { vital_team_id: team.tenant.teamId, vital_user_id: user },
    });
  });
});

describe('the tokens of a user’s app', () => {
  it('are answered in the form that both SDKs read', async () => {
    const { word } = await signInTokenOf(await team.user());
    const first = await exchange(word);
    expect(first).toMatchObject({ status: 200, json: { expires_in: 3600 } });
    expect(first.json.access_token).not.toBe(first.json.refresh_token);
    // The response of the first may have been lost.
    expect((await exchange(word)).status).toBe(200);
    const stored = await service.ownerPool.query('select row_to_json(i) as row from issued_token i');
    const all = JSON.stringify(stored.rows);
    for (const part of [first.json.access_token, first.json.refresh_token, word])
      expect(all).not.toContain(part.slice(-40));
  });

  it('read and push only what is of their own user', async () => {
    const [own, other] = [await team.user(), await team.user()];
    await team.post(`/v2/summary/activity/${other}`, day);
    const { app } = await signIn(own);
    expect((await app.post(`/v2/summary/activity/${own}`, day)).json).toMatchObject({ created: 1 });
    expect((await app.get(`/v2/summary/activity/${own}${SUMMARY}`)).json.activity).toHaveLength(1);
    expect((await app.get(`/v2/summary/sleep/${own}/stream${SUMMARY}`)).json).toEqual({ sleep: [] });
    expect((await app.get(`/v2/user/${own.toUpperCase()}`)).json).toMatchObject({ user_id: own });
    expect((await app.get(`/v2/user/providers/${own}`)).json).toEqual({ providers: [] });
    expect((await app.post('/v2/link/token', { user_id: own })).status).toBe(200);
    for (const url of [
      `/v2/summary/activity/${other}${SUMMARY}`,
      `/v2/summary/sleep/${other}/stream${SUMMARY}`,
      `/v2/user/${other}`,
      `/v2/user/providers/${other}`,
    ])
      expect([url, (await app.get(url)).status]).toEqual([url, 404]);
    expect((await app.post(`/v2/summary/activity/${other}`, day)).status).toBe(404);
    expect((await app.post('/v2/link/token', { user_id: other })).status).toBe(404);
    expect((await app.delete(`/v2/user/${other}/oura`)).status).toBe(404);
  });

  it('get timestamps in whole seconds, which alone the iOS SDK reads', async () => {
    const user = await team.user();
    const { app } = await signIn(user);
    const stamped = [
      { timestamp: '2026-03-01T08:00:00.750Z', value: 60, unit: 'bpm' },
      { timestamp: '2026-03-01T08:01:00Z', value: 61, unit: 'bpm' },
    ];
    const source = { provider: 'apple_health_kit', type: 'watch' };
    expect((await app.post(`/v2/timeseries/${user}/heartrate`, { source, data: stamped })).status).toBe(200);
    const path = `/v2/timeseries/${user}/heartrate${SUMMARY}`;
    const times = ({ json }: { json: { timestamp: string }[] }) => json.map(({ timestamp }) => timestamp);
    expect(times(await app.get(path))).toEqual(['2026-03-01T08:00:00+00:00', '2026-03-01T08:01:00+00:00']);
    expect(times(await team.get(path))).toEqual([
      '2026-03-01T08:00:00.750+00:00',
      '2026-03-01T08:01:00.000+00:00',
    ]);
    expect((await app.get(`/v2/user/${user}`)).json.created_on).toMatch(/T\d\d:\d\d:\d\d\+00:00$/);
  });

  it('open no operation of the team', async () => {
    const user = await team.user();
    const { app } = await signIn(user);
    for (const url of [
      '/v2/user',
      '/v3/orders',
      `/v2/user/${user}/info/latest`,
      `/v2/team/${team.tenant.teamId}`,
    ])
      expect([url, (await app.get(url)).status]).toEqual([url, 403]);
    expect((await app.post(`/v2/user/${user}/sign_in_token`)).status).toBe(403);
    expect((await app.post('/v2/user', { client_user_id: 'x' })).status).toBe(403);
    expect((await app.delete(`/v2/user/${user}`)).status).toBe(403);
    expect((await app.get(`/v1/org/${team.orgId}`)).status).toBe(401);
  });

  it('open nothing of another team or environment', async () => {
    const other = await service.team();
    const theirs = await other.user();
    const { app } = await signIn(await team.user());
    expect((await app.get(`/v2/user/${theirs}`)).status).toBe(404);
    expect((await app.post(`/v2/summary/activity/${theirs}`, day)).status).toBe(404);
  });

  it('expire, and are refreshed once', async () => {
    const user = await team.user();
    const { app, tokens } = await signIn(user);
    service.clock.move(HOUR);
    expect((await app.get(`/v2/user/${user}`)).status).toBe(401);
    const next = await refresh(tokens.refresh_token);
    expect(next.status).toBe(200);
    const again = service.client({ authorization: `Bearer ${next.json.access_token}` });
    expect((await again.get(`/v2/user/${user}`)).status).toBe(200);
    expect(next.json.refresh_token).not.toBe(tokens.refresh_token);
    service.clock.move(91 * DAY);
    expect(await refresh(next.json.refresh_token)).toMatchObject(refused('reauthentication_required'));
  });

  it('end when a refresh token is used again, but not when its response was lost', async () => {
    const user = await team.user();
    const { tokens } = await signIn(user);
    const first = await refresh(tokens.refresh_token);
    const repeated = await refresh(tokens.refresh_token);
    expect([first.status, repeated.status]).toEqual([200, 200]);
    service.clock.move(2 * MINUTE);
    expect(await refresh(tokens.refresh_token)).toMatchObject(refused('reauthentication_required'));
    for (const { json } of [first, repeated]) {
      const app = service.client({ authorization: `Bearer ${json.access_token}` });
      expect((await app.get(`/v2/user/${user}`)).status).toBe(401);
      expect(await refresh(json.refresh_token)).toMatchObject(refused('reauthentication_required'));
    }
    expect((await signIn(user)).tokens.access_token).toEqual(expect.any(String));
  });

  it('end with the sign-in token, also just after a refresh', async () => {
    const user = await team.user();
    const { word, id } = await signInTokenOf(user);
    const { json: tokens } = await exchange(word);
    const { json: next } = await refresh(tokens.refresh_token);
    expect((await team.delete(`/v2/user/${user}/token/${id}`)).status).toBe(200);
    const app = service.client({ authorization: `Bearer ${next.access_token}` });
    expect((await app.get(`/v2/user/${user}`)).status).toBe(401);
    for (const given of [tokens, next])
      expect(await refresh(given.refresh_token)).toMatchObject(refused('reauthentication_required'));
    expect(await exchange(word)).toMatchObject(refused('invalid_token'));
  });

  it('end with their user, whom the app then gives up', async () => {
    const user = await team.user();
    const { word } = await signInTokenOf(user);
    const { json: tokens } = await exchange(word);
    await team.delete(`/v2/user/${user}`);
    const app = service.client({ authorization: `Bearer ${tokens.access_token}` });
    expect((await app.get(`/v2/user/${user}`)).status).toBe(401);
    expect(await refresh(tokens.refresh_token)).toMatchObject(refused('invalid_token'));
    expect(await exchange(word)).toMatchObject(refused('invalid_token'));
  });
});

describe('a forged token', () => {
  const partsOf = (word: string) => word.split('.') as [string, string, string];
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('is refused by both grants, and opens nothing', async () => {
    const [own, other] = [await team.user(), await team.user()];
    const { word } = await signInTokenOf(own);
    const [header, claims, signature] = partsOf(word);
    const read = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const { rows } = await service.ownerPool.query('select public_key from user_app_key where team_id = $1', [
      team.tenant.teamId,
    ]);
    const symmetric = `${encode({ alg: 'HS256', typ: 'JWT' })}.${claims}`;
    const confused = createHmac('sha256', rows[0].public_key).update(symmetric).digest('base64url');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = await new SignJWT(read).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(privateKey);
    const { tokens } = await signIn(own);
    const forged = [
      `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.`,
      `${symmetric}.${confused}`,
      `${header}.${encode({ ...read, uid: other })}.${signature}`,
      foreign,
      'not.a.token',
      'x'.repeat(5000),
    ];
    for (const bad of [...forged, tokens.access_token, tokens.refresh_token])
      expect(await exchange(bad)).toMatchObject(refused('invalid_token'));
    for (const bad of [...forged, tokens.access_token])
      expect(await refresh(bad)).toMatchObject(refused('invalid_token'));
    for (const bad of [...forged, tokens.refresh_token]) {
      const app = service.client({ authorization: `Bearer ${bad}` });
      expect((await app.get(`/v2/user/${own}`)).status).toBe(401);
    }
  });

  it('of another team is refused', async () => {
    const stranger = await service.team();
    const theirs = await signInTokenOf(await stranger.user(), stranger);
    const own = await signInTokenOf(await team.user());
    const [header, claims] = partsOf(own.word);
    const [, , signature] = partsOf(theirs.word);
    expect(await exchange(`${header}.${claims}.${signature}`)).toMatchObject(refused('invalid_token'));
  });
});

describe('a request for tokens', () => {
  it.each([
    [{}],
    [{ grant_type: 'password', username: 'a' }],
    [{ grant_type: EXCHANGE }],
    [{ grant_type: 'refresh_token' }],
  ])('is refused with %o', async (form) => {
    const { status, json } = await ask(form as unknown as Record<string, string>);
    expect([status, json.detail.error_type]).toEqual([400, 'invalid_request']);
  });
});
