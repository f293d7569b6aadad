import { z } from 'zod';
import {
  CLIENT_AUTHENTICATION_METHODS,
  type ClientAuthenticationMethod,
} from '../../adapters/identity-provider/port.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { DisplayName } from '../organizations/organizations.ts';
import { DomainName } from '../organizations/schema.ts';
import type { DefaultRole, SsoConnectionRow } from '../sso-connections/sso-connections.ts';

export const OrgPath = z.object({ org_id: z.guid() });
export const ConnectionPath = OrgPath.extend({ connection_id: z.guid() });
export const MemberPath = OrgPath.extend({ member_id: z.guid() });

const DOMAINS_MAX = 20;
const URL_MAX = 500;
const TEXT_MAX = 500;

const DEFAULT_ROLES = [
  'developer',
  'operations',
  'clinician',
  'readonly',
  'support',
] as const satisfies readonly DefaultRole[];

const Issuer = z
  .url({ protocol: /^https?$/ })
  .max(URL_MAX)
  .regex(/^[^?#@\s]+$/, 'expected a URL without a user name, query or fragment');
/** Printable ASCII, as in an HTTP header. */
const ClientText = z
  .string()
  .min(1)
  .max(TEXT_MAX)
  .regex(/^[\x21-\x7e]+$/, 'expected no spaces');
const ClientAuthentication = z.enum(CLIENT_AUTHENTICATION_METHODS);
const Domains = z
  .array(DomainName)
  .min(1)
  .max(DOMAINS_MAX)
  .transform((domains) => [...new Set(domains)]);

const described = {
  name: 'How members know the identity provider.',
  issuer: 'The issuer identifier of the provider (https), exactly as its discovery document names it.',
  clientId: 'The client id that the provider gave to this service.',
  clientSecret: 'The client secret. It is encrypted and never returned.',
  clientAuthentication:
    'How this service authenticates at the token endpoint; `none` for a client without a secret, which PKCE protects.',
  domains:
    'The domains of the e-mail addresses whose accounts may become members. The organization must have verified them.',
  isActive: 'Whether members can sign in with it.',
  isEnforced:
    'Whether members with an address of the domains can sign in in no other way. An owner can still use the password with a recovery code.',
  defaultRole:
    'The role of members who are created at their first sign-in; null: only members and invited people can sign in.',
};

export const CreateSsoConnection = z
  .object({
    name: DisplayName.describe(described.name),
    issuer: Issuer.describe(described.issuer),
    client_id: ClientText.describe(described.clientId),
    client_secret: ClientText.nullish().describe(`${described.clientSecret} Required unless \`none\`.`),
    client_authentication: ClientAuthentication.default('client_secret_basic').describe(
      described.clientAuthentication,
    ),
    domains: Domains.describe(described.domains),
    is_active: z.boolean().default(true).describe(described.isActive),
    default_role: z.enum(DEFAULT_ROLES).nullish().describe(described.defaultRole),
  })
  .meta({ id: 'CreateSsoConnection' });

export const ChangeSsoConnection = z
  .object({
    name: DisplayName.nullish().describe(`${described.name} Null or omitted keeps it.`),
    issuer: Issuer.nullish().describe(
      `${described.issuer} Null or omitted keeps it. Another one needs the client secret again, unlinks all accounts and ends their sessions.`,
    ),
    client_id: ClientText.nullish().describe(`${described.clientId} Null or omitted keeps it.`),
    client_secret: ClientText.nullish().describe(`${described.clientSecret} Null or omitted keeps it.`),
    client_authentication: ClientAuthentication.nullish().describe(
      `${described.clientAuthentication} Null or omitted keeps it.`,
    ),
    domains: Domains.nullish().describe(`${described.domains} Null or omitted keeps them.`),
    is_active: z.boolean().nullish().describe(`${described.isActive} Null or omitted keeps it.`),
    is_enforced: z.boolean().nullish().describe(`${described.isEnforced} Null or omitted keeps it.`),
    default_role: z.enum(DEFAULT_ROLES).nullish().describe(`${described.defaultRole} Omitted keeps it.`),
  })
  .meta({ id: 'ChangeSsoConnection' });
export type ChangeSsoConnection = z.output<typeof ChangeSsoConnection>;

export const SsoConnectionView = z
  .object({
    id: z.uuid().describe('The connection.'),
    name: z.string().describe(described.name),
    issuer: z.string().describe(described.issuer),
    client_id: z.string().describe(described.clientId),
    client_authentication: ClientAuthentication.describe(described.clientAuthentication),
    domains: z.array(z.string()).describe(described.domains),
    is_active: z.boolean().describe(described.isActive),
    is_enforced: z.boolean().describe(described.isEnforced),
    default_role: z.enum(DEFAULT_ROLES).nullable().describe(described.defaultRole),
    redirect_uri: z.string().describe('The redirect URI to be registered at the provider.'),
    sign_in_url: z.string().describe('The page where members sign in with this connection.'),
    created_at: Timestamp.describe('When the connection was created.'),
    changed_at: Timestamp.describe('When the connection was last changed.'),
  })
  .meta({ id: 'SsoConnection' });

export const SsoConnectionList = z
  .object({
    redirect_uri: z.string().describe('The redirect URI of the organization, for all its connections.'),
    connections: z.array(SsoConnectionView).describe('The connections, oldest first.'),
  })
  .meta({ id: 'SsoConnectionList' });

export interface ConnectionUrls {
  readonly redirectUri: string;
  readonly signInUrl: string;
}

export const toConnectionView = (
  row: SsoConnectionRow,
  { redirectUri, signInUrl }: ConnectionUrls,
): z.input<typeof SsoConnectionView> => ({
  id: row.id,
  name: row.name,
  issuer: row.issuer,
  client_id: row.client_id,
  client_authentication: row.client_authentication satisfies ClientAuthenticationMethod,
  domains: row.domains,
  is_active: row.is_active,
  is_enforced: row.is_enforced,
  default_role: row.default_role,
  redirect_uri: redirectUri,
  sign_in_url: signInUrl,
  created_at: isoTimestamp(row.created_at),
  changed_at: isoTimestamp(row.changed_at),
});

const RETURN_MAX = 500;

/** Within this service: browsers read `//host` and `/\host` as other sites, and ignore tabs and line breaks. */
const isOwnPath = (path: string): boolean => /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes('\\');

export const ReturnTo = z
  .string()
  .max(RETURN_MAX)
  .refine(isOwnPath, 'expected a path of this service that begins with one slash')
  .nullish()
  .describe(
    'A path of this service to which the browser goes when the member has signed in. Default: a page that says so.',
  );
