import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { PageCursor, readPage } from '../../platform/http/page.ts';
import { actorOf } from './audit.ts';
import { listManagementKeys } from './key-store.ts';
import {
  ChangeManagementKeyBody,
  CreateManagementKeyBody,
  CreatedManagementKeyView,
  ManagementKeyList,
  ManagementKeyView,
  parseExpiry,
  RoleName,
  RotateManagementKeyBody,
  teamIdsOf,
  toCreatedManagementKeyView,
  toManagementKeyView,
} from './key-schema.ts';
import { changeManagementKey, createManagementKey, revokeManagementKey } from './management-keys.ts';
import { rotateManagementKey } from './rotate-management-key.ts';
import { requireOrgKey } from './scope.ts';

const tag = 'Management';
const KEYS = '/v1/org/:org_id/management_key';
const OrgId = z.object({ org_id: z.guid() });
const KeyId = z.object({ org_id: z.guid(), key_id: z.guid() });

const ListQuery = z.object({
  team_id: z.guid().nullish().describe('Only keys bound to this team.'),
  role: RoleName.nullish().describe('Only keys with this role.'),
  next_cursor: PageCursor,
});

/** Management keys; these routes are for Org Management Keys only. */
export function managementKeyRoutes(http: Http, app: App): void {
  list(http, app);
  create(http, app);
  change(http, app);
  rotate(http, app);
  revoke(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(KEYS, {
    schema: {
      operationId: 'listManagementKeys',
      summary: 'List management keys',
      tag,
      params: OrgId,
      query: ListQuery,
      response: { 200: ManagementKeyList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const filter = {
        orgId: principal.orgId,
        teamId: query.team_id ?? undefined,
        role: query.role ?? undefined,
      };
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listManagementKeys(tx, { ...filter, ...page })),
      );
      return { data: items.map(toManagementKeyView), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(KEYS, {
    schema: {
      operationId: 'createManagementKey',
      summary: 'Create a management key',
      description: 'The value of the key is returned only in this response.',
      tag,
      params: OrgId,
      body: CreateManagementKeyBody,
      response: { 200: CreatedManagementKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const made = await createManagementKey(app, {
        orgId: principal.orgId,
        label: body.label,
        role: body.role,
        teamIds: teamIdsOf(body.team_role_bindings) ?? [],
        expiresAt: parseFutureExpiry(app, body.expires_at),
        createdBy: principal.keyId,
        by: actorOf({ principal, from }),
      });
      return toCreatedManagementKeyView(made);
    },
  });
}

function change(http: Http, app: App): void {
  http.management.patch(`${KEYS}/:key_id`, {
    schema: {
      operationId: 'changeManagementKey',
      summary: 'Update a management key',
      description: 'Renames it, binds it to other teams, or both.',
      tag,
      params: KeyId,
      body: ChangeManagementKeyBody,
      response: { 200: ManagementKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const changed = await changeManagementKey(app, {
        orgId: principal.orgId,
        id: params.key_id,
        label: body.label ?? undefined,
        teamIds: teamIdsOf(body.team_role_bindings),
        by: actorOf({ principal, from }),
      });
      return toManagementKeyView(changed);
    },
  });
}

function parseFutureExpiry(app: App, text: string | null | undefined): Date | null | undefined {
  const moment = parseExpiry(text);
  const now = app.clock.now();
  if (!moment || moment > now) return moment;
  throw invalidField(['body', 'expires_at'], `expected a time after ${now.toISOString()}`);
}

function rotate(http: Http, app: App): void {
  http.management.post(`${KEYS}/:key_id/rotate`, {
    schema: {
      operationId: 'rotateManagementKey',
      summary: 'Rotate a management key',
      description:
        'Creates a key with the label, the role and the teams of the old one, which stays valid for ' +
        '`overlap_hours`. The value of the new key is returned only in this response. 409 for a key that was ' +
        'already rotated or has expired, and for the last Org Management Key without expiry if the new key ' +
        'would expire or `overlap_hours` is 0.',
      tag,
      params: KeyId,
      body: RotateManagementKeyBody,
      response: { 200: CreatedManagementKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const rotated = await rotateManagementKey(app, {
        orgId: principal.orgId,
        id: params.key_id,
        overlapHours: body.overlap_hours,
        expiresAt: parseFutureExpiry(app, body.expires_at),
        createdBy: principal.keyId,
        by: actorOf({ principal, from }),
      });
      return toCreatedManagementKeyView(rotated);
    },
  });
}

function revoke(http: Http, app: App): void {
  http.management.delete(`${KEYS}/:key_id`, {
    schema: {
      operationId: 'deleteManagementKey',
      summary: 'Revoke a management key',
      tag,
      params: KeyId,
      response: { 200: ManagementKeyView },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      const key = { orgId: principal.orgId, id: params.key_id, by };
      return toManagementKeyView(await revokeManagementKey(app, key));
    },
  });
}
