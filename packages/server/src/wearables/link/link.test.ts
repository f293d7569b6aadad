import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openTestService,
  type ApiResponse,
  type ApiClient,
  type TestService,
  type TestTeam,
} from '../../../test/service.ts';
import { openBrowser, type TestBrowser } from '../../../test/browser.ts';
import {
  beginOAuth,
  grantAccess,
  openOAuthUrl,
  standInSettings,
  createLinkToken,
  setHistoricalDays,
  followAuthorization,
} from '../../../test/wearable-links.ts';
import { openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { fitbitProtocol } from '../../../test/wearable-providers/fitbit.ts';
import { ouraProtocol } from '../../../test/wearable-providers/oura.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';

let service: TestService;
let team: TestTeam;
let fitbit: StandIn;
let oura: StandIn;
let nobody: ApiClient;
let browser: TestBrowser;
beforeAll(async () => {
  [fitbit, oura] = await Promise.all([openStandIn(fitbitProtocol), openStandIn(ouraProtocol)]);
  service = await openTestService(standInSettings(fitbit, oura));
  team = await openTeam();
  nobody = service.client({});
  browser = openBrowser(service);
});
afterAll(async () => {
  await service.close();
  await Promise.all([fitbit.close(), oura.close()]);
});

/** Pulls are tested elsewhere: no history is read. */
async function openTeam(): Promise<TestTeam> {
  const opened = await service.team();
  await allowRedirectSchemes(opened, ['myapp']);
  await setHistoricalDays(opened, 0, fitbit, oura);
  return opened;
}

const allowRedirectSchemes = (owner: TestTeam, schemes: string[] | null) =>
  owner.management.patch(`/v1/org/${owner.orgId}/team/${owner.tenant.teamId}`, {
    sandbox: { allowed_redirect_schemes: schemes },
  });

const withToken = (token: string) => service.client({ 'x-service-link-token': token });
const asked = '/v2/link/provider/oauth/fitbit';
const providersOf = async (user: string) => (await team.get(`/v2/user/providers/${user}`)).json.providers;

/** Submits a form like a browser. */
const submit = async (path: string, fields: Record<string, string>) => {
  const answer = await service.http.server.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
};

describe('wrong tokens', () => {
  const statusOf = async (url: string, remoteAddress: string, headers = {}) =>
    (await service.http.server.inject({ method: 'GET', url, remoteAddress, headers })).statusCode;

  // prettier-ignore
  it.each([
    ['of the portal',      '203.0.113.31', '/portal?token=guess', {},                                  400],
    ['of the link page',   '203.0.113.32', '/link?token=guess',   {},                                  400],
    ['of the link API',    '203.0.113.33', asked,                 { 'x-service-link-token': 'guess' }, 401],
  ])('%s are limited to 20 a minute from one network, and right ones are not', async (_, address, url, headers, status) => {
    const token = await createLinkToken(team, await team.user());
    for (let tried = 0; tried < 20; tried += 1)
      expect(await statusOf(url, address, headers)).toBe(status);
    expect(await statusOf(url, address, headers)).toBe(429);
    expect(await statusOf('/v2/link/providers', address, { 'x-service-link-token': token })).toBe(200);
    expect(await statusOf(url, '203.0.113.40', headers)).toBe(status);
    service.clock.move(MINUTE);
    expect(await statusOf(url, address, headers)).toBe(status);
  });
});

describe('a link token', () => {
  it('connects one provider within an hour, and reports the outcome', async () => {
    const own = await openTeam();
    const receiver = await own.endpoint({ filter_types: ['provider.connection.created'] });
    const user = await own.user();
    const done = 'https://app.example.com/done?from=us';
    const token = await createLinkToken(own, user, { provider: 'fitbit', redirect_url: done });
    const back = await browser.get(await grantAccess(browser, fitbit, token));
    expect(back.status).toBe(303);
    expect(back.headers['location']).toBe(`${done}&state=success&provider=fitbit`);
    await service.settle();
    const [made] = receiver.received;
    expect(made?.body).toMatchObject({
      user_id: user,
      data: {
        provider: { slug: 'fitbit', name: 'Fitbit' },
        source: { slug: 'fitbit' },
        resource_availability: { sleep: { status: 'available' } },
      },
    });
    const [one] = (await own.get(`/v2/user/providers/${user}`)).json.providers;
    expect(one).toMatchObject({ status: 'connected', external_user_id: fitbit.protocol.user });
    const again = await withToken(token).get(asked);
    expect([again.status, again.json.detail.error_type]).toEqual([401, 'token_consumed']);
  });

  it('expires after an hour, and is bound to its user, team and signature', async () => {
    const user = await team.user();
    const token = await createLinkToken(team, user);
    const changed = `${token.slice(0, 30)}${token[30] === 'A' ? 'B' : 'A'}${token.slice(31)}`;
    for (const wrong of [changed, 'nonsense', '', `${token}A`]) {
      const answer = await withToken(wrong).get(asked);
      expect([answer.status, answer.json.detail.error_type]).toEqual([401, 'invalid_token']);
    }
    service.clock.move(HOUR);
    const late = await withToken(token).get(asked);
    expect([late.status, late.json.detail.error_type]).toEqual([401, 'token_expired']);
    const gone = await createLinkToken(team, user);
    await team.delete(`/v2/user/${user}`);
    expect((await withToken(gone).get(asked)).json.detail.error_type).toBe('invalid_token');
    const stranger = await service.team();
    expect((await stranger.post('/v2/link/token', { user_id: user })).status).toBe(404);
  });

  it('is consumed once by two concurrent callbacks', async () => {
    const user = await team.user();
    const token = await createLinkToken(team, user, { redirect_url: 'myapp://done', on_error: 'redirect' });
    const ways = await Promise.all([grantAccess(browser, fitbit, token), grantAccess(browser, oura, token)]);
    const answers = await Promise.all(ways.map((way) => browser.get(way)));
    const states = answers.map(({ headers }) => new URL(String(headers['location'])).searchParams);
    expect(states.map((state) => state.get('state')).toSorted()).toEqual(['error', 'success']);
    expect(states.map((state) => state.get('error_type'))).toContain('token_consumed');
    expect(await providersOf(user)).toHaveLength(1);
  });

  it('encrypts its redirect URL, and reads plain ones of earlier versions', async () => {
    const user = await team.user();
    const more = { provider: 'fitbit', redirect_url: 'https://app.example.com/done?let-me-in=secret' };
    const [sealed, earlier] = [
      await createLinkToken(team, user, more),
      await createLinkToken(team, user, more),
    ];
    const kept = () =>
      service.ownerPool.query('select t::text as row from link_token t where user_id = $1', [user]);
    const written = (await kept()).rows.map(({ row }) => row);
    expect(written).toHaveLength(2);
    expect(written.filter((row) => row.includes('app.example.com') || row.includes('secret'))).toEqual([]);
    const back = await browser.get(await grantAccess(browser, fitbit, sealed));
    expect(back.headers['location']).toBe(`${more.redirect_url}&state=success&provider=fitbit`);
    await service.ownerPool.query(
      'update link_token set private = null, redirect_url = $1 where user_id = $2 and used_at is null',
      ['myapp://earlier', user],
    );
    const late = await browser.get(await grantAccess(browser, fitbit, earlier));
    expect(late.headers['location']).toBe('myapp://earlier?state=success&provider=fitbit');
  });

  it('accepts only web and app redirect URLs', async () => {
    const user = await team.user();
    const refuse = [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://',
      'file:///etc/passwd',
      'intent://done#Intent;scheme=http;end',
      'http://app.example.com/done',
      'https://good.example\\@evil.example/',
      'no address',
    ];
    for (const redirect_url of [...refuse, 'https://a:b@example.com/', 'https://x.example/a b']) {
      const { status, json } = await team.post('/v2/link/token', { user_id: user, redirect_url });
      expect([redirect_url, status, json.detail?.[0]?.loc]).toEqual([
        redirect_url,
        422,
        ['body', 'redirect_url'],
      ]);
    }
    for (const redirect_url of ['https://app.example.com/done', 'http://localhost:3000/', 'myapp://done']) {
      expect((await team.post('/v2/link/token', { user_id: user, redirect_url })).status).toBe(200);
    }
  });

  it('redirects only to apps whose scheme the team registered', async () => {
    const own = await service.team();
    const user = await own.user();
    const create = (redirect_url: string) => own.post('/v2/link/token', { user_id: user, redirect_url });
    const refused = await create('myapp://done');
    expect([refused.status, refused.json.detail[0].loc]).toEqual([422, ['body', 'redirect_url']]);
    expect(refused.json.detail[0].msg).toContain('allowed_redirect_schemes');
    const changed = await allowRedirectSchemes(own, ['MyApp', 'com.example.app']);
    expect(changed.json.sandbox.allowed_redirect_schemes).toEqual(['myapp', 'com.example.app']);
    expect(changed.json.production.allowed_redirect_schemes).toEqual([]);
    expect((await create('myapp://done')).status).toBe(200);
    expect((await create('com.example.app:/done')).status).toBe(200);
    expect((await allowRedirectSchemes(own, ['javascript'])).status).toBe(422);
    await allowRedirectSchemes(own, null);
    expect((await create('myapp://done')).status).toBe(422);
  });

  it('still redirects to the apps of tokens of earlier versions', async () => {
    const text = await readFile(
      new URL('../../../migrations/0106_redirect_schemes.sql', import.meta.url),
      'utf8',
    );
    const upgrade = text.slice(text.indexOf('update team_environment'));
    const [app, explicit] = [await service.team(), await service.team()];
    for (const own of [app, explicit]) {
      await allowRedirectSchemes(own, ['earlier', 'other']);
      const user = await own.user();
      for (const redirect_url of ['earlier://a', 'other://b', 'https://x.example/'])
        await createLinkToken(own, user, { redirect_url });
      await allowRedirectSchemes(own, null);
    }
    await service.ownerPool.query(upgrade);
    await allowRedirectSchemes(explicit, ['chosen']);
    const status = async (own: TestTeam, redirect_url: string) =>
      (await own.post('/v2/link/token', { user_id: await own.user(), redirect_url })).status;
    expect(await status(app, 'new://c')).toBe(422);
    expect(await status(app, 'earlier://a')).toBe(200);
    expect(await status(app, 'other://b')).toBe(200);
    expect(await status(explicit, 'earlier://a')).toBe(422);
    expect(await status(explicit, 'chosen://a')).toBe(200);
  });

  it('lists the allowed and supported providers', async () => {
    const user = await team.user();
    const list = async (more: object) =>
      (await withToken(await createLinkToken(team, user, more)).get('/v2/link/providers')).json.map(
        ({ slug }: { slug: string }) => slug,
      );
    expect(await list({})).toEqual(['oura', 'fitbit']);
    expect(await list({ filter_on_providers: ['fitbit', 'garmin'] })).toEqual(['fitbit']);
    expect(await list({ provider: 'strava' })).toEqual([]);
    const only = await createLinkToken(team, user, { provider: 'oura' });
    expect((await withToken(only).get(asked)).status).toBe(400);
  });
});

describe('the callback', () => {
  it('is accepted once, at its own URL, and before it expires', async () => {
    const user = await team.user();
    const token = await createLinkToken(team, user);
    const elsewhere = await grantAccess(browser, fitbit, token);
    expect((await browser.get(elsewhere.replace('fitbit', 'oura'))).status).toBe(400);
    const way = await grantAccess(browser, fitbit, token);
    expect((await browser.get(way)).status).toBe(200);
    // A reloaded page must not report a failure: the first load connected the user.
    const again = await browser.get(way);
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('<h1>Link already used</h1>')]);
    expect((await nobody.get('/v2/link/callback/fitbit?state=made-up&code=x')).status).toBe(400);
    const late = await grantAccess(browser, oura, await createLinkToken(team, user));
    service.clock.move(31 * MINUTE);
    expect((await browser.get(late)).text).toContain('expired');
    expect(await providersOf(user)).toMatchObject([{ slug: 'fitbit' }]);
  });

  it('reports to the app if the user or the provider refused', async () => {
    const user = await team.user();
    const refused = async (change: (way: URL) => void) => {
      const token = await createLinkToken(team, user, {
        redirect_url: 'https://app.example.com/',
        on_error: 'redirect',
      });
      const way = new URL(await grantAccess(browser, fitbit, token), 'http://here');
      change(way);
      const { headers } = await browser.get(way.pathname + way.search);
      return new URL(String(headers['location'])).searchParams.get('error_type');
    };
    const saying = (error: string) => (way: URL) => {
      way.searchParams.delete('code');
      way.searchParams.set('error', error);
    };
    expect(await refused(saying('access_denied'))).toBe('user_cancelled');
    expect(await refused(saying('server_error'))).toBe('provider_api_error');
    expect(await refused((way) => way.searchParams.set('code', 'another'))).toBe('provider_api_error');
    expect(await providersOf(user)).toEqual([]);
  });
});

