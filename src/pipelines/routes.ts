import { readTenant, type App } from '../app.ts';
import {
  authorOf,
  listedTeams,
  namedTeams,
  requireRegion,
  type Caller,
  type scopedTenant,
} from '../management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import { invalidField } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import type { Environment, Region } from '../platform/tenant.ts';
import { RULE, WEBHOOKS_ALONE } from './preferences.ts';
import { z } from 'zod';
import {
  DeleteQuery,
  HealthView,
  ListQuery,
  PipelineList,
  PipelinesPath,
  PipelineView,
  TenantPath,
  UpsertPipelines,
  viewHealth,
  viewPipeline,
} from './schema.ts';
import { removePipelines, setPipelines, type Acting, type TeamSettings } from './set-pipelines.ts';
import { settingsOf } from './settings.ts';
import { findPipeline, listPipelines, readHealth } from './store.ts';

const PIPELINES = '/v1/org/:org_id/team_etl_pipelines/:env/:region';
const tag = 'Event destinations';
const PAGE_SIZE = 100;

type Path = { org_id: string; env: Environment; region: Region };

/** Where the events of teams go besides, or instead of, webhooks; and how these places do. */
export function pipelineRoutes(http: Http, app: App, scoped: ReturnType<typeof scopedTenant>): void {
  listRoute(http, app);
  changeRoutes(http, app);
  healthRoute(http, app, scoped);
}

function listRoute(http: Http, app: App): void {
  http.management.get(PIPELINES, {
    schema: {
      operationId: 'listTeamPipelines',
      summary: 'List the event destinations of teams',
      description: 'Teams that have set nothing are not listed: they have webhooks alone.',
      tag,
      params: PipelinesPath,
      query: ListQuery,
      response: { 200: PipelineList },
    },
    handler: async ({ principal, params, query }) => {
      requireRegion(app, params.region);
      const ids = query.team_id ? [query.team_id] : undefined;
      const page = {
        orgId: principal.orgId,
        environment: params.env,
        teamIds: await listedTeams(app, principal, { org_id: params.org_id, ids }),
        after: readCursor(query.next_cursor),
        limit: PAGE_SIZE + 1,
      };
      const rows = await asSystem(app.db, (tx) => listPipelines(tx, page));
      const pipelines = await Promise.all(
        rows.slice(0, PAGE_SIZE).map(async (row) => {
          const cipher = await app.keyring.of({ teamId: row.team_id, environment: params.env });
          return viewPipeline(row.team_id, settingsOf(row, cipher));
        }),
      );
      return { pipelines, next_cursor: rows.length > PAGE_SIZE ? (pipelines.at(-1)?.team_id ?? null) : null };
    },
  });
}

/** The cursor of the list is the last team of the page. */
function readCursor(cursor: string | null | undefined): string | null {
  if (!cursor) return null;
  if (z.guid().safeParse(cursor).success) return cursor;
  throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
}

function changeRoutes(http: Http, app: App): void {
  http.management.post(PIPELINES, {
    schema: {
      operationId: 'setTeamPipelines',
      summary: 'Set the event destinations of teams',
      description: `${RULE} What waits for a broker that is no longer enabled goes to the main one, if there is one.`,
      tag,
      params: PipelinesPath,
      body: UpsertPipelines,
      response: { 200: z.array(PipelineView) },
    },
    handler: async (input) => {
      const given = { ids: input.body.team_ids, place: ['body', 'team_ids'] };
      return views(await setPipelines(app, await actingOf(app, input, given), input.body));
    },
  });

  http.management.delete(PIPELINES, {
    schema: {
      operationId: 'deleteTeamPipelines',
      summary: 'Take the event destinations of teams away',
      description:
        'They have webhooks alone again; what waits for a broker is not sent any more. Answers what was set.',
      tag,
      params: PipelinesPath,
      query: DeleteQuery,
      response: { 200: z.array(PipelineView) },
    },
    handler: async (input) => {
      const given = { ids: input.query.team_id, place: ['query', 'team_id'] };
      return views(await removePipelines(app, await actingOf(app, input, given)));
    },
  });
}

const views = (teams: readonly TeamSettings[]) =>
  teams.map(({ teamId, settings }) => viewPipeline(teamId, settings));

/** The teams that are named, or the own ones of a Team Management Key: nobody changes a whole organization by silence. */
async function actingOf(
  app: App,
  { principal, from, params }: Caller & { params: Path },
  { ids, place }: { ids: readonly string[] | undefined; place: string[] },
): Promise<Acting> {
  requireRegion(app, params.region);
  const teamIds = await namedTeams(app, principal, { org_id: params.org_id, ids, place });
  return {
    orgId: principal.orgId,
    teamIds,
    environment: params.env,
    by: authorOf({ principal, from }),
  };
}

function healthRoute(http: Http, app: App, scoped: ReturnType<typeof scopedTenant>): void {
  http.management.get('/v1/org/:org_id/team/:team_id/:environment/pipeline', {
    schema: {
      operationId: 'getPipelineHealth',
      summary: 'See how the event destinations of a team do',
      description: 'Ours, beyond the contract. Moments are those of the service, not of the sandbox clock.',
      tag,
      params: TenantPath,
      response: { 200: HealthView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      return readTenant(app, tenant, async (work) => {
        const { preferred, enabled } = (await findPipeline(work.tx, tenant)) ?? WEBHOOKS_ALONE;
        const destinations = (await readHealth(work)).map(viewHealth);
        return { preferences: { preferred, enabled: [...enabled] }, destinations };
      });
    },
  });
}
