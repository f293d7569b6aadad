import type { App } from '../app.ts';
import { authorOf, scopedTeam } from '../management/management.ts';
import type { Http } from '../platform/http/http.ts';
import { ScopeList, ScopeQuery, TeamPath, UpsertScopes, viewScopes } from './scope-schema.ts';
import { listRequirements, setRequirements } from './scopes.ts';

const tag = 'Provider settings';
const REQUIREMENTS = '/v1/org/:org_id/team/:team_id/scope_requirements';

/** What users are asked to grant at providers. */
export function scopeRoutes(http: Http, app: App): void {
  http.management.get(REQUIREMENTS, {
    schema: {
      operationId: 'getScopeRequirements',
      summary: 'Read what users of a team are asked to grant at providers',
      description: 'Providers for which the team has set nothing are not listed.',
      tag,
      params: TeamPath,
      query: ScopeQuery,
      response: { 200: ScopeList },
    },
    handler: async ({ principal, params, query }) => {
      const team = await scopedTeam(app, principal, params);
      return {
        requirements: (await listRequirements(app, team.id, query.provider ?? undefined)).map(viewScopes),
      };
    },
  });

  http.management.post(REQUIREMENTS, {
    schema: {
      operationId: 'setScopeRequirements',
      summary: 'Say what users of a team are asked to grant at providers',
      description:
        'For both environments. null takes the requirements of a provider away; what is left out stays. A connection ' +
        'whose user does not grant what must be granted is refused.',
      tag,
      params: TeamPath,
      body: UpsertScopes,
      response: { 200: ScopeList },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await scopedTeam(app, principal, params);
      const acting = { orgId: principal.orgId, teamId: team.id, by: authorOf({ principal, from }) };
      return { requirements: (await setRequirements(app, acting, body)).map(viewScopes) };
    },
  });
}
