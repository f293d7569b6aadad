import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { statusOf, type DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { ProtocolRequest, ProtocolResponse } from '../../platform/http/serve-protocol.ts';
import { createDirectoryAuthenticator } from './authenticate-directory.ts';
import { includesVersion, SCIM_PATH, scimUrl, type ResourceCall } from './caller.ts';
import { findDiscoveryDocument } from './discovery.ts';
import type { ScimRecord, VersionedResource } from './evaluate-filter.ts';
import { toGroupResource } from './group-resource.ts';
import * as groupStore from './group-store.ts';
import { createGroup, deleteGroup, getGroup, patchGroup, replaceGroup } from './groups.ts';
import {
  isReturned,
  parseListRequest,
  parseProjection,
  project,
  toListResponse,
  type ListRequest,
  type Projection,
} from './query.ts';
import { ScimError } from './scim-error.ts';
import { GROUP_RESOURCE, USER_RESOURCE, type ResourceSchema } from './scim-schema.ts';
import type { DirectoryPrincipal } from './tokens.ts';
import { toUserResource } from './user-resource.ts';
import * as userStore from './user-store.ts';
import { createUser, deleteUser, getUser, patchUser, replaceUser } from './users.ts';

type ScimRequest = ProtocolRequest<DirectoryPrincipal>;

/** The operations on one kind of resource. */
interface ResourceOperations {
  readonly schema: ResourceSchema;
  readonly list: (
    orgId: string,
    request: ScimRequest,
    projection: Projection,
  ) => Promise<{ readonly total: number; readonly startIndex: number; readonly resources: ScimRecord[] }>;
  readonly get: (orgId: string, id: string) => Promise<VersionedResource>;
  readonly create: (request: ScimRequest) => Promise<VersionedResource>;
  readonly replace: (call: ResourceCall, body: unknown) => Promise<VersionedResource>;
  readonly patch: (call: ResourceCall, body: unknown) => Promise<VersionedResource>;
  readonly remove: (call: ResourceCall) => Promise<void>;
  /** Of a PATCH: a group may have thousands of members that nobody wants back. */
  readonly patchStatus: 200 | 204;
}

/**
 * SCIM 2.0 (RFC 7643, 7644) for the directory of an organization. It is not in the route table and the OpenAPI document:
 * it has its own credential, media type, errors and, at /Schemas and /ServiceProviderConfig, its own description.
 */
export function scimRoutes(http: Http, app: App): void {
  const kinds: Readonly<Record<string, ResourceOperations>> = { Users: ofUsers(app), Groups: ofGroups(app) };
  http.protocol(SCIM_PATH, {
    mediaTypes: /^application\/(scim\+)?json(\s*;|$)/i,
    contentType: 'application/scim+json; charset=utf-8',
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // As reads, lists and writes of the other APIs.
    costOf: ({ method, path }) => (method === 'GET' && path.split('/').length > 2 ? 1 : 2),
    authenticate: createDirectoryAuthenticator(app),
    handler: async (request) => {
      const [kind = '', id, ...rest] = request.path.slice(1).replace(/\/$/, '').split('/');
      const operations = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (operations && rest.length === 0)
        return id === undefined
          ? serveCollection(operations, request)
          : serveResource(operations, request, id);
      return serveOther(app, request, kind);
    },
    renderError,
  });
}

const respond = (status: number, body: unknown, headers: Record<string, string> = {}): ProtocolResponse => ({
  status,
  headers,
  text: body === undefined ? '' : JSON.stringify(body),
});

const notImplemented = (what: string) =>
  new ScimError('not_found', `${what} is not supported`, { status: 501 });

const notAllowed = ({ method, path }: ScimRequest) =>
  new ScimError('method_not_allowed', `${method} is not supported at ${path.slice(0, 80)}`, {});

function serveOther(app: App, request: ScimRequest, kind: string): ProtocolResponse {
  if (kind === 'Bulk' || kind === 'Me') throw notImplemented(`/${kind}`);
  const document = findDiscoveryDocument(app, request.path.replace(/(.)\/$/, '$1'));
  if (!document) throw new ScimError('not_found', `There is nothing at ${request.path.slice(0, 80)}`, {});
  if (request.method !== 'GET') throw notAllowed(request);
  return respond(200, document);
}

async function serveCollection(
  operations: ResourceOperations,
  request: ScimRequest,
): Promise<ProtocolResponse> {
  const { schema, list, create } = operations;
  const projection = parseProjection(schema, request.query);
  if (request.method === 'GET') {
    const { total, startIndex, resources } = await list(request.principal.orgId, request, projection);
    return respond(
      200,
      toListResponse(
        total,
        startIndex,
        resources.map((one) => project(one, projection)),
      ),
    );
  }
  if (request.method !== 'POST') throw notAllowed(request);
  const made = await create(request);
  const { location, version } = made.meta;
  return respond(201, project(made, projection), { location, etag: version });
}

async function serveResource(
  operations: ResourceOperations,
  request: ScimRequest,
  id: string,
): Promise<ProtocolResponse> {
  const { schema, get, replace, patch, remove, patchStatus } = operations;
  const { principal, from, method, headers, body } = request;
  if (id === '.search') throw notImplemented('/.search');
  const projection = parseProjection(schema, request.query);
  const call = { principal, from, id, ifMatch: headers['if-match']?.toString() };
  const found = (resource: VersionedResource, status = 200) => {
    const { version } = resource.meta;
    const shown = status === 200 ? project(resource, projection) : undefined;
    return respond(status, shown, { etag: version });
  };
  if (method === 'GET') {
    const resource = await get(principal.orgId, id);
    const known = headers['if-none-match']?.toString();
    return found(resource, known !== undefined && includesVersion(known, resource.meta.version) ? 304 : 200);
  }
  if (method === 'PUT') return found(await replace(call, body));
  if (method === 'PATCH')
    return found(await patch(call, body), request.query['attributes'] === undefined ? patchStatus : 200);
  if (method !== 'DELETE') throw notAllowed(request);
  await remove(call);
  return respond(204, undefined);
}

function ofUsers(app: App): ResourceOperations {
  const urlOf = scimUrl(app);
  const view = (row: userStore.DirectoryUserRow) => toUserResource(row, urlOf);
  return {
    schema: USER_RESOURCE,
    list: async (orgId, { query }) => {
      const page = parseListRequest(USER_RESOURCE, query, userStore.USER_COLUMNS);
      const [total, rows] = await asSystem(app.db, async (tx) => [
        await userStore.countUsers(tx, orgId, page),
        await userStore.listUsers(tx, orgId, page),
      ]);
      return { total, startIndex: page.startIndex, resources: rows.map(view) };
    },
    get: async (orgId, id) => view(await getUser(app, orgId, id)),
    create: async (request) => view(await createUser(app, request, request.body)),
    replace: async (call, body) => view(await replaceUser(app, call, body)),
    patch: async (call, body) => view(await patchUser(app, call, body)),
    remove: (call) => deleteUser(app, call),
    patchStatus: 200,
  };
}

function ofGroups(app: App): ResourceOperations {
  const urlOf = scimUrl(app);
  const view = (row: groupStore.DirectoryGroupRow) => toGroupResource(row, urlOf);
  return {
    schema: GROUP_RESOURCE,
    list: async (orgId, { query }, projection) => {
      const page: ListRequest = parseListRequest(GROUP_RESOURCE, query, groupStore.GROUP_COLUMNS);
      const withMembers = isReturned(projection, 'members');
      const [total, rows] = await asSystem(app.db, async (tx) => [
        await groupStore.countGroups(tx, orgId, page),
        await groupStore.listGroups(tx, orgId, { ...page, withMembers }),
      ]);
      return { total, startIndex: page.startIndex, resources: rows.map(view) };
    },
    get: async (orgId, id) => view(await getGroup(app, orgId, id)),
    create: async (request) => view(await createGroup(app, request, request.body)),
    replace: async (call, body) => view(await replaceGroup(app, call, body)),
    patch: async (call, body) => view(await patchGroup(app, call, body)),
    remove: (call) => deleteGroup(app, call),
    patchStatus: 204,
  };
}

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** An error of RFC 7644, 3.12. */
function renderError(error: DomainError | undefined, requestId: string): ProtocolResponse {
  const scim = error instanceof ScimError ? error : undefined;
  // A body that is no JSON is a 422 of the other APIs, and a 400 here.
  const isUnreadable = error?.kind === 'invalid';
  const known = isUnreadable ? 400 : error && statusOf[error.kind];
  const status = scim?.status ?? known ?? 500;
  const scimType = scim?.scimType ?? (isUnreadable ? 'invalidSyntax' : undefined);
  const detail = error ? describeDetail(error) : `Internal error. Request id: ${requestId}`;
  return respond(status, {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType && { scimType }),
    detail,
  });
}

function describeDetail({ detail }: DomainError): string {
  if (typeof detail === 'string') return detail;
  return Array.isArray(detail) ? detail.map(({ msg }) => msg).join('; ') : JSON.stringify(detail);
}
