import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { createLinkToken, standInSettings } from '../../../test/wearable-links.ts';
import { fitbitProtocol } from '../../../test/wearable-providers/fitbit.ts';
import { openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { HOUR } from '../../platform/clock.ts';

let service: TestService;
let team: TestTeam;
let fitbit: StandIn;
beforeAll(async () => {
  fitbit = await openStandIn(fitbitProtocol);
  service = await openTestService(standInSettings(fitbit));
  team = await service.team();
});
afterAll(async () => {
  await service.close();
  await fitbit.close();
});

/** Older clients send the API key of the team as well. */
const withToken = (token: string) => service.client({ 'x-service-link-token': token });

describe('the routes of older clients', () => {
  it('say whether a link token is valid, and why not', async () => {
    const token = await createLinkToken(team, await team.user());
    const check = (word: string) => service.client({}).post('/v2/link/token/isValid', { token: word });
    expect((await check(token)).json).toEqual({ is_valid: true, error_type: null, error: null });
    expect((await check('nothing')).json).toMatchObject({ is_valid: false, error_type: 'invalid_token' });
    service.clock.move(HOUR);
    expect(await check(token)).toMatchObject({
      status: 200,
      json: { is_valid: false, error_type: 'token_expired' },
    });
  });

  it('show the state of a link token and what its page shows', async () => {
    const user = await team.user();
    const client = withToken(await createLinkToken(team, user, { provider: 'fitbit' }));
    expect((await client.get('/v2/link/state')).json).toMatchObject({
      state: 'pending',
      user_id: user,
      provider: 'fitbit',
      filter_on_providers: null,
      redirect_url: null,
    });
    expect((await client.get('/v2/team/link/config')).json).toEqual({
      team_name: '',
      color: '#1f3a5f',
      website: null,
      logo_url: null,
    });
    for (const path of ['/v2/link/state', '/v2/team/link/config'])
      expect(await withToken('nothing').get(path)).toMatchObject({ status: 401 });
  });

  it('start an OAuth provider as its own route does', async () => {
    const link_token = await createLinkToken(team, await team.user());
    const started = await service.client({}).post('/v2/link/start', { link_token, provider: 'fitbit' });
    const begun = await withToken(link_token).get('/v2/link/provider/oauth/fitbit');
    expect(started.status).toBe(200);
    expect(started.json.oauth_url).toContain('/v2/link/authorize?state=');
    expect({ ...started.json, oauth_url: '' }).toEqual({ ...begun.json, oauth_url: '' });
    const other = await service.client({}).post('/v2/link/start', { link_token, provider: 'peloton' });
    expect(other).toMatchObject({
      status: 400,
      json: { detail: { error_type: 'provider_credential_error' } },
    });
  });

  it('refuse passwords and e-mail addresses in the shape of a link response', async () => {
    const client = withToken(await createLinkToken(team, await team.user()));
    const refused = { state: 'error', error_type: 'provider_api_error', connected: false };
    const password = { username: 'ada', password: 'x', provider: 'peloton', auth_type: 'password' };
    expect((await client.post('/v2/link/auth', password)).json).toMatchObject({
      ...refused,
      provider: 'peloton',
    });
    const email = { email: 'ada@example.com', provider: 'freestyle_libre', auth_type: 'email', region: 'us' };
    expect((await client.post('/v2/link/auth/email', email)).json).toMatchObject({
      ...refused,
      provider: 'freestyle_libre',
    });
  });

  it('answer a bulk historical pull with JSON, also when it goes on in the background', async () => {
    for (const wait_for_completion of [false, true]) {
      const body = { user_ids: [await team.user()], provider: 'fitbit', wait_for_completion };
      const answer = await team.post('/v2/link/bulk_trigger_historical_pull', body);
      expect([answer.status, answer.json]).toEqual([wait_for_completion ? 200 : 202, {}]);
    }
  });
});
