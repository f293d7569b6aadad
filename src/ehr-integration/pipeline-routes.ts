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
import {
  DeleteQuery,
  ListQuery,
  PipelineList,
  PipelineView,
  Place,
  UpsertPipelines,
} from './pipeline-schema.ts';
import { listPipelines } from './pipeline-store.ts';
import { deletePipelines, openPipeline, setPipelines, type Acting } from './pipelines.ts';

const tag = 'EHR integration';
const PIPELINES = '/v1/org/:org_id/team_ehr_pipelines/:environment/:region';
const PAGE_SIZE = 100;

/** The record systems of teams. A Team Management Key sees and changes those of its teams. */
export function ehrPipelineRoutes(http: Http, app: App): void {
  list(http, app);
  change(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(PIPELINES, {
    schema: {
      operationId: 'listEhrPipelines',
      summary: 'List the record systems of teams, without their secrets',
      tag,
      params: Place,
      query: ListQuery,
      response: { 200: PipelineList },
    },
    handler: async ({ principal, params, query }) => {
      const { org_id, environment } = params;
      const ids = query.team_id ? [query.team_id] : undefined;
      const teamIds = await listedTeams(app, principal, { org_id, ids });
      requireRegion(app, params.region);
      const after = readCursor(query.next_cursor);
      const page = { orgId: principal.orgId, environment, teamIds, after, limit: PAGE_SIZE + 1 };
      const { items, next_cursor } = pageOf(
        await asSystem(app.db, (tx) => listPipelines(tx, page)),
        PAGE_SIZE,
      );
      const data = items.map(async (row) =>
        openPipeline(await app.keyring.of({ teamId: row.team_id, environment }), row),
      );
      return { data: await Promise.all(data), next_token: next_cursor };
    },
  });
}

function change(http: Http, app: App): void {
  http.management.post(PIPELINES, {
    schema: {
      operationId: 'setEhrPipelines',
      summary: 'Say which record system teams have',
      description:
        'Kept for all the teams or for none, secrets encrypted; the one of the same ehr_type is replaced. Nothing is ' +
        'sent to it so far.',
      tag,
      params: Place,
      body: UpsertPipelines,
      response: { 200: z.array(PipelineView) },
    },
    handler: async (input) => {
      const given = { ids: input.body.team_ids, place: ['body', 'team_ids'] };
      return setPipelines(app, await actingOf(app, input, given), input.body);
    },
  });

  http.management.delete(PIPELINES, {
    schema: {
      operationId: 'deleteEhrPipelines',
      summary: 'Take record systems away from teams',
      tag,
      params: Place,
      query: DeleteQuery,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      const given = { ids: input.query.team_id, place: ['query', 'team_id'] };
      await deletePipelines(app, await actingOf(app, input, given), input.query.ehr_type);
      return { success: true };
    },
  });
}

async function actingOf(
  app: App,
  { principal, from, params }: Caller & { params: z.output<typeof Place> },
  given: { ids: readonly string[] | null | undefined; place: string[] },
): Promise<Acting> {
  const teamIds = await namedTeams(app, principal, { org_id: params.org_id, ...given });
  requireRegion(app, params.region);
  const by = authorOf({ principal, from });
  return { orgId: principal.orgId, environment: params.environment, teamIds, by };
}