describe('the requirements of a team', () => {
  it('include a region only for a provider that has some', async () => {
    const token = await createLinkToken(team, await team.user());
    const answer = await withToken(token).get(`${asked}?region=de`);
    expect([answer.status, answer.json.detail.error_type]).toEqual([400, 'unsupported_region']);
    expect((await withToken(token).get(`${asked}?region=mars`)).status).toBe(422);
  });

  it('include scopes: without them nothing is connected', async () => {
    const own = await openTeam();
    const base = `/v1/org/${own.orgId}/team/${own.tenant.teamId}`;
    const { paths } = (await nobody.get('/openapi.json')).json;
    const path = Object.keys(paths).find((name) => name.includes('scope_requirements')) ?? '';
    const real = path.replace('{org_id}', own.orgId).replace('{team_id}', own.tenant.teamId);
    expect(real).toContain(base);
    const wanted = { fitbit: { user_must_grant: ['sleep', 'heartrate'], user_may_grant: ['weight'] } };
    const method = 'patch' in paths[path] ? 'patch' : 'put' in paths[path] ? 'put' : 'post';
    expect((await own.management[method](real, wanted)).status).toBe(200);
    const user = await own.user();
    const token = await createLinkToken(own, user);
    const url = await openOAuthUrl(browser, await beginOAuth(browser, 'fitbit', token));
    expect(new URL(url).searchParams.get('scope')?.split(' ')).toEqual(
      ['sleep', 'health_metrics_and_measurements'].map(
        (area) => `https://www.googleapis.com/auth/googlehealth.${area}.readonly`,
      ),
    );
    const less = new URL(url);
    less.searchParams.set('scope', 'https://www.googleapis.com/auth/googlehealth.settings.readonly');
    // Wait for the revocations of other tests.
    await service.settle();
    const before = fitbit.calls.length;
    const page = await browser.get(await followAuthorization(fitbit, less.href));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('agree to all of them')]);
    expect((await own.get(`/v2/user/providers/${user}`)).json.providers).toEqual([]);
    expect(fitbit.calls.slice(before).filter((call) => call.includes('revoke'))).toHaveLength(1);
  });

  it('can forbid duplicate connections', async () => {
    const own = await openTeam();
    const team_ = `/v1/org/${own.orgId}/team/${own.tenant.teamId}`;
    const set = await own.management.patch(team_, { sandbox: { reject_duplicate_connection: true } });
    expect(set.status).toBe(200);
    const [first, second] = [await own.user(), await own.user()];
    const go = async (user: string) =>
      browser.get(await grantAccess(browser, oura, await createLinkToken(own, user)));
    expect((await go(first)).status).toBe(200);
    expect((await go(second)).text).toContain('conflicting connection');
    expect((await go(first)).status).toBe(200);
    expect((await own.get(`/v2/user/providers/${second}`)).json.providers).toEqual([]);
  });

  it('never allow demo and real connections of one user', async () => {
    const [demo, real] = [await team.user(), await team.user()];
    await team.post('/v2/link/connect/demo', { user_id: demo, provider: 'oura' });
    const page = await browser.get(await grantAccess(browser, fitbit, await createLinkToken(team, demo)));
    expect(page.status).toBe(400);
    await browser.get(await grantAccess(browser, fitbit, await createLinkToken(team, real)));
    const refused = await team.post('/v2/link/connect/demo', { user_id: real, provider: 'oura' });
    expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining('real')]);
  });
});

