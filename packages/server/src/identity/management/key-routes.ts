import { z } from 'zod';
import { readTenant, type App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { PageCursor, readPage } from '../../platform/http/page.ts';
import { createAccessToken } from './access-tokens.ts';
import { writeAuditEntry, actorOf } from './audit.ts';
import { listTeamKeys } from './key-store.ts';
import {
  CreateTeamKeyBody,
  parseExpiry,
  RevokedTeamKeysView,
  RotateTeamKeyBody,
  TeamKeyList,
  TeamKeyView,
  toCreatedTeamKeyView,
  toTeamKeyView,
} from './key-schema.ts';
import { requireOrganization, requireRegion, authorizeList, authorizeTeam } from './scope.ts';
import { issueTeamKey, revokeTeamKeys, rotateTeamKey } from './team-keys.ts';
import { Env, RegionName } from './team-schema.ts';

const tag = 'Management';
const KEYS = '/v1/org/:org_id/team_api_keys/:env/:region';
const TeamKeyParams = z.object({ org_id: z.guid(), env: Env, region: RegionName });
const REVOKE_MAX = 1000;

/** Team API keys, and short-lived access tokens of a team. */
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
      summary: 'List team API keys',
      tag,
      params: TeamKeyParams,
      query: z.object({ next_cursor: PageCursor, team_id: z.guid().nullish() }),
      response: { 200: TeamKeyList },
    },
    handler: async ({ principal, params, query }) => {
      const team = await authorizeList(app, principal, { ...params, team_id: query.team_id });
      requireRegion(app, params.region);
      const filter = { orgId: principal.orgId, environment: params.env, teamId: team?.id };
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listTeamKeys(tx, { ...filter, ...page })),
      );
      return { api_keys: items.map(toTeamKeyView), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(KEYS, {
    schema: {
      operationId: 'createTeamKey',
      summary: 'Create a team API key',
      description: 'The value of the key is returned only in this response.',
      tag,
      params: TeamKeyParams,
      body: CreateTeamKeyBody,
      response: { 200: TeamKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await authorizeTeam(app, principal, { ...params, team_id: body.team_id });
      requireRegion(app, params.region);
      const tenant = { teamId: team.id, environment: params.env };
      const by = actorOf({ principal, from });
      const limits = {
        expiresAt: parseExpiry(body.expires_at),
        readOnly: body.read_only ?? false,
        areas: body.areas,
        assistants: body.assistants ?? false,
      };
      const key = { orgId: principal.orgId, tenant, label: body.label, ...limits, by };
      return toCreatedTeamKeyView(await issueTeamKey(app, key));
    },
  });
}

function rotate(http: Http, app: App): void {
  http.management.post(`${KEYS}/:team_api_key_id/rotate`, {
    schema: {
      operationId: 'rotateTeamKey',
      summary: 'Rotate a team API key',
      description:
        'Creates a key with the label and the restrictions of the old one, which stays valid for ' +
        '`overlap_hours`. The value of the new key is returned only in this response. 409 for a key that was ' +
        'already rotated or has expired.',
      tag,
      params: TeamKeyParams.extend({ team_api_key_id: z.guid() }),
      body: RotateTeamKeyBody,
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
        expiresAt: parseExpiry(body.expires_at),
        by: actorOf({ principal, from }),
      });
      return toCreatedTeamKeyView(rotated);
    },
  });
}

function revoke(http: Http, app: App): void {
  http.management.delete(KEYS, {
    schema: {
      operationId: 'deleteTeamKeys',
      summary: 'Revoke team API keys',
      tag,
      params: TeamKeyParams,
      query: z.object({ api_key_id: z.array(z.guid()).min(1).max(REVOKE_MAX) }),
      response: { 200: RevokedTeamKeysView },
    },
    handler: async ({ principal, from, params, query }) => {
      requireOrganization(principal, params.org_id);
      requireRegion(app, params.region);
      const { orgId, teamIds } = principal;
      const ids = [...new Set(query.api_key_id.map((id) => id.toLowerCase()))];
      const by = actorOf({ principal, from });
      const revoked = await revokeTeamKeys(app, { orgId, environment: params.env, ids, teamIds, by });
      return { success: [...revoked], failure: [], not_found: ids.filter((id) => !revoked.has(id)) };
    },
  });
}

const TokenView = z
  .object({
    access_token: z.string(),
    expires_in: z.int().describe('The lifetime of the token in seconds.'),
    token_id: z
      .uuid()
      .describe('Extension. Identifies the token where it is listed or revoked, and in logs.'),
  })
  .meta({ id: 'CreateTeamAccessTokenResponse' });

function token(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/team/:team_id/create_api_access_token', {
    schema: {
      operationId: 'createAccessToken',
      summary: 'Create an access token of a team',
      description: 'A bearer token for one environment, valid for ten minutes on its clock.',
      tag,
      params: z.object({ org_id: z.guid(), team_id: z.guid() }),
      body: z
        .object({ env: Env.describe('The environment that the token is for.') })
        .meta({ id: 'CreateAccessTokenBody' }),
      response: { 200: TokenView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await authorizeTeam(app, principal, params);
      const tenant = { teamId: team.id, environment: body.env };
      const now = await readTenant(app, tenant, async (work) => work.now);
      const systemNow = app.clock.now();
      const by = { ...actorOf({ principal, from }), orgId: principal.orgId, teamId: team.id };
      return asSystem(app.db, async (tx) => {
        const times = { systemNow, now };
        const { id, ...token } = await createAccessToken(app, tx, {
          tenant,
          issuer: principal.member
            ? { memberId: principal.member.memberId }
            : { managementKeyId: principal.keyId },
          times,
        });
        const after = { environment: body.env, token_id: id };
        const deed = { action: 'access_token.create', subject: team.id, after, at: systemNow };
        await writeAuditEntry(tx, { ...by, ...deed });
        return { ...token, token_id: id };
      });
    },
  });
}
