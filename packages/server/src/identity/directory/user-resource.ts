import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Email } from '../../people/schema.ts';
import { isScimRecord, type ScimRecord, type VersionedResource } from './evaluate-filter.ts';
import { scimError } from './scim-error.ts';
import { USER_SCHEMA } from './scim-schema.ts';
import type { DirectoryUserRow } from './user-store.ts';

const TEXT_MAX = 200;
const NAME_MAX = 254;

/** A text that every column can store. */
export const ScimText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'expected no control characters');

/** Empty and null mean that there is none. */
export const optionalText = (schema: z.ZodType<string, string>) =>
  z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());

/** Entra ID writes booleans as strings. */
const ScimBoolean = z.preprocess(
  (value) => (typeof value === 'string' && /^(true|false)$/i.test(value) ? /^true$/i.test(value) : value),
  z.boolean(),
);

const EmailValue = z.object({
  value: Email.transform((text) => text.toLowerCase()),
  type: z.string().max(TEXT_MAX).nullish(),
  primary: ScimBoolean.nullish(),
});

const EMAILS_MAX = 20;

const UserRequest = z.object({
  userName: ScimText(NAME_MAX),
  externalId: optionalText(ScimText(NAME_MAX)),
  name: z
    .object({
      formatted: optionalText(ScimText(TEXT_MAX)),
      familyName: optionalText(ScimText(TEXT_MAX)),
      givenName: optionalText(ScimText(TEXT_MAX)),
    })
    .nullish(),
  displayName: optionalText(ScimText(TEXT_MAX)),
  active: ScimBoolean.nullish(),
  emails: z.array(EmailValue).max(EMAILS_MAX).nullish(),
});

/** What a directory says about a person. */
export interface DirectoryUser {
  readonly userName: string;
  /** In lower case. */
  readonly email: string;
  readonly externalId: string | null;
  /** The name that members see. */
  readonly name: string;
  readonly formattedName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  /** Undefined: not said. */
  readonly active: boolean | undefined;
}

const ATTRIBUTE_NAMES =
  'userName externalId name displayName active emails members formatted familyName givenName value type primary';
const LOWER_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  ATTRIBUTE_NAMES.split(' ').map((name) => [name.toLowerCase(), name]),
);

/** Attribute names are case-insensitive (RFC 7643, 2.1). Of two spellings the last one counts. */
function withCanonicalNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCanonicalNames);
  if (!isScimRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      LOWER_NAMES[name.toLowerCase()] ?? name,
      withCanonicalNames(one),
    ]),
  );
}

/** 400 `invalidValue` for what is no user; names the attribute. */
export function parseUser(body: unknown): DirectoryUser {
  const given = requireValid(UserRequest, body, 'user');
  const { userName, name, emails } = given;
  const [first] = emails ?? [];
  const isWork = ({ type }: { type?: string | null | undefined }) => type?.toLowerCase() === 'work';
  const chosen = emails?.find(({ primary }) => primary) ?? emails?.find(isWork) ?? first;
  const email = chosen?.value ?? Email.safeParse(userName).data?.toLowerCase();
  if (email === undefined)
    throw scimError('invalidValue', 'The user has no e-mail address: send emails, or an address as userName');
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(' ');
  const shown = given.displayName ?? name?.formatted ?? (parts === '' ? userName : parts);
  return {
    userName,
    email,
    externalId: given.externalId ?? null,
    name: shown.slice(0, TEXT_MAX),
    formattedName: name?.formatted ?? null,
    givenName: name?.givenName ?? null,
    familyName: name?.familyName ?? null,
    active: given.active ?? undefined,
  };
}

/** The value, or a 400 `invalidValue` with the first reason. */
export function requireValid<T>(schema: z.ZodType<T>, body: unknown, kind: string): T {
  if (!isScimRecord(body)) throw scimError('invalidSyntax', `The body is no ${kind}: expected an object`);
  const parsed = schema.safeParse(withCanonicalNames(body));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw scimError('invalidValue', `${issue?.path.join('.') ?? kind}: ${issue?.message ?? 'invalid'}`);
}

const VERSION_LENGTH = 20;

/** The weak version of a resource: another one for other content. */
const versionOf = (content: ScimRecord): string =>
  `W/"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, VERSION_LENGTH)}"`;

/** The resource of a member. `urlOf` is the URL of a path of the protocol. */
export function toUserResource(row: DirectoryUserRow, urlOf: (path: string) => string): VersionedResource {
  const content = {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.user_name,
    name: {
      formatted: row.formatted_name,
      ...(row.family_name !== null && { familyName: row.family_name }),
      ...(row.given_name !== null && { givenName: row.given_name }),
    },
    displayName: row.name,
    active: row.deactivated_at === null,
    emails: [{ value: row.email, type: 'work', primary: true }],
    groups: row.groups.map(({ value, display }) => ({ value, $ref: urlOf(`/Groups/${value}`), display })),
  };
  return {
    ...content,
    meta: {
      resourceType: 'User',
      created: isoTimestamp(row.created_at),
      lastModified: isoTimestamp(row.updated_at),
      location: urlOf(`/Users/${row.id}`),
      version: versionOf(content),
    },
  };
}