/** The target of a page's refresh and of its button. The CSP forbids redirects from a form to another site. */
function leadsTo({ status, headers, text }: Pick<ApiResponse, 'status' | 'headers' | 'text'>): string {
  expect([status, headers['location']]).toEqual([200, undefined]);
  const [refresh, button] = [/content="1;url=([^"]+)"/, /<a class="button" href="([^"]+)"/].map(
    (link) => link.exec(text)?.[1],
  );
  expect(refresh).toBe(button);
  return (button ?? '').replaceAll('&amp;', '&');
}

describe('the hosted page', () => {
  it('lets a user choose and consent, without scripts and third parties', async () => {
    const user = await team.user();
    const token = await createLinkToken(team, user);
    const page = await nobody.get(`/link?token=${token}`);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.text).not.toMatch(/<script|(?:src|href|action)="https?:|onclick/i);
    const style = /<style>([^]*)<\/style>/.exec(page.text)?.[1] ?? '';
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(page.text).toContain('<html lang="en">');
    const ids = [...page.text.matchAll(/<input\s+type="(?:radio|checkbox)"\s+id="([\w-]+)"/g)].map(
      ([, id]) => id,
    );
    const demos = ['oura', 'fitbit', 'freestyle_libre', 'apple_health_kit'].map((slug) => `p-demo-${slug}`);
    expect(ids).toEqual(['p-oura', 'p-fitbit', ...demos, 'consent']);
    for (const id of ids) expect(page.text).toContain(`<label for="${id}">`);
    for (const [image] of page.text.matchAll(/<img[^>]*>/g)) expect(image).toContain('alt=""');

    const without = await submit('/link/start', { token, provider: 'fitbit' });
    expect([without.status, without.text]).toEqual([422, expect.stringContaining('agree to share')]);
    const going = await submit('/link/start', { token, provider: 'fitbit', consent: 'yes' });
    const url = (/<a class="button" href="([^"]+)"/.exec(going.text)?.[1] ?? '').replaceAll('&amp;', '&');
    const way = await followAuthorization(fitbit, url);
    const cookie = String(going.headers['set-cookie']).split(';')[0] ?? '';
    expect(String(going.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/);
    const done = await nobody.get(way, { cookie });
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Fitbit is connected')]);
    expect(await providersOf(user)).toHaveLength(1);
  });

  it('connects a demo in a sandbox, which consumes the token', async () => {
    const user = await team.user();
    const token = await createLinkToken(team, user, { redirect_url: 'https://app.example.com/done' });
    const given = { token, provider: 'demo:oura' };
    expect((await submit('/link/start', given)).status).toBe(422);
    const done = await submit('/link/start', { ...given, consent: 'yes' });
    expect(leadsTo(done)).toBe('https://app.example.com/done?state=success&provider=oura');
    expect(await providersOf(user)).toMatchObject([{ slug: 'oura', status: 'connected' }]);
    const again = await submit('/link/start', { ...given, consent: 'yes' });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('used already')]);
    const real = await submit('/link/start', {
      token: await createLinkToken(team, user),
      provider: 'demo:peloton',
      consent: 'yes',
    });
    expect(real.status).toBe(400);
  });

  it('redirects with the error, also from the hosted page', async () => {
    const more = { redirect_url: 'myapp://done', on_error: 'redirect' };
    const token = await createLinkToken(team, await team.user(), more);
    const refused = await submit('/link/start', { token, provider: 'peloton', consent: 'yes' });
    expect(leadsTo(refused)).toContain('myapp://done?state=error&provider=peloton&error_type=');
  });

  it('offers no demo in production', async () => {
    const real = await service.team('production');
    const token = await createLinkToken(real, await real.user());
    expect((await nobody.get(`/link?token=${token}`)).text).not.toContain('demo');
    const answer = await submit('/link/start', { token, provider: 'demo:oura', consent: 'yes' });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('no demo of oura')]);
  });

  it('rejects a callback in another browser', async () => {
    const user = await team.user();
    const token = await createLinkToken(team, user, {
      redirect_url: 'https://app.example.com/',
      on_error: 'redirect',
    });
    const going = await submit('/link/start', { token, provider: 'fitbit', consent: 'yes' });
    const url = (/<a class="button" href="([^"]+)"/.exec(going.text)?.[1] ?? '').replaceAll('&amp;', '&');
    const cookie = String(going.headers['set-cookie']).split(';')[0] ?? '';
    const answer = await nobody.get(await followAuthorization(fitbit, url), {
      cookie: cookie.replace(/=.*/, '=mine'),
    });
    expect([answer.status, answer.headers['location']]).toEqual([400, undefined]);
    expect(await providersOf(user)).toEqual([]);
  });

  it('supports two attempts in one browser', async () => {
    const jar = new Map<string, string>();
    const tab = async (standIn: StandIn) => {
      const user = await team.user();
      const given = {
        token: await createLinkToken(team, user),
        provider: standIn.protocol.slug,
        consent: 'yes',
      };
      const going = await submit('/link/start', given);
      const [name = '', value = ''] = String(going.headers['set-cookie']).split(/[=;]/);
      jar.set(name, value);
      return { user, way: await followAuthorization(standIn, leadsTo(going)) };
    };
    const tabs = [await tab(fitbit), await tab(oura)];
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    for (const { user, way } of tabs) {
      expect((await nobody.get(way, { cookie })).text).toContain('is connected');
      expect(await providersOf(user)).toHaveLength(1);
    }
  });

  it('shows errors of links, and escapes its content', async () => {
    expect((await nobody.get('/link')).status).toBe(400);
    // A phone that restores a tab requests the URL of the submitted form.
    const restored = await nobody.get('/link/start');
    expect([restored.status, restored.text]).toEqual([400, expect.stringContaining('<h1>Start again</h1>')]);
    expect((await nobody.get('/link?token=%22%3E%3Cscript%3E')).text).not.toContain('<script');
    const own = await openTeam();
    const brand = { company_name: '<b>Evil & Co' };
    const path = `/v1/org/${own.orgId}/team/${own.tenant.teamId}`;
    await own.management.patch(path, { sandbox: { brand_information: brand } });
    const page = await nobody.get(`/link?token=${await createLinkToken(own, await own.user())}`);
    expect(page.text).toContain('&lt;b&gt;Evil &amp; Co');
  });

  it('redirects when the user cancels', async () => {
    const more = { on_close: 'redirect', redirect_url: 'https://app.example.com/' };
    const page = await nobody.get(`/link?token=${await createLinkToken(team, await team.user(), more)}`);
    expect(page.text).toContain('href="https://app.example.com/?state=error&amp;error_type=user_cancelled');
  });

  it('lists connections in the portal, and disconnects them', async () => {
    const user = await team.user();
    await browser.get(await grantAccess(browser, fitbit, await createLinkToken(team, user)));
    const made = await team.post(`/v2/user/${user}/create_portal_url`, { context: 'launch' });
    const url = new URL(made.json.url);
    const page = await nobody.get(url.pathname + url.search);
    expect(page.text).toContain('aria-label="Disconnect Fitbit"');
    const token = url.searchParams.get('token') ?? '';
    const came = async (query: string) => (await nobody.get(`${url.pathname}${url.search}&${query}`)).text;
    expect(await came('state=success&provider=fitbit')).toContain(
      '<p role="status">Fitbit is connected.</p>',
    );
    expect(await came('state=success&provider=oura')).not.toContain('role="status"');
    const cancelled = 'state=error&provider=fitbit&error_type=user_cancelled&error=%3Cb%3E';
    expect(await came(cancelled)).toContain(
      '<p role="alert">You did not grant access. Nothing was connected.</p>',
    );
    expect(await came('state=error&error_type=%3Cb%3E')).toContain(
      '<p role="alert">Something went wrong. Try again.</p>',
    );
    expect((await submit('/portal', { token, disconnect: 'fitbit' })).status).toBe(303);
    expect(await providersOf(user)).toEqual([]);
    expect((await submit('/portal', { token })).headers['location']).toContain('/link?token=');
    service.clock.move(2 * HOUR);
    expect((await nobody.get(url.pathname + url.search)).status).toBe(400);
    expect((await nobody.get('/portal?token=made.up.one')).status).toBe(400);
    const other = await team.post(`/v2/user/${user}/create_portal_url`, { context: 'communications' });
    expect(other).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('PATCH /v3/order/{order_id}/communication_settings') },
    });
  });
});

