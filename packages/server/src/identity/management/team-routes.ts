import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { respondWith, type ManagementPrincipal } from '../../platform/http/route.ts';
import { ENVIRONMENTS, type Environment } from '../../platform/tenant.ts';
import { PageCursor, readPage } from '../../platform/http/page.ts';
import { actorOf } from './audit.ts';
import { changeTeam } from './change-team.ts';
import { requireOrganization, requireOrgKey, requireRegion, requireTeam, authorizeTeam } from './scope.ts';
import {
  CreateTeamBody,
  Env,
  OPERATOR_FIELDS,
  RegionName,
  ResolveTeamBody,
  TeamList,
  TeamSearch,
  IntegrationTeamConflictView,
  TeamView,
  UpdateTeamBody,
  toTeamView,
  toTeamListItem,
} from './team-schema.ts';
import { findTeamByIntegrationId, getTeam, listEnvironments, listTeams } from './team-store.ts';
import { createTeam, deleteTeam, IntegrationTeamTakenError } from './teams.ts';

const tag = 'Management';
const OrgId = z.object({ org_id: z.guid() });
const TeamId = z.object({ org_id: z.guid(), team_id: z.guid() });

const ListQuery = z.object({
  region: z.array(RegionName).nullish().describe('Only teams in these regions.'),
  search_query: TeamSearch.nullish().describe('A part of the name or of the integration_team_id.'),
  next_cursor: PageCursor,
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
      const filter = {
        orgId: principal.orgId,
        regions: query.region ?? undefined,
        search: query.search_query ?? undefined,
      };
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listTeams(tx, { ...filter, ...page })),
      );
      return { teams: items.map(toTeamListItem), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/team', {
    schema: {
      operationId: 'createTeam',
      summary: 'Create a team',
      description: 'Creates its sandbox and production environments.',
      tag,
      params: OrgId,
      body: CreateTeamBody,
      response: { 200: TeamView, 409: IntegrationTeamConflictView },
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
        by: actorOf({ principal, from }),
      };
      return answerTakenIntegrationId(principal, async () =>
        readTeamView(app, (await createTeam(app, team)).id),
      );
    },
  });
}

function read(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/team/:team_id', {
    schema: {
      operationId: 'getTeam',
      summary: 'Get a team',
      description: 'Returns the settings of the environments in `include_environment`.',
      tag,
      params: TeamId,
      query: z.object({ include_environment: z.array(Env).default([]) }),
      response: { 200: TeamView },
    },
    handler: async ({ principal, params, query }) => {
      const team = await authorizeTeam(app, principal, params);
      return readTeamView(app, team.id, query.include_environment);
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
      body: ResolveTeamBody,
      response: { 200: TeamView },
    },
    handler: async ({ principal, params, body }) => {
      requireOrganization(principal, params.org_id);
      const wanted = { orgId: principal.orgId, integrationTeamId: body.integration_team_id };
      const team = requireFound(await asSystem(app.db, (tx) => findTeamByIntegrationId(tx, wanted)), 'Team');
      requireTeam(principal, team.id);
      return readTeamView(app, team.id);
    },
  });
}

function change(http: Http, app: App): void {
  http.management.patch('/v1/org/:org_id/team/:team_id', {
    schema: {
      operationId: 'changeTeam',
      summary: 'Update a team and its settings',
      description: 'Omitted fields are kept. A setting given as null is reset to its default.',
      tag,
      params: TeamId,
      body: UpdateTeamBody,
      response: { 200: TeamView, 409: IntegrationTeamConflictView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await authorizeTeam(app, principal, params);
      const asOperator = [body.sandbox, body.production].some(
        (settings) => settings && OPERATOR_FIELDS.some((field) => settings[field] !== undefined),
      );
      if (asOperator && principal.teamIds !== null) {
        throw new DomainError(
          'forbidden',
          `Changing ${OPERATOR_FIELDS.join(', ')} requires an Org Management Key`,
        );
      }
      return answerTakenIntegrationId(principal, async () => {
        const at = { orgId: principal.orgId, teamId: team.id };
        await changeTeam(app, at, { change: body, by: actorOf({ principal, from }) });
        return readTeamView(app, team.id);
      });
    },
  });
}

function remove(http: Http, app: App): void {
  http.management.delete('/v1/org/:org_id/team/:team_id', {
    schema: {
      operationId: 'deleteTeam',
      summary: 'Delete a team',
      description:
        'Its keys, and the tokens and links of its users, become invalid immediately. Its webhooks and brokers ' +
        'receive no more events, and the connections of its users are removed a minute later. Results of orders ' +
        'in progress are still received and stored.',
      tag,
      params: TeamId,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      await deleteTeam(app, { orgId: principal.orgId, teamId: params.team_id, by });
      return { success: true };
    },
  });
}

const readTeamView = (app: App, id: string, wanted: readonly Environment[] = ENVIRONMENTS) =>
  asSystem(app.db, async (tx) => toTeamView(await getTeam(tx, id), await listEnvironments(tx, id), wanted));

/** The contract requires a 409 with the id of the team; a key outside the scope of that team gets no id. */
async function answerTakenIntegrationId<T>(principal: ManagementPrincipal, run: () => Promise<T>) {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof IntegrationTeamTakenError)) throw error;
    if (principal.teamIds !== null && !principal.teamIds.has(error.teamId)) throw error;
    return respondWith<{ 200: typeof TeamView; 409: typeof IntegrationTeamConflictView }, 409>(409, {
      team_id: error.teamId,
    });
  }
}
