import { IdentityProviderError } from '../../adapters/identity-provider/port.ts';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, invalidField, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { endSingleSignOnSessions } from '../accounts/accounts.ts';
import { lockOrganization, writeAuditEntry, type AuditActor } from '../management/management.ts';
import { listVerifiedDomains } from '../organizations/organizations.ts';
import * as store from '../sso-connections/sso-connections.ts';
import { sealClientSecret } from './client-secret.ts';
import type { ConnectionUrls } from './schema.ts';

/** The limit per organization; the list has no pages. */
export const CONNECTIONS_MAX = 20;

/** The organization is in the redirect URI, so that no answer reaches the flow of another one. */
export const connectionUrls = ({ config }: App, orgId: string, id: string): ConnectionUrls => ({
  redirectUri: publicUrl(config, `/sso/${orgId}/callback`),
  signInUrl: publicUrl(config, `/sso?connection=${id}`),
});

interface NewConnection extends Pick<
  store.SsoConnectionRow,
  'name' | 'issuer' | 'client_id' | 'client_authentication' | 'domains' | 'is_active' | 'default_role'
> {
  readonly orgId: string;
  readonly clientSecret: string | undefined;
  readonly by: AuditActor;
}

/** Creates a connection. 422 for an issuer that cannot be used, and for domains that are not verified. */
export async function createConnection(app: App, given: NewConnection): Promise<store.SsoConnectionRow> {
  const { orgId, clientSecret, by, ...columns } = given;
  requireSecret(columns.client_authentication, clientSecret);
  await requireIssuer(app, columns.issuer);
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const all = await store.listConnections(tx, orgId, CONNECTIONS_MAX);
    if (all.length >= CONNECTIONS_MAX)
      throw new DomainError('conflict', `The organization already has ${CONNECTIONS_MAX} connections`);
    const id = newId();
    await requireOwnDomains(tx, { orgId, id, domains: columns.domains });
    const at = app.clock.now();
    const sealed =
      clientSecret === undefined
        ? null
        : await sealClientSecret(app, tx, { orgId, id, secret: clientSecret });
    const stored = { ...columns, is_enforced: false, client_secret: sealed, created_at: at, changed_at: at };
    const row = { id, org_id: orgId, ...stored };
    await store.insertConnection(tx, row);
    const entry = { action: 'sso_connection.create', subject: id, after: toConnectionAudit(row), at };
    await writeAuditEntry(tx, { ...by, orgId, ...entry });
    return row;
  });
}

/** 422 where a secret is missing, or given to a client without one. */
export function requireSecret(
  method: store.SsoConnectionRow['client_authentication'],
  secret: unknown,
): void {
  if (method !== 'none' && (secret === undefined || secret === null))
    throw invalidField(['body', 'client_secret'], 'Required, unless client_authentication is none');
  if (method === 'none' && typeof secret === 'string')
    throw invalidField(['body', 'client_secret'], 'expected none, because client_authentication is none');
}

/** 422 with what is wrong for an issuer without a usable discovery document. */
export async function requireIssuer(app: App, issuer: string): Promise<void> {
  try {
    await app.identityProviders.checkIssuer(issuer);
  } catch (error) {
    if (!(error instanceof IdentityProviderError)) throw error;
    throw invalidField(['body', 'issuer'], error.message);
  }
}

/**
 * 422 for a domain that the organization has not verified: else it could claim the addresses of others. 409 for one of
 * another connection. The organization must be locked.
 */
export async function requireOwnDomains(
  tx: Tx,
  { orgId, id, domains }: { orgId: string; id: string; domains: readonly string[] },
): Promise<void> {
  const verified = new Set(await listVerifiedDomains(tx, orgId));
  const index = domains.findIndex((domain) => !verified.has(domain));
  if (index >= 0)
    throw invalidField(
      ['body', 'domains', index],
      'expected a domain that the organization has verified: add it as a domain, and verify it',
    );
  const others = (await store.listConnections(tx, orgId, CONNECTIONS_MAX)).filter((other) => other.id !== id);
  for (const { name, domains: taken } of others) {
    const both = taken.find((domain) => domains.includes(domain));
    if (both !== undefined)
      throw new DomainError('conflict', `The connection "${name}" already has the domain ${both}`);
  }
}

/** Without the secret. */
export const toConnectionAudit = (row: Omit<store.SsoConnectionRow, 'id' | 'org_id'>) => ({
  name: row.name,
  issuer: row.issuer,
  client_id: row.client_id,
  client_authentication: row.client_authentication,
  domains: row.domains,
  is_active: row.is_active,
  is_enforced: row.is_enforced,
  default_role: row.default_role,
});

export const getConnection = (
  app: App,
  { orgId, id }: { orgId: string; id: string },
): Promise<store.SsoConnectionRow> =>
  asSystem(app.db, async (tx) => requireFound(await store.findConnection(tx, orgId, id), 'Connection'));

/** Deletes a connection, and ends the sessions that began with it. 409 for one that is enforced. */
export function deleteConnection(
  app: App,
  { orgId, id, by }: { orgId: string; id: string; by: AuditActor },
): Promise<void> {
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const row = requireFound(await store.findConnection(tx, orgId, id), 'Connection');
    if (row.is_enforced) throw enforcedConnection();
    await endSingleSignOnSessions(tx, await store.listLinkedMembers(tx, row.id));
    await store.deleteConnection(tx, row.id);
    const entry = { action: 'sso_connection.delete', subject: row.id, before: toConnectionAudit(row) };
    await writeAuditEntry(tx, { ...by, orgId, ...entry, at: app.clock.now() });
  });
}

export const enforcedConnection = () =>
  new DomainError('conflict', 'The connection is enforced: set is_enforced to false first');