describe('an unsupported provider', () => {
  it('returns an error of the contract', async () => {
    const more = { redirect_url: 'https://app.example.com/', on_error: 'redirect' };
    const call = withToken(await createLinkToken(team, await team.user(), more));
    const login = { username: 'ada', password: 'secret' };
    const { status, json } = await call.post('/v2/link/provider/password/peloton', login);
    expect([status, json]).toEqual([
      200,
      {
        state: 'error',
        redirect_url: expect.stringContaining('error_type=provider_api_error'),
        error_type: 'provider_api_error',
        error: expect.any(String),
        provider_mfa: null,
        provider: 'peloton',
        connected: false,
        provider_id: null,
      },
    ]);
    const mfa = '/v2/link/provider/password/peloton/complete_mfa';
    expect((await call.post(mfa, { mfa_code: '123456' })).json.state).toBe('error');
    const mail = await call.post('/v2/link/provider/email/freestyle_libre', { email: 'ada@example.com' });
    expect(mail.json).toMatchObject({ state: 'error', provider: 'freestyle_libre' });
    const wrong = await nobody.post('/v2/link/provider/password/peloton', login);
    expect(wrong.json).toMatchObject({ state: 'error', error_type: 'invalid_token' });
    expect((await call.post('/v2/link/provider/password/fitbit', login)).status).toBe(422);
  });
});

