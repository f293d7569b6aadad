import {
  areaOfTag,
  OPERATIONS_OF_EVERY_AREA,
} from '../../packages/server/src/identity/management/api-areas.ts';
import type { RouteRow } from '../../packages/server/src/platform/http/http.ts';
import { code, printedFrom, table } from './markdown.ts';

/** What a wrong credential is answered with. `own` gets an answer, about what is its own; `may` is not wrong here. */
export type Outcome = 401 | 403 | 404 | 'own' | 'may';

/** The wrong credentials of the team API, each with what it is. */
export const TEAM_WRONGS = {
  none: 'no key at all',
  garbage: 'a key that was never made',
  management: 'an Org Management Key of the same organization, as a team key',
  expired: 'a key of the team that has expired',
  revoked: 'a key of the team that was revoked',
  otherTeam: 'a key of another team, for what is this team’s',
  otherEnvironment: 'a key of the same team for the other environment',
  readOnly: 'a key of the team that may only read',
  otherArea: 'a key of the team that is kept to another area',
  expiredToken: 'a Team API Access Token of the team that has expired',
  otherTeamToken: 'a Team API Access Token of another team',
  breakGlass: 'the token of a break-glass opening of the team, which may only read',
  endedBreakGlass: 'the token of an opening of the team that was ended',
  otherTeamBreakGlass: 'the token of an opening of another team',
} as const;

/** The wrong credentials of the Management API. */
export const MANAGEMENT_WRONGS = {
  none: 'no key at all',
  garbage: 'a key that was never made',
  teamKey: 'a team key of the same organization, as a management key',
  revoked: 'an Org Management Key that was revoked',
  expired: 'an Org Management Key that has expired',
  lowerPlan: 'an Org Management Key of an organization below the scale plan',
  otherOrganization: 'an Org Management Key of another organization',
  otherTeam: 'a Team Management Key that is bound to another team of the same organization',
} as const;

export type TeamWrong = keyof typeof TEAM_WRONGS;
export type ManagementWrong = keyof typeof MANAGEMENT_WRONGS;
type Route = Pick<RouteRow, 'method' | 'path' | 'scope' | 'schema'>;

/** Ids in these paths are not a team's: the catalogue of laboratories is everybody's. */
const PUBLIC = new Set(['/v3/lab_tests/:lab_id/markers/:provider_id']);
const namesSomething = ({ path }: Route) => path.includes(':') && !PUBLIC.has(path);
/** The team is the same in both of its environments. */
const isOfBothEnvironments = ({ path }: Route) => /^\/v2\/team\/:team_id(\/physicians)?$/.test(path);

export function decidedForTeam(route: Route): Record<TeamWrong, Outcome> {
  const stranger = namesSomething(route) ? 404 : 'own';
  const isRead = route.method === 'GET';
  return {
    none: 401,
    garbage: 401,
    management: 401,
    expired: 401,
    revoked: 401,
    otherTeam: stranger,
    otherEnvironment: isOfBothEnvironments(route) ? 'own' : stranger,
    readOnly: isRead ? 'may' : 403,
    otherArea: OPERATIONS_OF_EVERY_AREA.has(route.schema.operationId) ? 'may' : 403,
    expiredToken: 401,
    otherTeamToken: stranger,
    breakGlass: isRead ? 'may' : 403,
    endedBreakGlass: 401,
    otherTeamBreakGlass: isRead ? stranger : 403,
  };
}

/** Answered for the teams of a Team Management Key alone, whatever else there is. */
const ABOUT_OWN_TEAMS = new Set([
  'deleteTeamKeys',
  'listCustomCredentials',
  'deleteCustomCredentials',
  'listDataPullPreferences',
  'setDataPullPreferences',
  'deleteDataPullPreferences',
  'listEhrPipelines',
  'setEhrPipelines',
  'deleteEhrPipelines',
  'listTeamPipelines',
  'setTeamPipelines',
  'deleteTeamPipelines',
]);

/** Name the team, or what is the team's, elsewhere than by a team_id in the path. */
const NAMES_TEAM = new Set([
  'createTeamKey',
  'rotateTeamKey',
  'resolveTeam',
  'prepareCustomCredentials',
  'setCustomCredentials',
]);

