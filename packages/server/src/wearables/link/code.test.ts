import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { createTeamKey } from '../../identity/management/management.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const exchange = (code: string, grant = 'sign_in_token') =>
  service.client({}).post(`/v2/link/code/exchange?code=${code}&grant_type=${grant}`);
const createCode = async (user: string, of: TestTeam = team): Promise<string> =>
  (await of.post(`/v2/link/code/create?user_id=${user}`)).json.code;
const refused = { status: 401, json: { detail: { error_type: 'invalid_token' } } };

async function signIn(signInToken: string) {
  const { user_token: word } = JSON.parse(Buffer.from(signInToken, 'base64').toString());
  const { json } = await service.http.server
    .inject({
      method: 'POST',
      url: '/v1/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ grant_type: EXCHANGE, subject_token: word }).toString(),
    })
    .then((answer) => ({ json: answer.json() }));
  return service.client({ authorization: `Bearer ${json.access_token}` });
}

describe('a link code', () => {
  it('is exchanged for a sign-in token that works', async () => {
    const user = await team.user();
    const { status, json } = await exchange(await createCode(user));
    expect([status, json]).toEqual([
      200,
      {
        user_id: user,
        sign_in_token: expect.any(String),
        team: { name: expect.any(String), logo_url: null },
      },
    ]);
    expect(json.team.name).not.toBe('');
    const app = await signIn(json.sign_in_token);
    expect((await app.get(`/v2/user/${user}`)).json).toMatchObject({ user_id: user });
    expect((await app.get(`/v2/user/${await team.user()}`)).status).toBe(404);
  });

  it('is exchanged by one of two requests at once, and then never again', async () => {
    const code = await createCode(await team.user());
    const answers = await Promise.all([exchange(code), exchange(code)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect(await exchange(code)).toMatchObject(refused);
  });

  it('is no longer listed after its use, and does not take the sign-in token along', async () => {
    const user = await team.user();
    const code = await createCode(user);
    const list = async () =>
      (await team.get(`/v2/user/${user}/token`)).json.data.map(({ kind }: { kind: string }) => kind);
    expect(await list()).toEqual(['link_code']);
    await exchange(code);
    expect(await list()).toEqual(['sign_in']);
  });

  it('expires, on the clock of the environment', async () => {
    const code = await createCode(await team.user());
    service.clock.move(HOUR);
    expect(await exchange(code)).toMatchObject(refused);
  });

  it('works until the time that its creator chose, also a later one', async () => {
    const until = new Date(service.clock.now().getTime() + 3 * HOUR).toISOString();
    const user = await team.user();
    const { json } = await team.post(`/v2/link/code/create?user_id=${user}&expires_at=${until}`);
    service.clock.move(2 * HOUR);
    expect((await exchange(json.code)).status).toBe(200);
  });

  it('ends with its token and with its user', async () => {
    const [one, other] = [await team.user(), await team.user()];
    const codes = [await createCode(one), await createCode(other)];
    await team.delete(`/v2/user/${one}/token`);
    await team.delete(`/v2/user/${other}`);
    for (const code of codes) expect(await exchange(code)).toMatchObject(refused);
  });

  it('ends with the key that created it, before and after the exchange', async () => {
    const key = await createTeamKey(service.app, { tenant: team.tenant, label: 'kiosk' });
    const kiosk = service.client({ 'x-service-api-key': key.value });
    const [user, other] = [await team.user(), await team.user()];
    const create = async (of: string) =>
      (await kiosk.post(`/v2/link/code/create?user_id=${of}`)).json.code as string;
    const [used, unused] = [await create(user), await create(other)];
    const app = await signIn((await exchange(used)).json.sign_in_token);
    expect((await app.get(`/v2/user/${user}`)).status).toBe(200);
    const keys = `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;
    expect((await team.management.delete(`${keys}?api_key_id=${key.id}`)).status).toBe(200);
    expect((await app.get(`/v2/user/${user}`)).status).toBe(401);
    expect(await exchange(unused)).toMatchObject(refused);
  });

  it('that two tenants have leads to neither', async () => {
    const code = await createCode(await team.user());
    const theirs = await service.team();
    const theirCode = await createCode(await theirs.user(), theirs);
    await service.ownerPool.query(
      `update link_code set digest = sha256($1::text::bytea) where digest = sha256($2::text::bytea)`,
      [code, theirCode],
    );
    expect(await exchange(code)).toMatchObject(refused);
  });

  it('needs a known grant', async () => {
    const code = await createCode(await team.user());
    expect((await exchange(code, 'password')).status).toBe(422);
    expect((await exchange(code)).status).toBe(200);
  });

  it('is not found by guessing: after 20 wrong ones from an address, a right one is refused too', async () => {
    service.clock.move(MINUTE);
    const code = await createCode(await team.user());
    for (let guess = 0; guess < 20; guess += 1)
      expect(await exchange(`skus0000000${guess}`)).toMatchObject(refused);
    expect((await exchange(code)).status).toBe(429);
    service.clock.move(MINUTE);
    expect((await exchange(code)).status).toBe(200);
  });
});

describe('signing out the apps of a user', () => {
  it('ends their sessions, and those of no other user', async () => {
    service.clock.move(MINUTE);
    const [one, other] = [await team.user(), await team.user()];
    const signed = await Promise.all(
      [one, other].map(async (user) => signIn((await exchange(await createCode(user))).json.sign_in_token)),
    );
    const ended = await team.post(`/v2/user/${one}/revoke_app_api_key`);
    expect([ended.status, ended.json.revoked]).toEqual([200, expect.any(Array)]);
    expect(ended.json.revoked).toHaveLength(3);
    expect((await signed[0]?.get(`/v2/user/${one}`))?.status).toBe(401);
    expect((await signed[1]?.get(`/v2/user/${other}`))?.status).toBe(200);
    expect((await team.get(`/v2/user/${one}`)).status).toBe(200);
  });
});