describe('a code for an app', () => {
  it('has the format that apps expect, and lasts at most a day', async () => {
    const user = await team.user();
    const path = `/v2/link/code/create?user_id=${user}`;
    const { json } = await team.post(path);
    expect(json.code).toMatch(/^skus[\da-f]{8}$/);
    expect(json.exchange_url).toBe(`tryvital://tryvital?code=${json.code}`);
    const late = new Date(service.clock.now().getTime() + 2 * DAY).toISOString();
    expect((await team.post(`${path}&expires_at=${late}`)).json.detail[0].loc).toEqual([
      'query',
      'expires_at',
    ]);
  });

  it('is not a sign-in token', async () => {
    const user = await team.user();
    const { json } = await team.post(`/v2/user/${user}/sign_in_token`);
    expect(json).toEqual({
      user_id: user,
      sign_in_token: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      token_id: expect.any(String),
    });
    expect((await nobody.get(`/portal?token=${json.sign_in_token}`)).status).toBe(400);
  });
});

describe('the list of providers', () => {
  it('lists the resources of each', async () => {
    const { json } = await team.get('/v2/providers');
    expect(json).toHaveLength(41);
    expect(json).toContainEqual(
      expect.objectContaining({
        slug: 'fitbit',
        auth_type: 'oauth',
        supported_resources: expect.arrayContaining(['sleep']),
      }),
    );
    const ble = (await team.get('/v2/providers?source_type=ble')).json;
    expect(ble.length).toBeGreaterThan(3);
    expect((await team.get('/v2/providers?source_type=tree')).json).toEqual([]);
  });
});
