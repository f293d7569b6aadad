import { readTenant, type App } from '../../app.ts';
import {
  actorOf,
  resolveListedTeams,
  resolveNamedTeams,
  requireRegion,
  type ManagementCaller,
  type createTenantAuthorizer,
} from '../../identity/management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Environment, Region } from '../../platform/tenant.ts';
import { DELIVERY_RULE, WEBHOOKS_ONLY } from './preferences.ts';
import { z } from 'zod';
import {
  PipelineDeleteQuery,
  PipelineHealthView,
  PipelineListQuery,
  PipelineList,
  PipelinesPath,
  PipelineView,
  PipelineTenantPath,
  UpsertPipelinesBody,
  viewHealth,
  viewPipeline,
} from './schema.ts';
import {
  removePipelines,
  setPipelines,
  type PipelineChangeContext,
  type TeamPipelineSettings,
} from './set-pipelines.ts';
import { openPipelineSettings } from './settings.ts';
import { findPipeline, listPipelines, listDestinationHealth } from './store.ts';

const PIPELINES = '/v1/org/:org_id/team_etl_pipelines/:env/:region';
const tag = 'Event destinations';
const PAGE_SIZE = 100;

type PipelinesRouteParams = { org_id: string; env: Environment; region: Region };

/** Routes for the event destinations of teams, and for their health. */
export function pipelineRoutes(
  http: Http,
  app: App,
  scoped: ReturnType<typeof createTenantAuthorizer>,
): void {
  listRoute(http, app);
  changeRoutes(http, app);
  healthRoute(http, app, scoped);
}

function listRoute(http: Http, app: App): void {
  http.management.get(PIPELINES, {
    schema: {
      operationId: 'listTeamPipelines',
      summary: 'List event destinations of teams',
      description: 'Teams without settings are not listed; they use webhooks only.',
      tag,
      params: PipelinesPath,
      query: PipelineListQuery,
      response: { 200: PipelineList },
    },
    handler: async ({ principal, params, query }) => {
      requireRegion(app, params.region);
      const ids = query.team_id ? [query.team_id] : undefined;
      const page = {
        orgId: principal.orgId,
        environment: params.env,
        teamIds: await resolveListedTeams(app, principal, { org_id: params.org_id, ids }),
        after: readCursor(query.next_cursor),
        limit: PAGE_SIZE + 1,
      };
      const rows = await asSystem(app.db, (tx) => listPipelines(tx, page));
      const pipelines = await Promise.all(
        rows.slice(0, PAGE_SIZE).map(async (row) => {
          const cipher = await app.keyring.cipherOf({ teamId: row.team_id, environment: params.env });
          return viewPipeline(row.team_id, openPipelineSettings(row, cipher));
        }),
      );
      return { pipelines, next_cursor: rows.length > PAGE_SIZE ? (pipelines.at(-1)?.team_id ?? null) : null };
    },
  });
}

/** The cursor is the id of the last team on the page. */
function readCursor(cursor: string | null | undefined): string | null {
  if (!cursor) return null;
  if (z.guid().safeParse(cursor).success) return cursor;
  throw invalidField(['query', 'next_cursor'], 'expected the next_cursor of a previous page');
}

function changeRoutes(http: Http, app: App): void {
  http.management.post(PIPELINES, {
    schema: {
      operationId: 'setTeamPipelines',
      summary: 'Set event destinations of teams',
      description: `${DELIVERY_RULE} The backlog of a broker that is no longer enabled goes to the main broker, if any.`,
      tag,
      params: PipelinesPath,
      body: UpsertPipelinesBody,
      response: { 200: z.array(PipelineView) },
    },
    handler: async (input) => {
      const given = { ids: input.body.team_ids, place: ['body', 'team_ids'] };
      return views(await setPipelines(app, await toChangeContext(app, input, given), input.body));
    },
  });

  http.management.delete(PIPELINES, {
    schema: {
      operationId: 'deleteTeamPipelines',
      summary: 'Delete event destinations of teams',
      description:
        'The teams use webhooks only again; the backlog of their brokers is not sent. Returns the deleted settings.',
      tag,
      params: PipelinesPath,
      query: PipelineDeleteQuery,
      response: { 200: z.array(PipelineView) },
    },
    handler: async (input) => {
      const given = { ids: input.query.team_id, place: ['query', 'team_id'] };
      return views(await removePipelines(app, await toChangeContext(app, input, given)));
    },
  });
}

const views = (teams: readonly TeamPipelineSettings[]) =>
  teams.map(({ teamId, settings }) => viewPipeline(teamId, settings));

/** The named teams, or those of a Team Management Key. An Org Management Key must name the teams. */
async function toChangeContext(
  app: App,
  { principal, from, params }: ManagementCaller & { params: PipelinesRouteParams },
  { ids, place }: { ids: readonly string[] | undefined; place: string[] },
): Promise<PipelineChangeContext> {
  requireRegion(app, params.region);
  const teamIds = await resolveNamedTeams(app, principal, { org_id: params.org_id, ids, place });
  return {
    orgId: principal.orgId,
    teamIds,
    environment: params.env,
    by: actorOf({ principal, from }),
  };
}

function healthRoute(http: Http, app: App, scoped: ReturnType<typeof createTenantAuthorizer>): void {
  http.management.get('/v1/org/:org_id/team/:team_id/:environment/pipeline', {
    schema: {
      operationId: 'getPipelineHealth',
      summary: 'Get event destination health of a team',
      description: 'Extension. Timestamps are in system time, not on the sandbox clock.',
      tag,
      params: PipelineTenantPath,
      response: { 200: PipelineHealthView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      return readTenant(app, tenant, async (work) => {
        const { preferred, enabled } = (await findPipeline(work.tx, tenant)) ?? WEBHOOKS_ONLY;
        const destinations = (await listDestinationHealth(work)).map(viewHealth);
        return { preferences: { preferred, enabled: [...enabled] }, destinations };
      });
    },
  });
}
