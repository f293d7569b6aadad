import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  actorOf,
  resolveListedTeams,
  resolveNamedTeams,
  requireRegion,
  type ManagementCaller,
} from '../management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { readPage } from '../../platform/http/page.ts';
import {
  EhrPipelineDeleteQuery,
  EhrPipelineListQuery,
  PipelineList,
  PipelineView,
  EhrPipelineParams,
  UpsertEhrPipelines,
} from './pipeline-schema.ts';
import { listPipelines } from './pipeline-store.ts';
import { deletePipelines, openPipeline, setPipelines, type EhrPipelineCommand } from './pipelines.ts';

const tag = 'EHR integration';
const PIPELINES = '/v1/org/:org_id/team_ehr_pipelines/:environment/:region';

/** The EHR pipelines of teams. A Team Management Key sees and changes those of its teams. */
export function ehrPipelineRoutes(http: Http, app: App): void {
  list(http, app);
  change(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(PIPELINES, {
    schema: {
      operationId: 'listEhrPipelines',
      summary: 'List the EHR pipelines of teams',
      description: 'Secrets are masked.',
      tag,
      params: EhrPipelineParams,
      query: EhrPipelineListQuery,
      response: { 200: PipelineList },
    },
    handler: async ({ principal, params, query }) => {
      const { org_id, environment } = params;
      const ids = query.team_id ? [query.team_id] : undefined;
      const teamIds = await resolveListedTeams(app, principal, { org_id, ids });
      requireRegion(app, params.region);
      const filter = { orgId: principal.orgId, environment, teamIds };
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listPipelines(tx, { ...filter, ...page })),
      );
      const data = items.map(async (row) =>
        openPipeline(await app.keyring.cipherOf({ teamId: row.team_id, environment }), row),
      );
      return { data: await Promise.all(data), next_token: next_cursor };
    },
  });
}

function change(http: Http, app: App): void {
  http.management.post(PIPELINES, {
    schema: {
      operationId: 'setEhrPipelines',
      summary: 'Set the EHR pipeline of teams',
      description:
        'Set for all the teams or for none, with encrypted secrets. Replaces the pipeline of the same ehr_type. ' +
        'Nothing is sent to the EHR yet.',
      tag,
      params: EhrPipelineParams,
      body: UpsertEhrPipelines,
      response: { 200: z.array(PipelineView) },
    },
    handler: async (input) => {
      const given = { ids: input.body.team_ids, place: ['body', 'team_ids'] };
      return setPipelines(app, await toPipelineCommand(app, input, given), input.body);
    },
  });

  http.management.delete(PIPELINES, {
    schema: {
      operationId: 'deleteEhrPipelines',
      summary: 'Delete the EHR pipelines of teams',
      tag,
      params: EhrPipelineParams,
      query: EhrPipelineDeleteQuery,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      const given = { ids: input.query.team_id, place: ['query', 'team_id'] };
      await deletePipelines(app, await toPipelineCommand(app, input, given), input.query.ehr_type);
      return { success: true };
    },
  });
}

async function toPipelineCommand(
  app: App,
  { principal, from, params }: ManagementCaller & { params: z.output<typeof EhrPipelineParams> },
  given: { ids: readonly string[] | null | undefined; place: string[] },
): Promise<EhrPipelineCommand> {
  const teamIds = await resolveNamedTeams(app, principal, { org_id: params.org_id, ...given });
  requireRegion(app, params.region);
  const by = actorOf({ principal, from });
  return { orgId: principal.orgId, environment: params.environment, teamIds, by };
}
