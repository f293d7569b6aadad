import { z } from 'zod';
import type { App } from '../app.ts';
import { asSystem } from '../platform/db/transact.ts';
import { invalidField } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import { authorOf } from './audit.ts';
import { listManagementKeys } from './key-store.ts';
import {
  ChangeManagementKey,
  CreateManagementKey,
  MadeManagementKeyView,
  ManagementKeyList,
  ManagementKeyView,
  momentOf,
  RoleName,
  RotateManagementKey,
  teamIdsOf,
  viewMadeManagementKey,
  viewManagementKey,
} from './key-schema.ts';
import { changeManagementKey, createManagementKey, revokeManagementKey } from './management-keys.ts';
import { pageOf, readCursor } from './page.ts';
import { rotateManagementKey } from './rotate-management-key.ts';
import { requireOrgKey } from './scope.ts';

const tag = 'Management';
const KEYS = '/v1/org/:org_id/management_key';
const OrgId = z.object({ org_id: z.guid() });
const KeyId = z.object({ org_id: z.guid(), key_id: z.guid() });
const PAGE_SIZE = 100;

const ListQuery = z.object({
  team_id: z.guid().nullish().describe('Only keys that are bound to this team.'),
  role: RoleName.nullish(),
  next_cursor: z.string().max(200).nullish(),
});

/** Management keys; all of them for Org Management Keys only. */
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
      const page = {
        orgId: principal.orgId,
        teamId: query.team_id ?? undefined,
        role: query.role ?? undefined,
        after: readCursor(query.next_cursor),
        limit: PAGE_SIZE + 1,
      };
      const rows = await asSystem(app.db, (tx) => listManagementKeys(tx, page));
      const { items, next_cursor } = pageOf(rows, PAGE_SIZE);
      return { data: items.map(viewManagementKey), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(KEYS, {
    schema: {
      operationId: 'createManagementKey',
      summary: 'Create a management key; its value is shown here only',
      tag,
      params: OrgId,
      body: CreateManagementKey,
      response: { 200: MadeManagementKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const made = await createManagementKey(app, {
        orgId: principal.orgId,
        label: body.label,
        role: body.role,
        teamIds: teamIdsOf(body.team_role_bindings) ?? [],
        expiresAt: futureOf(app, body.expires_at),
        createdBy: principal.keyId,
        by: authorOf({ principal, from }),
      });
      return viewMadeManagementKey(made);
    },
  });
}

function change(http: Http, app: App): void {
  http.management.patch(`${KEYS}/:key_id`, {
    schema: {
      operationId: 'changeManagementKey',
      summary: 'Rename a management key or bind it to other teams',
      tag,
      params: KeyId,
      body: ChangeManagementKey,
      response: { 200: ManagementKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const changed = await changeManagementKey(app, {
        orgId: principal.orgId,
        id: params.key_id,
        label: body.label ?? undefined,
        teamIds: teamIdsOf(body.team_role_bindings),
        by: authorOf({ principal, from }),
      });
      return viewManagementKey(changed);
    },
  });
}

function futureOf(app: App, text: string | null | undefined): Date | null | undefined {
  const moment = momentOf(text);
  const now = app.clock.now();
  if (!moment || moment > now) return moment;
  throw invalidField(['body', 'expires_at'], `expected a moment after ${now.toISOString()}`);
}

function rotate(http: Http, app: App): void {
  http.management.post(`${KEYS}/:key_id/rotate`, {
    schema: {
      operationId: 'rotateManagementKey',
      summary: 'Make a management key in the place of another, which goes on for a while (ours)',
      description:
        'The new key has the label, the role and the teams of the old one; its value is shown here only. 409 for a key that was rotated already or has expired, and for the last Org Management Key without an end if the new one had one or `overlap_hours` is 0.',
      tag,
      params: KeyId,
      body: RotateManagementKey,
      response: { 200: MadeManagementKeyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const rotated = await rotateManagementKey(app, {
        orgId: principal.orgId,
        id: params.key_id,
        overlapHours: body.overlap_hours,
        expiresAt: futureOf(app, body.expires_at),
        createdBy: principal.keyId,
        by: authorOf({ principal, from }),
      });
      return viewMadeManagementKey(rotated);
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
      const by = authorOf({ principal, from });
      const key = { orgId: principal.orgId, id: params.key_id, by };
      return viewManagementKey(await revokeManagementKey(app, key));
    },
  });
}
