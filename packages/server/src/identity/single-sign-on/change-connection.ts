import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, invalidField, requireFound } from '../../platform/errors.ts';
import { beginToRequireSingleSignOn, endSingleSignOnSessions } from '../accounts/accounts.ts';
import { lockOrganization, writeAuditEntry, type AuditActor } from '../management/management.ts';
import * as store from '../sso-connections/sso-connections.ts';
import { sealClientSecret } from './client-secret.ts';
import {
  enforcedConnection,
  getConnection,
  requireIssuer,
  requireOwnDomains,
  requireSecret,
  toConnectionAudit,
} from './connections.ts';
import type { ChangeSsoConnection } from './schema.ts';

interface ConnectionChange {
  readonly orgId: string;
  readonly id: string;
  readonly change: ChangeSsoConnection;
  /** The session of the author, which stays when single sign-on is enforced. */
  readonly sessionId: string | undefined;
  readonly by: AuditActor;
}

/**
 * Changes a connection. Another issuer unlinks its accounts, because their names are those of the old one. What no
 * longer holds ends sessions: another issuer and turning off those of the connection, enforcing those that began
 * otherwise. 422 for an issuer that cannot be used; 409 for enforcing what nobody has signed in with.
 */
export async function changeConnection(
  app: App,
  { orgId, id, change, sessionId, by }: ConnectionChange,
): Promise<store.SsoConnectionRow> {
  const known = await getConnection(app, { orgId, id });
  if (isAnother(change.issuer, known.issuer)) await requireIssuer(app, change.issuer);
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const before = requireFound(await store.findConnection(tx, orgId, id), 'Connection');
    const after = await applyChange(app, tx, { before, change });
    if (after.is_enforced && !after.is_active) throw enforcedConnection();
    if (change.domains) await requireOwnDomains(tx, { orgId, id, domains: after.domains });
    if (before.issuer !== after.issuer || (before.is_active && !after.is_active))
      await endSingleSignOnSessions(tx, await store.listLinkedMembers(tx, id));
    if (before.issuer !== after.issuer) await store.deleteIdentities(tx, id);
    if (after.is_enforced && (!before.is_enforced || change.domains))
      await enforce(tx, { row: after, keptSessionId: sessionId });
    const { id: _id, org_id: _org, ...columns } = after;
    await store.changeConnection(tx, id, columns);
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'sso_connection.update',
      subject: id,
      before: toConnectionAudit(before),
      after: { ...toConnectionAudit(after), ...(change.client_secret && { client_secret: 'replaced' }) },
      at: after.changed_at,
    });
    return after;
  });
}

const isAnother = (given: string | null | undefined, known: string): given is string =>
  given !== undefined && given !== null && given !== known;

async function applyChange(
  app: App,
  tx: Tx,
  { before, change }: { before: store.SsoConnectionRow; change: ChangeSsoConnection },
): Promise<store.SsoConnectionRow> {
  const method = change.client_authentication ?? before.client_authentication;
  return {
    ...before,
    name: change.name ?? before.name,
    issuer: change.issuer ?? before.issuer,
    client_id: change.client_id ?? before.client_id,
    client_authentication: method,
    client_secret: await chooseSecret(app, tx, { before, change, method }),
    domains: change.domains ?? before.domains,
    is_active: change.is_active ?? before.is_active,
    is_enforced: change.is_enforced ?? before.is_enforced,
    default_role: change.default_role === undefined ? before.default_role : change.default_role,
    changed_at: app.clock.now(),
  };
}

interface SecretChoice {
  readonly before: store.SsoConnectionRow;
  readonly change: ChangeSsoConnection;
  readonly method: store.SsoConnectionRow['client_authentication'];
}

/** The secret of one provider is never sent to another one. */
async function chooseSecret(
  app: App,
  tx: Tx,
  { before, change, method }: SecretChoice,
): Promise<Buffer | null> {
  const secret = change.client_secret ?? undefined;
  if (method !== 'none' && secret === undefined && isAnother(change.issuer, before.issuer))
    throw invalidField(['body', 'client_secret'], 'Required with another issuer');
  requireSecret(method, secret ?? (method === 'none' ? undefined : before.client_secret));
  if (method === 'none') return null;
  if (secret === undefined) return before.client_secret;
  return sealClientSecret(app, tx, { orgId: before.org_id, id: before.id, secret });
}

/** 409 before a member has signed in with it, so that a wrong setting locks nobody out. */
async function enforce(
  tx: Tx,
  { row, keptSessionId }: { row: store.SsoConnectionRow; keptSessionId: string | undefined },
): Promise<void> {
  const linked = await store.listLinkedMembers(tx, row.id);
  if (linked.length === 0)
    throw new DomainError(
      'conflict',
      'Nobody has signed in with this connection yet: do that before you enforce it',
    );
  await beginToRequireSingleSignOn(tx, { orgId: row.org_id, domains: row.domains, keptSessionId });
}
