import { z } from 'zod';
import type { App } from '../app.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import { answer, type ManagementPrincipal } from '../platform/http/route.ts';
import { ENVIRONMENTS, type Environment } from '../platform/tenant.ts';
import { authorOf } from './audit.ts';
import { changeTeam } from './change-team.ts';
import { pageOf, readCursor } from './page.ts';
import { requireOrganization, requireOrgKey, requireRegion, requireTeam, scopedTeam } from './scope.ts';
import {
  CreateTeam,
  Env,
  OPERATOR_FIELDS,
  RegionName,
  ResolveTeam,
  TeamList,
  TeamSearch,
  TeamTaken,
  TeamView,
  UpdateTeam,
  viewTeam,
  viewTeamListItem,
} from './team-schema.ts';
import { findByIntegration, getTeam, listEnvironments, listTeams } from './team-store.ts';
import { createTeam, deleteTeam, IntegrationTeamTaken } from './teams.ts';

const tag = 'Management';
const OrgId = z.object({ org_id: z.guid() });
const TeamId = z.object({ org_id: z.guid(), team_id: z.guid() });
const PAGE_SIZE = 100;

const ListQuery = z.object({
  region: z.array(RegionName).nullish(),
  search_query: TeamSearch.nullish().describe('A part of the name or of the integration_team_id.'),
  next_cursor: z.string().max(200).nullish(),
});

export function teamRoutes(http: Http, app: App): void {
  list(http, app);
  create(http, app);
  read(http, app);
  resolve(http, app);
  change(http, app);
  remove(http, app);
}

function list(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/team', {
    schema: {
      operationId: 'listTeams',
      summary: 'List the teams of the organization',
      tag,
      params: OrgId,
      query: ListQuery,
      response: { 200: TeamList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const page = {
        orgId: principal.orgId,
        regions: query.region ?? undefined,
        search: query.search_query ?? undefined,
        after: readCursor(query.next_cursor),
        limit: PAGE_SIZE + 1,
      };
      const rows = await asSystem(app.db, (tx) => listTeams(tx, page));
      const { items, next_cursor } = pageOf(rows, PAGE_SIZE);
      return { teams: items.map(viewTeamListItem), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/team', {
    schema: {
      operationId: 'createTeam',
      summary: 'Create a team with both of its environments',
      tag,
      params: OrgId,
      body: CreateTeam,
      response: { 200: TeamView, 409: TeamTaken },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      requireRegion(app, body.region);
      const { id, name, region, integration_team_id: integrationTeamId, ...given } = body;
      const team = {
        id: id ?? undefined,
        orgId: principal.orgId,
        name,
        region,
        integrationTeamId,
        settings: Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)),
        by: authorOf({ principal, from }),
      };
      return orTaken(principal, async () => shown(app, (await createTeam(app, team)).id));
    },
  });
}

function read(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/team/:team_id', {
    schema: {
      operationId: 'getTeam',
      summary: 'Read a team',
      description: 'The settings of an environment are answered when include_environment names it.',
      tag,
      params: TeamId,
      query: z.object({ include_environment: z.array(Env).default([]) }),
      response: { 200: TeamView },
    },
    handler: async ({ principal, params, query }) => {
      const team = await scopedTeam(app, principal, params);
      return shown(app, team.id, query.include_environment);
    },
  });
}

function resolve(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/resolve_team', {
    schema: {
      operationId: 'resolveTeam',
      summary: 'Find a team by its integration_team_id',
      tag,
      params: OrgId,
      body: ResolveTeam,
      response: { 200: TeamView },
    },
    handler: async ({ principal, params, body }) => {
      requireOrganization(principal, params.org_id);
      const wanted = { orgId: principal.orgId, integrationTeamId: body.integration_team_id };
      const team = found(await asSystem(app.db, (tx) => findByIntegration(tx, wanted)), 'Team');
      requireTeam(principal, team.id);
      return shown(app, team.id);
    },
  });
}

function change(http: Http, app: App): void {
  http.management.patch('/v1/org/:org_id/team/:team_id', {
    schema: {
      operationId: 'changeTeam',
      summary: 'Change a team and its settings',
      description: 'What is not given stays. A setting given as null takes its default again.',
      tag,
      params: TeamId,
      body: UpdateTeam,
      response: { 200: TeamView, 409: TeamTaken },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await scopedTeam(app, principal, params);
      const asOperator = [body.sandbox, body.production].some(
        (settings) => settings && OPERATOR_FIELDS.some((field) => settings[field] !== undefined),
      );
      if (asOperator && principal.teamIds !== null) {
        throw new DomainError('forbidden', `${OPERATOR_FIELDS.join(', ')} need an Org Management Key`);
      }
      return orTaken(principal, async () => {
        const at = { orgId: principal.orgId, teamId: team.id };
        await changeTeam(app, at, { change: body, by: authorOf({ principal, from }) });
        return shown(app, team.id);
      });
    },
  });
}

function remove(http: Http, app: App): void {
  http.management.delete('/v1/org/:org_id/team/:team_id', {
    schema: {
      operationId: 'deleteTeam',
      summary: 'Delete a team; its keys are dead at once',
      description:
        'So are the tokens and links of its users. Its webhooks and brokers are told nothing any more, and what its ' +
        'users connected is disconnected a minute later. Results of orders on their way are still taken in, and kept.',
      tag,
      params: TeamId,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = authorOf({ principal, from });
      await deleteTeam(app, { orgId: principal.orgId, teamId: params.team_id, by });
      return { success: true };
    },
  });
}

const shown = (app: App, id: string, wanted: readonly Environment[] = ENVIRONMENTS) =>
  asSystem(app.db, async (tx) => viewTeam(await getTeam(tx, id), await listEnvironments(tx, id), wanted));

/** The contract answers a taken integration_team_id with its team; a key that may not know that team is told no id. */
async function orTaken<T>(principal: ManagementPrincipal, run: () => Promise<T>) {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof IntegrationTeamTaken)) throw error;
    if (principal.teamIds !== null && !principal.teamIds.has(error.teamId)) throw error;
    return answer<{ 200: typeof TeamView; 409: typeof TeamTaken }, 409>(409, { team_id: error.teamId });
  }
}