/** About a team, but for Org Management Keys only. */
const FOR_ORGANIZATION = new Set([
  'changeRetention',
  'deleteTeam',
  'openBreakGlass',
  'endBreakGlass',
  'listBreakGlass',
]);

export const decidedForManagement = (route: Route): Record<ManagementWrong, Outcome> => ({
  none: 401,
  garbage: 401,
  teamKey: 401,
  revoked: 401,
  expired: 401,
  lowerPlan: 403,
  otherOrganization: 404,
  otherTeam: forOtherTeam(route),
});

function forOtherTeam({ path, schema: { operationId } }: Route): Outcome {
  if (FOR_ORGANIZATION.has(operationId)) return 403;
  if (ABOUT_OWN_TEAMS.has(operationId)) return 'own';
  return path.includes(':team_id') || NAMES_TEAM.has(operationId) ? 404 : 403;
}

/** docs/reference/authorization.md: what every wrong key is answered with, for every route. */
export const authorizationPage = (routes: readonly Route[]): string => {
  const of = (scope: Route['scope']) => routes.filter((route) => route.scope === scope).toSorted(byPath);
  return [
    ...HEAD,
    '## The team API',
    '',
    ...legend(TEAM_WRONGS),
    matrix(of('team'), { wrongs: Object.keys(TEAM_WRONGS), decided: decidedForTeam, more: areaCell }),
    '',
    '## The Management API',
    '',
    ...legend(MANAGEMENT_WRONGS),
    matrix(of('management'), { wrongs: Object.keys(MANAGEMENT_WRONGS), decided: decidedForManagement }),
    '',
    '## Without a key',
    '',
    'Their handlers check a signature or a token of their own.',
    '',
    ...of('open').map(({ method, path, schema }) => `- ${code(`${method} ${path}`)}: ${schema.summary}`),
    '',
  ].join('\n');
};

const HEAD = [
  '# Who may do what',
  '',
  printedFrom('the table of all routes and tools/drift/authorization-page.ts'),
  '',
  'What every wrong credential is answered with. `packages/server/test/authorization.test.ts` asks every route with each of them and',
  'compares. 401 is `{"detail": "Invalid API key"}` always, so that nobody learns why a key does not fit; 404 does not say',
  'whether the thing exists; 403 is for a right key with too little in its hands. *own*: an answer about what is the',
  'caller’s own, of nobody else. *may*: allowed. After 20 unknown keys a minute from one address each further one is',
  'answered with 429 and `Retry-After`; keys that are known are not hindered.',
  '',
];

const byPath = (a: Route, b: Route): number => (keyOf(a) < keyOf(b) ? -1 : 1);
const keyOf = ({ method, path }: Route) => `${path} ${method}`;

const legend = (wrongs: Readonly<Record<string, string>>): string[] => [
  ...Object.entries(wrongs).map(([name, what]) => `- ${code(name)}: ${what}`),
  '',
];

interface Matrix {
  readonly wrongs: readonly string[];
  readonly decided: (route: Route) => Readonly<Record<string, Outcome>>;
  readonly more?: (route: Route) => string;
}

function matrix(routes: readonly Route[], { wrongs, decided, more }: Matrix): string {
  const heads = ['route', ...(more ? ['area'] : []), ...wrongs];
  const rows = routes.map((route) => {
    const outcomes = decided(route);
    const cells = wrongs.map((wrong) => shown(outcomes[wrong]));
    return [code(`${route.method} ${route.path}`), ...(more ? [more(route)] : []), ...cells];
  });
  return table(heads, rows);
}

const areaCell = ({ schema: { tag, grantsTag } }: Route): string =>
  [...new Set([tag, ...(grantsTag === undefined ? [] : [grantsTag])])]
    .map((of) => areaOfTag(of) ?? 'none')
    .join(', ');
const shown = (outcome: Outcome | undefined): string =>
  typeof outcome === 'number' ? String(outcome) : `*${outcome ?? '?'}*`;
