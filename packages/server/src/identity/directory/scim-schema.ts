import type { AttributePath } from './filter.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** The definition of an attribute, as RFC 7643, 7 describes it. */
export interface ScimAttribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly' | 'immutable';
  readonly returned: 'always' | 'default';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly ScimAttribute[];
}

type AttributeOptions = Partial<Omit<ScimAttribute, 'name' | 'description'>>;

const attribute = (name: string, description: string, options: AttributeOptions = {}): ScimAttribute => ({
  name,
  type: options.subAttributes ? 'complex' : 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

const readOnly = { mutability: 'readOnly' } as const;

/** RFC 7643, 3.1: every resource has them, and no schema document lists them. */
const COMMON: readonly ScimAttribute[] = [
  attribute('id', 'The id of the resource.', { ...readOnly, caseExact: true, returned: 'always' }),
  attribute('externalId', 'The id of the resource in the directory.', { caseExact: true }),
  attribute('meta', 'About the resource.', {
    ...readOnly,
    subAttributes: [
      attribute('resourceType', 'User or Group.', { ...readOnly, caseExact: true }),
      attribute('created', 'When it was created.', { ...readOnly, type: 'dateTime' }),
      attribute('lastModified', 'When the directory last changed it.', { ...readOnly, type: 'dateTime' }),
      attribute('location', 'Its URL.', { ...readOnly, type: 'reference', caseExact: true }),
      attribute('version', 'Its version, as in the ETag header.', { ...readOnly, caseExact: true }),
    ],
  }),
];

const reference = (referenceTypes: readonly string[]) =>
  attribute('$ref', 'The URL of the resource.', {
    ...readOnly,
    type: 'reference',
    caseExact: true,
    referenceTypes,
  });

const USER: readonly ScimAttribute[] = [
  attribute('userName', 'The name of the person in the directory, unique in the organization.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('name', 'The parts of the name.', {
    subAttributes: [
      attribute('formatted', 'The full name.'),
      attribute('familyName', 'The family name.'),
      attribute('givenName', 'The given name.'),
    ],
  }),
  attribute('displayName', 'The name that members see.'),
  attribute('active', 'Whether the person has access. False takes it away at once and keeps the roles.', {
    type: 'boolean',
  }),
  attribute('emails', 'The address by which the person signs in; one is kept: the primary, else the first.', {
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address.'),
      attribute('type', 'Always work.', { canonicalValues: ['work'] }),
      attribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
  attribute('groups', 'The groups of the person.', {
    ...readOnly,
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the group.', { ...readOnly, caseExact: true }),
      reference(['Group']),
      attribute('display', 'The name of the group.', readOnly),
    ],
  }),
];

const GROUP: readonly ScimAttribute[] = [
  attribute('displayName', 'The name of the group, unique in the organization.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('members', 'The people in the group.', {
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the user.', { mutability: 'immutable', caseExact: true }),
      reference(['User']),
      attribute('display', 'The name of the user.', readOnly),
      attribute('type', 'Always User.', { mutability: 'immutable', canonicalValues: ['User'] }),
    ],
  }),
];

/** Attributes of the RFC that directories send unasked and nothing here needs: they are accepted and not stored. */
const IGNORED_OF_USER = [
  'addresses',
  'entitlements',
  'ims',
  'locale',
  'nickName',
  'password',
  'phoneNumbers',
  'photos',
  'preferredLanguage',
  'profileUrl',
  'roles',
  'timezone',
  'title',
  'userType',
  'x509Certificates',
];
const IGNORED_OF_NAME = ['middleName', 'honorificPrefix', 'honorificSuffix'];

export interface ResourceSchema {
  readonly id: string;
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
  readonly ignored: ReadonlySet<string>;
}

const lowered = (names: readonly string[]): Set<string> => new Set(names.map((name) => name.toLowerCase()));

export const USER_RESOURCE: ResourceSchema = {
  id: USER_SCHEMA,
  name: 'User',
  endpoint: '/Users',
  description: 'A member of the organization.',
  attributes: USER,
  ignored: lowered(IGNORED_OF_USER),
};

export const GROUP_RESOURCE: ResourceSchema = {
  id: GROUP_SCHEMA,
  name: 'Group',
  endpoint: '/Groups',
  description: 'A group of the directory. Owners decide which roles it grants.',
  attributes: GROUP,
  ignored: new Set(),
};

/** An attribute of a resource, or one of its parts. */
export interface ResolvedAttribute {
  readonly attribute: ScimAttribute;
  readonly sub: ScimAttribute | undefined;
}

const named = (attributes: readonly ScimAttribute[], name: string): ScimAttribute | undefined =>
  attributes.find((one) => one.name.toLowerCase() === name.toLowerCase());

/** `ignored` for what the RFC knows and nothing is stored of; undefined for what does not exist. */
export function resolveAttribute(
  resource: ResourceSchema,
  { schema, attribute: name, sub: subName }: AttributePath,
): ResolvedAttribute | 'ignored' | undefined {
  if (schema !== undefined && !isSame(schema, resource.id))
    return resource.name === 'User' && isEnterprise(schema) ? 'ignored' : undefined;
  const found = named([...COMMON, ...resource.attributes], name);
  if (!found) return resource.ignored.has(name.toLowerCase()) ? 'ignored' : undefined;
  if (subName === undefined) return { attribute: found, sub: undefined };
  const sub = named(found.subAttributes ?? [], subName);
  if (sub) return { attribute: found, sub };
  const isOfName = found.name === 'name' && lowered(IGNORED_OF_NAME).has(subName.toLowerCase());
  return isOfName ? 'ignored' : undefined;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
/** The extension itself, whose last part is read as the name of an attribute, or an attribute of it. */
const isEnterprise = (urn: string) =>
  isSame(urn, ENTERPRISE_SCHEMA) || isSame(`${urn}:User`, ENTERPRISE_SCHEMA);
