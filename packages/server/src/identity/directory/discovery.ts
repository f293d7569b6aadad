import type { App } from '../../app.ts';
import { scimUrl } from './caller.ts';
import { COUNT_MAX, toListResponse } from './query.ts';
import { GROUP_RESOURCE, USER_RESOURCE, type ResourceSchema, type ScimAttribute } from './scim-schema.ts';

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0';
const RESOURCES = [USER_RESOURCE, GROUP_RESOURCE];

type DiscoveryDocument = Readonly<Record<string, unknown>>;

const serviceProviderConfig = (app: App): DiscoveryDocument => ({
  schemas: [`${SCHEMAS}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: COUNT_MAX },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Directory token',
      description: 'A token that an owner of the organization creates, as Authorization: Bearer.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: scimUrl(app)('/ServiceProviderConfig') },
});

const resourceType = (app: App, { id, name, endpoint, description }: ResourceSchema): DiscoveryDocument => ({
  schemas: [`${SCHEMAS}:ResourceType`],
  id: name,
  name,
  endpoint,
  description,
  schema: id,
  schemaExtensions: [],
  meta: { resourceType: 'ResourceType', location: scimUrl(app)(`/ResourceTypes/${name}`) },
});

const schema = (app: App, { id, name, description, attributes }: ResourceSchema): DiscoveryDocument => ({
  schemas: [`${SCHEMAS}:Schema`],
  id,
  name,
  description,
  attributes: attributes.map(describeAttribute),
  meta: { resourceType: 'Schema', location: scimUrl(app)(`/Schemas/${id}`) },
});

/** What only some types have is left out for the others (RFC 7643, 7). */
const describeAttribute = ({ subAttributes, ...rest }: ScimAttribute): DiscoveryDocument => ({
  ...rest,
  ...(subAttributes && { subAttributes: subAttributes.map(describeAttribute) }),
});

/** The documents by which the service describes itself, by path; undefined for other paths. */
export function findDiscoveryDocument(app: App, path: string): DiscoveryDocument | undefined {
  const [kind = '', id] = path.slice(1).split('/');
  if (kind === 'ServiceProviderConfig' && id === undefined) return serviceProviderConfig(app);
  if (kind === 'ResourceTypes')
    return findIn(RESOURCES, id, { keyOf: ({ name }) => name, view: (one) => resourceType(app, one) });
  if (kind === 'Schemas')
    return findIn(RESOURCES, id, { keyOf: (one) => one.id, view: (one) => schema(app, one) });
  return undefined;
}

function findIn(
  resources: readonly ResourceSchema[],
  id: string | undefined,
  {
    keyOf,
    view,
  }: { keyOf: (one: ResourceSchema) => string; view: (one: ResourceSchema) => DiscoveryDocument },
): DiscoveryDocument | undefined {
  if (id === undefined) return toListResponse(resources.length, 1, resources.map(view));
  const found = resources.find((one) => keyOf(one).toLowerCase() === id.toLowerCase());
  return found && view(found);
}
