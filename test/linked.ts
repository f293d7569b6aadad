import type { House, TeamInHand } from './house.ts';
import { CLIENT, type StandIn } from './wearable-providers/core.ts';

/** The settings of a house whose providers are stand-ins, with an application of the deployment at each. */
export const linkedTo = (...standIns: StandIn[]): Record<string, string> => ({
  WEARABLE_PROVIDERS: JSON.stringify(
    Object.fromEntries(
      standIns.map(({ wire, url }) => [
        wire.slug,
        { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, origin: url },
      ]),
    ),
  ),
});

/** The team wants so many days of the past of the providers of these stand-ins. */
export async function readBack(team: TeamInHand, days: number, ...standIns: StandIn[]): Promise<void> {
  const wanted = standIns.map(({ wire }) => [wire.slug, { default: { historical_days_to_pull: days } }]);
  const path = `/v1/org/${team.orgId}/team_data_pull_preferences/sandbox/us`;
  const body = { team_ids: [team.tenant.teamId], providers: Object.fromEntries(wanted) };
  const set = await team.management.post(path, body);
  if (set.status !== 200) throw new Error(`No preferences: ${set.text}`);
}

/** A link token of a user. */
export async function linkToken(team: TeamInHand, userId: string, more: object = {}): Promise<string> {
  const made = await team.post('/v2/link/token', { user_id: userId, ...more });
  if (made.status !== 200) throw new Error(`No link token: ${made.text}`);
  return made.json.link_token;
}

/** The user goes to the provider and grants everything; answers the path with which the provider sends them back. */
export async function granted(house: House, standIn: StandIn, token: string): Promise<string> {
  const path = `/v2/link/provider/oauth/${standIn.wire.slug}`;
  const begun = await house.caller({ 'x-service-link-token': token }).get(path);
  if (begun.status !== 200) throw new Error(`Not begun: ${begun.text}`);
  return wayBack(standIn, begun.json.oauth_url);
}

/** Grants everything where `url` leads. */
export async function wayBack(standIn: StandIn, url: string): Promise<string> {
  const { pathname, search } = new URL(url);
  const path = pathname === standIn.wire.authorize ? pathname : standIn.wire.authorize;
  const answer = await fetch(`${standIn.url}${path}${search}`, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return back.pathname + back.search;
}

/** Connects a user with everything granted. */
export async function connected(
  { house, team, standIn }: { house: House; team: TeamInHand; standIn: StandIn },
  userId: string,
): Promise<void> {
  const back = await granted(house, standIn, await linkToken(team, userId));
  const answer = await house.caller({}).get(back);
  if (answer.status !== 200) throw new Error(`Not connected: ${answer.status} ${answer.text}`);
}
