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

/** What the pages after the provider say, and what they say when the attempt was used. */
// prettier-ignore
const LANGUAGES = [
  ['en', 'Connected',  'Link already used'],
  ['de', 'Verbunden',  'Link bereits verwendet'],
  ['fr', 'Connexion établie', 'Lien déjà utilisé'],
  ['es', 'Conectado',  'Enlace ya utilizado'],
  ['pt', 'Conectado',  'Link já utilizado'],
] as const;

let service: TestService;
let team: TestTeam;
let oura: StandIn;
beforeAll(async () => {
  oura = await openStandIn(ouraProtocol);
  service = await openTestService(standInSettings(oura));
  team = await service.team();
  await setHistoricalDays(team, 0, oura);
});
afterAll(async () => {
  await service.close();
  await oura.close();
});

/** Chooses a language and a provider on the page; returns the path with which the browser comes back. */
async function leave(browser: TestBrowser, language: string): Promise<string> {
  const token = await createLinkToken(team, await team.user());
  const page = await browser.get(`/link?token=${token}&lang=${language}`);
  const [, lang = ''] = /name="lang" value="(\w+)"/.exec(page.text) ?? [];
  const form = await service.http.server.inject({
    method: 'POST',
    url: '/link/start',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ token, lang, provider: 'oura', consent: 'yes' }).toString(),
  });
  for (const { name, value } of form.cookies) browser.cookies.set(name, value);
  const [, url = ''] = /class="button" href="([^"]+)"/.exec(form.body) ?? [];
  return followAuthorization(oura, url.replaceAll('&amp;', '&'));
}

const read = async (browser: TestBrowser, path: string) => {
  // The browser prefers another language than the one that was chosen.
  const { text, status } = await browser.send(path, { headers: { 'accept-language': 'fr,en;q=0.5' } });
  const [, language] = /<html lang="(\w+)">/.exec(text) ?? [];
  return [status, language, /<h1>([^<]*)<\/h1>/.exec(text)?.[1]];
};

describe('the language that was chosen on the link page', () => {
  it.each(LANGUAGES)('is that of the page after the provider: %s', async (language, done, used) => {
    const browser = openBrowser(service);
    const back = await leave(browser, language);
    expect(await read(browser, back)).toEqual([200, language, done]);
    expect(await read(browser, back)).toEqual([400, language, used]);
  });

  it('is kept by each of several tabs', async () => {
    const browser = openBrowser(service);
    const ways: [string, string][] = [];
    for (const [language] of LANGUAGES) ways.push([language, await leave(browser, language)]);
    for (const [language, back] of ways) expect((await read(browser, back))[1]).toBe(language);
  });

  it('is signed: another one in the state is no attempt', async () => {
    const browser = openBrowser(service);
    const back = new URL(await leave(browser, 'de'), 'http://localhost');
    const state = Buffer.from(String(back.searchParams.get('state')), 'base64url');
    state.writeUInt8((state.readUInt8(16) & 1) | (4 << 1), 16);
    back.searchParams.set('state', state.toString('base64url'));
    const [status, language] = await read(browser, back.pathname + back.search);
    expect([status, language]).toEqual([400, 'fr']);
  });

  it('is the one of the browser where an app began the attempt by the API', async () => {
    const browser = openBrowser(service);
    const token = await createLinkToken(team, await team.user());
    const url = await openOAuthUrl(browser, await beginOAuth(browser, 'oura', token));
    expect((await read(browser, await followAuthorization(oura, url)))[1]).toBe('fr');
  });
});
