import { z } from 'zod';
import type { App } from '../app.ts';
import {
  actorOf,
  resolveListedTeams,
  resolveNamedTeams,
  requireRegion,
  type ManagementCaller,
} from '../identity/management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import { readPage } from '../platform/http/page.ts';
import { TeamSettingsPath } from './credential-schema.ts';
import {
  DeletePullPreferencesQuery,
  PullPreferenceList,
  PullPreferenceQuery,
  UpsertPullPreferencesBody,
  viewPullPreferences,
} from './pull-schema.ts';
import { listPullPreferences, listTeamsWithPullPreferences } from './pull-store.ts';
import { removePullPreferences, setPullPreferences, type PullChangeContext } from './pull-preferences.ts';

const tag = 'Provider settings';
const PULLS = '/v1/org/:org_id/team_data_pull_preferences/:env/:region';

/** How much history new connections pull. A Team Management Key reads and changes its own teams. */
export function pullRoutes(http: Http, app: App): void {
  listRoute(http, app);
  changeRoutes(http, app);
}

function listRoute(http: Http, app: App): void {
  http.management.get(PULLS, {
    schema: {
      operationId: 'listDataPullPreferences',
      summary: 'List data pull preferences of teams',
      description: 'How many days of history new connections pull. Teams without preferences are not listed.',
      tag,
      params: TeamSettingsPath,
      query: PullPreferenceQuery,
      response: { 200: PullPreferenceList },
    },
    handler: async ({ principal, params, query }) => {
      const { org_id, env: environment } = params;
      const teamIds = await resolveListedTeams(app, principal, { org_id, ids: query.team_id });
      requireRegion(app, params.region);
      const { provider: providers } = query;
      const filter = { orgId: principal.orgId, environment, teamIds, providers };
      return asSystem(app.db, async (tx) => {
        const { items, next_cursor } = await readPage(query, (page) =>
          listTeamsWithPullPreferences(tx, { ...filter, ...page }),
        );
        const rows = await listPullPreferences(tx, {
          environment,
          teamIds: items.map(({ id }) => id),
          providers,
        });
        return { data_pull_preferences: items.map(({ id }) => viewPullPreferences(id, rows)), next_cursor };
      });
    },
  });
}

function changeRoutes(http: Http, app: App): void {
  http.management.post(PULLS, {
    schema: {
      operationId: 'setDataPullPreferences',
      summary: 'Set data pull preferences of teams',
      description:
        'Applies to connections that are created afterwards. Returns all preferences of the teams.',
      tag,
      params: TeamSettingsPath,
      body: UpsertPullPreferencesBody,
      response: { 200: PullPreferenceList },
    },
    handler: async (input) => {
      const given = { ids: input.body.team_ids, place: ['body', 'team_ids'] };
      const changing = await toChangeContext(app, input, given);
      const rows = await setPullPreferences(app, changing, input.body.providers);
      const teams = changing.teamIds.map((teamId) => viewPullPreferences(teamId, rows));
      return { data_pull_preferences: teams, next_cursor: null };
    },
  });

  http.management.delete(PULLS, {
    schema: {
      operationId: 'deleteDataPullPreferences',
      summary: 'Delete data pull preferences of teams',
      tag,
      params: TeamSettingsPath,
      query: DeletePullPreferencesQuery,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      const given = { ids: input.query.team_id, place: ['query', 'team_id'] };
      await removePullPreferences(app, await toChangeContext(app, input, given), input.query.provider);
      return { success: true };
    },
  });
}

async function toChangeContext(
  app: App,
  { principal, from, params }: ManagementCaller & { params: z.output<typeof TeamSettingsPath> },
  given: { ids: readonly string[] | undefined; place: string[] },
): Promise<PullChangeContext> {
  const teamIds = await resolveNamedTeams(app, principal, { org_id: params.org_id, ...given });
  requireRegion(app, params.region);
  const by = actorOf({ principal, from });
  return { orgId: principal.orgId, environment: params.env, teamIds, by };
}
