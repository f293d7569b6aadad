import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../../../test/browser.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  beginOAuth,
  createLinkToken,
  followAuthorization,
  openOAuthUrl,
  setHistoricalDays,
  standInSettings,
} from '../../../test/wearable-links.ts';
import { ouraProtocol } from '../../../test/wearable-providers/oura.ts';
import { openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { MINUTE } from '../../platform/clock.ts';

const PUBLIC_URL = 'https://api.clinic.example';
const OTHER_BROWSER = /another browser/;

let service: TestService;
let team: TestTeam;
let oura: StandIn;
beforeAll(async () => {
  oura = await openStandIn(ouraProtocol);
  service = await openTestService({ ...standInSettings(oura), PUBLIC_URL });
  team = await service.team();
  // Pulls are tested elsewhere: no history is read.
  await setHistoricalDays(team, 0, oura);
});
afterAll(async () => {
  await service.close();
  await oura.close();
});

const open = (): TestBrowser => openBrowser(service);
const pathOf = (url: string) => url.slice(PUBLIC_URL.length);
const connectedOf = async (user: string) => (await team.get(`/v2/user/providers/${user}`)).json.providers;

/** An attempt whose `oauth_url` the team's own server asked for. */
async function begin(more: object = {}): Promise<{ user: string; token: string; url: string }> {
  const user = await team.user();
  const token = await createLinkToken(team, user, more);
  return { user, token, url: await beginOAuth(open(), 'oura', token) };
}

describe('the oauth_url of the API', () => {
  it('is an address of this service, and sends the browser on to the provider with a cookie', async () => {
    const { url, user } = await begin();
    expect(url).toMatch(/^https:\/\/api\.clinic\.example\/v2\/link\/authorize\?state=[\w-]{76}$/);
    const browser = open();
    const sent = await browser.get(pathOf(url));
    expect(sent.status).toBe(303);
    expect(sent.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    const target = new URL(String(sent.headers['location']));
    expect(target.origin).toBe(new URL(oura.url).origin);
    expect(target.searchParams.get('state')).toBe(new URL(url).searchParams.get('state'));
    // Lax: the provider's redirect is a navigation from another site, which a Strict cookie does not survive.
    expect(String(sent.headers['set-cookie'])).toMatch(
      /^aliquot_link_[\da-f]{16}=[\w-]{32}; Max-Age=1800; Path=\/v2\/link; HttpOnly; SameSite=Lax; Secure$/,
    );
    const done = await browser.get(await followAuthorization(oura, target.href));
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Oura is connected')]);
    expect(await connectedOf(user)).toMatchObject([{ slug: 'oura', status: 'connected' }]);
  });

  it('can be opened again in the same browser', async () => {
    const { url, user } = await begin();
    const browser = open();
    const first = await openOAuthUrl(browser, url);
    expect(await openOAuthUrl(browser, url)).toBe(first);
    expect((await browser.get(await followAuthorization(oura, first))).status).toBe(200);
    expect(await connectedOf(user)).toHaveLength(1);
  });

  it('is refused in a second browser, and still works in the first', async () => {
    const { url, user } = await begin();
    const [first, second] = [open(), open()];
    const target = await openOAuthUrl(first, url);
    const refused = await second.get(pathOf(url));
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(OTHER_BROWSER)]);
    expect([refused.headers['set-cookie'], refused.headers['location']]).toEqual([undefined, undefined]);
    expect((await first.get(await followAuthorization(oura, target))).status).toBe(200);
    expect(await connectedOf(user)).toHaveLength(1);
  });

  it('is not opened by a HEAD request, as checkers of links send it', async () => {
    const { url, user } = await begin();
    const checked = await service.http.server.inject({ method: 'HEAD', url: pathOf(url) });
    expect([checked.statusCode, checked.headers['set-cookie']]).toEqual([405, undefined]);
    const browser = open();
    const way = await followAuthorization(oura, await openOAuthUrl(browser, url));
    expect((await browser.get(way)).status).toBe(200);
    expect(await connectedOf(user)).toHaveLength(1);
  });

  it('is refused once it is too late, used, revoked or made up', async () => {
    const late = await begin();
    service.clock.move(30 * MINUTE);
    expect((await open().get(pathOf(late.url))).text).toContain('This link has expired');
    const used = await begin();
    const browser = open();
    await browser.get(await followAuthorization(oura, await openOAuthUrl(browser, used.url)));
    expect((await browser.get(pathOf(used.url))).text).toContain('<h1>Link already used</h1>');
    const gone = await begin();
    await team.delete(`/v2/user/${gone.user}`);
    expect((await open().get(pathOf(gone.url))).text).toContain('This link is invalid');
    for (const path of ['/v2/link/authorize', '/v2/link/authorize?state=made-up'])
      expect((await open().get(path)).status).toBe(400);
  });

  it('is limited to 20 guesses a minute from one network', async () => {
    const guesser = open();
    const statuses: number[] = [];
    for (let guess = 0; guess <= 20; guess += 1)
      statuses.push((await guesser.get(`/v2/link/authorize?state=guess${guess}`)).status);
    expect([statuses.filter((status) => status === 400).length, statuses.at(-1)]).toEqual([20, 429]);
  });
});

describe('the callback of an attempt that began with the API', () => {
  const redirect_url = 'https://app.example.com/done';

  it.each<[string, (first: TestBrowser) => TestBrowser]>([
    ['another browser', () => open()],
    ['the same browser without its cookie', (first) => (first.cookies.clear(), first)],
    [
      'another browser with a cookie of its own',
      (first) => {
        const other = open();
        for (const name of first.cookies.keys()) other.cookies.set(name, 'mine');
        return other;
      },
    ],
  ])('is refused in %s, and ends the attempt', async (_, choose) => {
    const { url, user } = await begin({ redirect_url, on_error: 'redirect' });
    const first = open();
    const way = await followAuthorization(oura, await openOAuthUrl(first, url));
    const cookies = new Map(first.cookies);
    const refused = await choose(first).get(way);
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(OTHER_BROWSER)]);
    // Another browser does not learn the redirect URL of the team.
    expect([refused.headers['location'], refused.text.includes('app.example.com')]).toEqual([
      undefined,
      false,
    ]);
    // The code was in the wrong browser, so the right one cannot redeem it either.
    for (const [name, value] of cookies) first.cookies.set(name, value);
    expect((await first.get(way)).text).toContain('<h1>Link already used</h1>');
    expect(await connectedOf(user)).toEqual([]);
  });

  it('is refused if no browser ever opened the oauth_url', async () => {
    const { url, user } = await begin();
    const target = new URL(await openOAuthUrl(open(), (await begin()).url));
    target.searchParams.set('state', new URL(url).searchParams.get('state') ?? '');
    const refused = await open().get(await followAuthorization(oura, target.href));
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(OTHER_BROWSER)]);
    expect(await connectedOf(user)).toEqual([]);
  });

  it('leaves the link token valid for another attempt', async () => {
    const { url, token, user } = await begin();
    await open().get(await followAuthorization(oura, await openOAuthUrl(open(), url)));
    const browser = open();
    const again = await openOAuthUrl(browser, await beginOAuth(browser, 'oura', token));
    expect((await browser.get(await followAuthorization(oura, again))).status).toBe(200);
    expect(await connectedOf(user)).toHaveLength(1);
  });
});
