import type { App } from '../app.ts';
import { actorOf, authorizeTeam } from '../identity/management/management.ts';
import type { Http } from '../platform/http/http.ts';
import {
  ScopeRequirementList,
  ScopeRequirementQuery,
  ScopeTeamPath,
  UpsertScopesBody,
  viewScopes,
} from './scope-schema.ts';
import { listRequirements, setRequirements } from './scopes.ts';

const tag = 'Provider settings';
const REQUIREMENTS = '/v1/org/:org_id/team/:team_id/scope_requirements';

/** OAuth scopes that users are asked to grant. */
export function scopeRoutes(http: Http, app: App): void {
  http.management.get(REQUIREMENTS, {
    schema: {
      operationId: 'getScopeRequirements',
      summary: 'Get scope requirements of a team',
      description:
        'OAuth scopes that users are asked to grant. Providers without requirements are not listed.',
      tag,
      params: ScopeTeamPath,
      query: ScopeRequirementQuery,
      response: { 200: ScopeRequirementList },
    },
    handler: async ({ principal, params, query }) => {
      const team = await authorizeTeam(app, principal, params);
      return {
        requirements: (await listRequirements(app, team.id, query.provider ?? undefined)).map(viewScopes),
      };
    },
  });

  http.management.post(REQUIREMENTS, {
    schema: {
      operationId: 'setScopeRequirements',
      summary: 'Set scope requirements of a team',
      description:
        'Applies to both environments. null removes the requirements of a provider; omitted providers stay. A ' +
        'connection is rejected if the user does not grant all required scopes.',
      tag,
      params: ScopeTeamPath,
      body: UpsertScopesBody,
      response: { 200: ScopeRequirementList },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await authorizeTeam(app, principal, params);
      const acting = { orgId: principal.orgId, teamId: team.id, by: actorOf({ principal, from }) };
      return { requirements: (await setRequirements(app, acting, body)).map(viewScopes) };
    },
  });
}
