import { IdentityProviderError, type IdTokenClaims } from '../../adapters/identity-provider/port.ts';
import type { App } from '../../app.ts';
import { later, SECOND } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, type ErrorKind } from '../../platform/errors.ts';
import { openSessionIn, RECENT_MS, replaceSession, type OpenedSession } from '../accounts/accounts.ts';
import { writeAuditEntry } from '../management/management.ts';
import { findActiveConnection, type SsoConnectionRow } from '../sso-connections/sso-connections.ts';
import { toOidcClient } from './client-secret.ts';
import { connectionUrls } from './connections.ts';
import { SsoRefusal, type RefusalReason } from './refusal.ts';
import { consumeRequest, deriveSecrets } from './request.ts';
import type { SsoRequestRow } from './request-store.ts';
import { resolveMember } from './resolve-member.ts';

/** The clock of a provider may be this much behind. */
const CLOCK_TOLERANCE_MS = 30 * SECOND;

interface SsoCallback {
  /** In the path. */
  readonly orgId: string;
  readonly parameters: URLSearchParams;
  /** In the cookie. */
  readonly browserToken: string | undefined;
  readonly address: string;
  readonly userAgent: string | undefined;
}

interface CompletedSso {
  readonly opened: OpenedSession;
  /** A path of this service. */
  readonly returnTo: string | undefined;
}

interface CheckedCallback extends SsoCallback {
  readonly request: SsoRequestRow;
  readonly connection: SsoConnectionRow;
}

/**
 * Completes a single sign-on, or a new authentication of a session, when the browser comes back. Throws a SsoRefusal,
 * which is in the audit log of the organization, unless the browser has no request.
 */
export async function completeRequest(app: App, callback: SsoCallback): Promise<CompletedSso> {
  const { browserToken } = callback;
  const state = callback.parameters.get('state');
  if (browserToken === undefined || !state) throw new SsoRefusal('request_unknown');
  const request = await consumeRequest(app, { state, browserToken });
  if (!request) throw new SsoRefusal('request_unknown');
  const connection = await asSystem(app.db, (tx) => findActiveConnection(tx, request.connection_id));
  if (!connection) throw new SsoRefusal('connection_inactive');
  // An answer to another organization's redirect URI is one of another provider (mix-up).
  if (connection.org_id !== callback.orgId) throw new SsoRefusal('request_unknown');
  const checked = { ...callback, request, connection };
  try {
    const claims = await exchange(app, checked, { state, browserToken });
    const opened = await asSystem(app.db, (tx) => signIn(app, tx, { ...checked, claims }));
    return { opened, returnTo: request.return_to ?? undefined };
  } catch (error) {
    const refusal = toRefusal(error);
    if (!refusal) throw error;
    await auditRefusal(app, checked, { reason: refusal.reason, error });
    throw refusal;
  }
}

async function exchange(
  app: App,
  { connection, parameters }: CheckedCallback,
  tokens: { state: string; browserToken: string },
): Promise<IdTokenClaims> {
  const client = await asSystem(app.db, (tx) => toOidcClient(app, tx, connection));
  const { redirectUri } = connectionUrls(app, connection.org_id, connection.id);
  const { state } = tokens;
  const secrets = deriveSecrets(app, tokens);
  return app.identityProviders.exchangeCode({ client, redirectUri, state, parameters, ...secrets });
}

async function signIn(
  app: App,
  tx: Tx,
  { request, connection, claims, address, userAgent }: CheckedCallback & { readonly claims: IdTokenClaims },
): Promise<OpenedSession> {
  // It may have been turned off or deleted while the provider was asked.
  if (!(await findActiveConnection(tx, connection.id))) throw new SsoRefusal('connection_inactive');
  const memberId = await resolveMember(app, tx, { connection, claims, from: { address } });
  const origin = {
    method: 'sso' as const,
    address,
    userAgent,
    connectionId: connection.id,
    // A provider that does not tell may have asked for nothing today: then what is dangerous needs a new authentication.
    authenticatedAt: claims.authenticatedAt ?? later(app.clock.now(), -RECENT_MS),
  };
  if (request.session_id === null) return openSessionIn(app, tx, { memberId, origin });
  if (memberId !== request.member_id) throw new SsoRefusal('member_other');
  const since = later(request.created_at, -CLOCK_TOLERANCE_MS);
  if (!claims.authenticatedAt || claims.authenticatedAt < since) throw new SsoRefusal('authentication_old');
  const session = { memberId, sessionId: request.session_id };
  return replaceSession(app, tx, { session, origin });
}

function toRefusal(error: unknown): SsoRefusal | undefined {
  if (error instanceof SsoRefusal) return error;
  if (error instanceof IdentityProviderError) return new SsoRefusal(`provider_${error.fault}`);
  if (error instanceof DomainError && PERSONAL.has(error.kind)) return new SsoRefusal('member_inactive');
  return undefined;
}

/** What a member without access is told where a session is opened. */
const PERSONAL = new Set<ErrorKind>(['unauthorized', 'forbidden', 'not_found']);

async function auditRefusal(
  app: App,
  { connection, request, address }: CheckedCallback,
  { reason, error }: { reason: RefusalReason; error: unknown },
): Promise<void> {
  const { id: connectionId, org_id: orgId } = connection;
  app.log.info({ connection: connectionId, reason, err: error }, 'single sign-on was refused');
  await asSystem(app.db, (tx) =>
    writeAuditEntry(tx, {
      actor: 'service',
      address,
      orgId,
      action: 'session.fail',
      subject: request.member_id ?? connectionId,
      after: { method: 'sso', connection_id: connectionId, reason },
      at: app.clock.now(),
    }),
  );
}
