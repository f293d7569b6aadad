import { openBrowser, type TestBrowser } from './browser.ts';
import type { TestService, TestTeam } from './service.ts';
import { CLIENT, type StandIn } from './wearable-providers/stand-in.ts';

/** Settings for a service that uses these stand-ins as providers, with an application at each. */
export const standInSettings = (...standIns: StandIn[]): Record<string, string> => ({
  WEARABLE_PROVIDERS: JSON.stringify(
    Object.fromEntries(
      standIns.map(({ protocol, url }) => [
        protocol.slug,
        { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, origin: url },
      ]),
    ),
  ),
});

/** Sets how many historical days the team pulls from these providers. */
export async function setHistoricalDays(team: TestTeam, days: number, ...standIns: StandIn[]): Promise<void> {
  const wanted = standIns.map(({ protocol }) => [
    protocol.slug,
    { default: { historical_days_to_pull: days } },
  ]);
  const path = `/v1/org/${team.orgId}/team_data_pull_preferences/sandbox/us`;
  const body = { team_ids: [team.tenant.teamId], providers: Object.fromEntries(wanted) };
  const set = await team.management.post(path, body);
  if (set.status !== 200) throw new Error(`No preferences: ${set.text}`);
}

/** Creates a link token for a user. */
export async function createLinkToken(team: TestTeam, userId: string, more: object = {}): Promise<string> {
  const made = await team.post('/v2/link/token', { user_id: userId, ...more });
  if (made.status !== 200) throw new Error(`No link token: ${made.text}`);
  return made.json.link_token;
}

/** Grants everything at the provider in a browser; returns the path of the redirect back. */
export async function grantAccess(browser: TestBrowser, standIn: StandIn, token: string): Promise<string> {
  const url = await beginOAuth(browser, standIn.protocol.slug, token);
  return followAuthorization(standIn, await openOAuthUrl(browser, url));
}

/** The `oauth_url` of the API. */
export async function beginOAuth(browser: TestBrowser, provider: string, token: string): Promise<string> {
  const path = `/v2/link/provider/oauth/${provider}`;
  const begun = await browser.send(path, { headers: { 'x-service-link-token': token } });
  if (begun.status !== 200) throw new Error(`The link flow did not start: ${begun.text}`);
  return begun.json.oauth_url;
}

/** Opens an `oauth_url` in a browser; returns the authorization URL of the provider. */
export async function openOAuthUrl(browser: TestBrowser, url: string): Promise<string> {
  const { pathname, search } = new URL(url);
  const answer = await browser.get(pathname + search);
  if (answer.status !== 303) throw new Error(`Not sent to the provider: ${answer.status} ${answer.text}`);
  return String(answer.headers['location']);
}

/** Grants everything at an authorization URL of a provider; returns the path of the redirect back. */
export async function followAuthorization(standIn: StandIn, url: string): Promise<string> {
  const { pathname, search } = new URL(url);
  const path = pathname === standIn.protocol.authorize ? pathname : standIn.protocol.authorize;
  const answer = await fetch(`${standIn.url}${path}${search}`, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return back.pathname + back.search;
}

/** Connects a user with all scopes granted. */
export async function connectUser(
  { service, team, standIn }: { service: TestService; team: TestTeam; standIn: StandIn },
  userId: string,
): Promise<void> {
  const browser = openBrowser(service);
  const back = await grantAccess(browser, standIn, await createLinkToken(team, userId));
  const answer = await browser.get(back);
  if (answer.status !== 200) throw new Error(`Not connected: ${answer.status} ${answer.text}`);
}
