import { z } from 'zod';
import { readTenant, type App } from '../app.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import { newRandomId } from '../platform/ids.ts';
import { accessToken } from './access-tokens.ts';
import { audit, authorOf } from './audit.ts';
import { listTeamKeys } from './key-store.ts';
import {
  CreateTeamKey,
  momentOf,
  RevokedTeamKeys,
  RotateTeamKey,
  TeamKeyList,
  TeamKeyView,
  viewMadeTeamKey,
  viewTeamKey,
} from './key-schema.ts';
import { pageOf, readCursor } from './page.ts';
import { requireOrganization, requireRegion, scopedList, scopedTeam } from './scope.ts';
import { issueTeamKey, revokeTeamKeys, rotateTeamKey } from './team-keys.ts';
import { Env, RegionName } from './team-schema.ts';

const tag = 'Management';
const KEYS = '/v1/org/:org_id/team_api_keys/:env/:region';
const Place = z.object({ org_id: z.guid(), env: Env, region: RegionName });
const PAGE_SIZE = 100;
const REVOKED_AT_ONCE_MAX = 1000;

/** Team API keys, and the tokens that stand for a team for a while. */
export function keyRoutes(http: Http, app: App): void {
  list(http, app);
  create(http, app);
  rotate(http, app);
  revoke(http, app);
  token(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(KEYS, {
    schema: {
      operationId: 'listTeamKeys',
      summary: 'List team API keys, masked',
      tag,
      params: Place,
      query: z.object({ next_cursor: z.string().max(200).nullish(), team_id: z.guid().nullish() }),
      response: { 200: TeamKeyList },
    },
    handler: async ({ principal, params, query }) => {
      const team = await scopedList(app, principal, { ...params, team_id: query.team_id });
      requireRegion(app, params.region);
      const page = {
        orgId: principal.orgId,
        environment: params.env,
        teamId: team?.id,
        after: readCursor(query.next_cursor),
        limit: PAGE_SIZE + 1,
      };
      const rows = await asSystem(app.db, (tx) => listTeamKeys(tx, page));
      const { items, next_cursor } = pageOf(rows, PAGE_SIZE);
      return { api_keys: items.map(viewTeamKey), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(KEYS, {
    schema: {
      operationId: 'createTeamKey',
      summary: 'Create a team API key; its value is shown here only',
      tag,
      params: Place,
      body: CreateTeamKey,
      response: { 200: TeamKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await scopedTeam(app, principal, { ...params, team_id: body.team_id });
      requireRegion(app, params.region);
      const tenant = { teamId: team.id, environment: params.env };
      const by = authorOf({ principal, from });
      const limits = {
        expiresAt: momentOf(body.expires_at),
        readOnly: body.read_only ?? false,
        areas: body.areas,
      };
      const key = { orgId: principal.orgId, tenant, label: body.label, ...limits, by };
      return viewMadeTeamKey(await issueTeamKey(app, key));
    },
  });
}

function rotate(http: Http, app: App): void {
  http.management.post(`${KEYS}/:team_api_key_id/rotate`, {
    schema: {
      operationId: 'rotateTeamKey',
      summary: 'Make a key in the place of another, which goes on for a while',
      description:
        'The new key has the label and the limits of the old one; its value is shown here only. 409 for a key that was rotated already or has expired.',
      tag,
      params: Place.extend({ team_api_key_id: z.guid() }),
      body: RotateTeamKey,
      response: { 200: TeamKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrganization(principal, params.org_id);
      requireRegion(app, params.region);
      const { orgId, teamIds } = principal;
      const rotated = await rotateTeamKey(app, {
        orgId,
        environment: params.env,
        id: params.team_api_key_id.toLowerCase(),
        teamIds,
        overlapHours: body.overlap_hours,
        expiresAt: momentOf(body.expires_at),
        by: authorOf({ principal, from }),
      });
      return viewMadeTeamKey(rotated);
    },
  });
}

function revoke(http: Http, app: App): void {
  http.management.delete(KEYS, {
    schema: {
      operationId: 'deleteTeamKeys',
      summary: 'Revoke team API keys',
      tag,
      params: Place,
      query: z.object({ api_key_id: z.array(z.guid()).min(1).max(REVOKED_AT_ONCE_MAX) }),
      response: { 200: RevokedTeamKeys },
    },
    handler: async ({ principal, from, params, query }) => {
      requireOrganization(principal, params.org_id);
      requireRegion(app, params.region);
      const { orgId, teamIds } = principal;
      const ids = [...new Set(query.api_key_id.map((id) => id.toLowerCase()))];
      const by = authorOf({ principal, from });
      const revoked = await revokeTeamKeys(app, { orgId, environment: params.env, ids, teamIds, by });
      return { success: [...revoked], failure: [], not_found: ids.filter((id) => !revoked.has(id)) };
    },
  });
}

const TokenView = z
  .object({ access_token: z.string(), expires_in: z.int() })
  .meta({ id: 'CreateTeamAccessTokenResponse' });

function token(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/team/:team_id/create_api_access_token', {
    schema: {
      operationId: 'createAccessToken',
      summary: 'Make a bearer token that stands for the team for ten minutes of its clock',
      tag,
      params: z.object({ org_id: z.guid(), team_id: z.guid() }),
      body: z.object({ env: Env }).meta({ id: 'CreateAccessTokenBody' }),
      response: { 200: TokenView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await scopedTeam(app, principal, params);
      const tenant = { teamId: team.id, environment: body.env };
      const now = await readTenant(app, tenant, async (work) => work.now);
      const id = newRandomId();
      const after = { environment: body.env, token_id: id };
      const deed = { action: 'access_token.create', subject: team.id, after };
      const by = { ...authorOf({ principal, from }), orgId: principal.orgId, teamId: team.id };
      await asSystem(app.db, (tx) => audit(tx, { ...by, ...deed, at: app.clock.now() }));
      return accessToken(app, tenant, { id, now });
    },
  });
}
