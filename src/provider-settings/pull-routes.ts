import { z } from 'zod';
import type { App } from '../app.ts';
import {
  authorOf,
  listedTeams,
  namedTeams,
  pageOf,
  readCursor,
  requireRegion,
  type Caller,
} from '../management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import { Place } from './credential-schema.ts';
import { DeletePull, PullList, PullQuery, UpsertPull, viewPull } from './pull-schema.ts';
import { listPulls, listTeamsWithPull } from './pull-store.ts';
import { deletePulls, setPulls, type Changing } from './pulls.ts';

const tag = 'Provider settings';
const PULLS = '/v1/org/:org_id/team_data_pull_preferences/:env/:region';

/** How far back first connections read. A Team Management Key sees and changes its own teams. */
export function pullRoutes(http: Http, app: App): void {
  list(http, app);
  change(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(PULLS, {
    schema: {
      operationId: 'listDataPullPreferences',
      summary: 'List how far back the first connections of teams read',
      description: 'Teams that have set nothing are not listed.',
      tag,
      params: Place,
      query: PullQuery,
      response: { 200: PullList },
    },
    handler: async ({ principal, params, query }) => {
      const { org_id, env: environment } = params;
      const teamIds = await listedTeams(app, principal, { org_id, ids: query.team_id });
      requireRegion(app, params.region);
      const { provider: providers, limit } = query;
      const page = { orgId: principal.orgId, environment, teamIds, providers };
      const after = readCursor(query.next_cursor);
      return asSystem(app.db, async (tx) => {
        const teams = await listTeamsWithPull(tx, { ...page, after, limit: limit + 1 });
        const { items, next_cursor } = pageOf(teams, limit);
        const rows = await listPulls(tx, { environment, teamIds: items.map(({ id }) => id), providers });
        return { data_pull_preferences: items.map(({ id }) => viewPull(id, rows)), next_cursor };
      });
    },
  });
}

function change(http: Http, app: App): void {
  http.management.post(PULLS, {
    schema: {
      operationId: 'setDataPullPreferences',
      summary: 'Say how far back the first connections of teams read',
      description: 'It holds for connections that begin afterwards. Answers all that the teams have set.',
      tag,
      params: Place,
      body: UpsertPull,
      response: { 200: PullList },
    },
    handler: async (input) => {
      const given = { ids: input.body.team_ids, place: ['body', 'team_ids'] };
      const changing = await changingOf(app, input, given);
      const rows = await setPulls(app, changing, input.body.providers);
      const teams = changing.teamIds.map((teamId) => viewPull(teamId, rows));
      return { data_pull_preferences: teams, next_cursor: null };
    },
  });

  http.management.delete(PULLS, {
    schema: {
      operationId: 'deleteDataPullPreferences',
      summary: 'Take back how far back the first connections of teams read',
      tag,
      params: Place,
      query: DeletePull,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      const given = { ids: input.query.team_id, place: ['query', 'team_id'] };
      await deletePulls(app, await changingOf(app, input, given), input.query.provider);
      return { success: true };
    },
  });
}

async function changingOf(
  app: App,
  { principal, from, params }: Caller & { params: z.output<typeof Place> },
  given: { ids: readonly string[] | undefined; place: string[] },
): Promise<Changing> {
  const teamIds = await namedTeams(app, principal, { org_id: params.org_id, ...given });
  requireRegion(app, params.region);
  const by = authorOf({ principal, from });
  return { orgId: principal.orgId, environment: params.env, teamIds, by };
}
