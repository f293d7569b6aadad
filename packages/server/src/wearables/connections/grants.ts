import { setTimeout as sleep } from 'node:timers/promises';
import {
  GrantLostError,
  ProviderUnavailableError,
  ProviderRateLimitedError,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { loadApplication, notConfigured } from './application.ts';
import { openConnection, sealConnectionSecrets, type ProviderConnection } from './connection.ts';
import { failConnection, toConnectionErrorType } from './fail.ts';
import * as store from './store.ts';

/** A request to use a connection. */
interface AuthorizationRequest {
  readonly id: string;
  /** The access token that the provider rejected. */
  readonly refused?: string;
  /** The connection was removed, and its grant is to be revoked. */
  readonly removed?: boolean;
}

/** A token that expires within this margin is renewed first: a page of history may take as long. */
const EXPIRY_MARGIN_MS = 2 * MINUTE;
/** The lease of a renewal. If its process is killed, another may try after this time. */
const RENEWAL_LEASE_MS = MINUTE;
/** How often, and at which interval, saving a renewed grant is tried: all within the lease. */
const SAVE_ATTEMPTS = 25;
const SAVE_RETRY_MS = 1000;
const POLL_INTERVAL_MS = 100;
const POLLS_MAX = 300;

/** How long after the token expires the application's credentials can be fixed; then the connection fails. */
const RECOVERY_WINDOW_MS = 7 * DAY;
const RECOVERY_RETRY_SECONDS = HOUR / SECOND;

/**
 * The provider rejects the application's credentials, or there is no application. That is an operator's mistake, which
 * must not force users to connect again: the grant is kept and retried.
 */
export class ApplicationCredentialError extends ProviderRateLimitedError {}

/** A connection with a valid grant, and everything that a request to its provider needs. */
export interface AuthorizedConnection {
  readonly connection: ProviderConnection;
  readonly grant: Grant;
  readonly body: WearableProvider;
  readonly application: ProviderApplication;
}

/**
 * Returns the connection with a grant that is valid for a while, renewing it if necessary. Of concurrent callers,
 * exactly one sends the refresh: a refresh token is good for one use, and a second use would lose the grant. The others
 * poll until the renewal lease ends. Returns undefined if the connection must not be used; if its grant was lost, it
 * has been marked as failed. Throws the errors of the port; a lost grant is thrown only for a removed connection.
 */
export async function authorizeConnection(
  app: App,
  tenant: Tenant,
  wanted: AuthorizationRequest,
): Promise<AuthorizedConnection | undefined> {
  for (let look = 0; look < POLLS_MAX; look += 1) {
    const found = await claimGrant(app, tenant, wanted);
    if (found === 'gone') return undefined;
    const asking = found === 'busy' ? await sleep(POLL_INTERVAL_MS) : await renewIfStale(app, tenant, found);
    if (asking) return asking;
  }
  throw new ProviderUnavailableError('Another process is renewing the token and has not finished');
}

interface GrantClaim {
  readonly connection: ProviderConnection;
  readonly grant: Grant;
  /** The caller holds the lease and must renew it. */
  readonly stale: boolean;
}

/** Locks the row to inspect it, so that only one of the callers that find the grant stale takes the lease. */
function claimGrant(
  app: App,
  tenant: Tenant,
  { id, refused, removed = false }: AuthorizationRequest,
): Promise<GrantClaim | 'gone' | 'busy'> {
  const wall = app.clock.now();
  return inTenant(app, tenant, async (work) => {
    const row = await store.lockIncludingRemoved(work, id);
    if (!row || (removed ? !row.removed_at : row.removed_at || row.status !== 'connected')) return 'gone';
    const connection = openConnection(work.cipher, row);
    const { grant } = connection;
    if (!grant) return 'gone';
    const isRenewed = row.renewing_until !== null && row.renewing_until > wall;
    // The old grant can no longer be revoked, and the new one would stay.
    if (removed && isRenewed) return 'busy';
    // Not every provider needs a valid access token to revoke a grant; those that do reject the expired one.
    const ends = !removed && grant.expiresAt !== null && grant.expiresAt < later(wall, EXPIRY_MARGIN_MS);
    const stale = ends || grant.accessToken === refused;
    if (!stale) return { connection, grant, stale };
    if (isRenewed) return 'busy';
    await store.update(work, id, { renewing_until: later(wall, RENEWAL_LEASE_MS) });
    return { connection, grant, stale };
  });
}

/** Undefined if the row must be read again: the user connected again meanwhile, or the grant is lost. */
async function renewIfStale(
  app: App,
  tenant: Tenant,
  { connection, grant, stale }: GrantClaim,
): Promise<AuthorizedConnection | undefined> {
  const { id, removed_at: removedAt } = connection;
  let held = grant;
  try {
    const asking = { connection, grant, ...(await requireApplication(app, tenant, connection.provider)) };
    if (!stale) return asking;
    held = await asking.body.refresh(asking.application, grant);
    const isKept = await saveRenewedGrant(app, tenant, { id, from: grant, to: held });
    return isKept ? { ...asking, grant: held } : undefined;
  } catch (error) {
    await inTenant(app, tenant, (work) => finishRenewal(work, { id, from: grant, to: held }));
    if (!(error instanceof GrantLostError) || removedAt) throw error;
    if (isRecoverable(error, grant, app.clock.now())) {
      throw new ApplicationCredentialError(RECOVERY_RETRY_SECONDS, error.message);
    }
    const failing = {
      id,
      fault: toConnectionErrorType(error),
      message: error.message,
      accessToken: grant.accessToken,
    };
    await inTenant(app, tenant, (work) => failConnection(work, failing));
    return undefined;
  }
}

const isRecoverable = ({ fault }: GrantLostError, { expiresAt }: Grant, now: Date): boolean =>
  fault === 'provider_credential_error' && expiresAt !== null && now < later(expiresAt, RECOVERY_WINDOW_MS);

async function requireApplication(
  app: App,
  tenant: Tenant,
  provider: string,
): Promise<Pick<AuthorizedConnection, 'body' | 'application'>> {
  const body = app.wearableProviders.find(provider);
  const application = body && (await loadApplication(app, tenant, provider));
  if (body && application) return { body, application };
  throw new GrantLostError('provider_credential_error', notConfigured(provider));
}

interface GrantRenewal {
  readonly id: string;
  readonly from: Grant;
  readonly to: Grant;
}

/** The provider no longer accepts the old tokens: a short database outage must not cost the user the grant. */
async function saveRenewedGrant(app: App, tenant: Tenant, renewal: GrantRenewal): Promise<boolean> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await inTenant(app, tenant, (work) => finishRenewal(work, renewal));
    } catch (error) {
      if (tried === SAVE_ATTEMPTS) throw error;
      app.log.warn({ connection_id: renewal.id, err: error }, 'saving a renewed grant failed, retrying');
      await sleep(SAVE_RETRY_MS);
    }
  }
}

/**
 * Saves the current grant and ends the lease, whether or not the connection is removed. Returns false, and changes
 * nothing, if the user connected again meanwhile.
 */
async function finishRenewal(work: Work, { id, from, to }: GrantRenewal): Promise<boolean> {
  const row = await store.lockIncludingRemoved(work, id);
  if (!row) return false;
  const { grant, faultMessage } = openConnection(work.cipher, row);
  if (grant?.accessToken !== from.accessToken) return false;
  const sealed = sealConnectionSecrets(work.cipher, { grant: to, faultMessage });
  await store.update(work, id, { private: sealed, renewing_until: null });
  return true;
}
