import { setTimeout as sleep } from 'node:timers/promises';
import {
  GrantLost,
  ProviderAway,
  ProviderBusy,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { applicationOf } from './application.ts';
import { connectionOf, sealConnection, type Connection } from './connection.ts';
import { failConnection, faultOf } from './fail.ts';
import * as store from './store.ts';

/** A connection that somebody wants to ask. */
interface Wanted {
  readonly id: string;
  /** The access token that the provider did not take. */
  readonly refused?: string;
  /** It was removed, and its grant is to be taken back. */
  readonly removed?: boolean;
}

/** A token that ends so soon is renewed first: a page of history may take as long. */
const SPARE_MS = 2 * MINUTE;
/** Who renews is given so long; if it was killed, another may try then. */
const RENEWING_MS = MINUTE;
/** So often, and after so long each, it is tried to write down what a provider gave: within the time, with its answer. */
const KEEP_TRIES = 25;
const KEEP_AGAIN_MS = 1000;
const LOOK_EVERY_MS = 100;
const LOOKS = 300;

/** So long after the access token ended somebody may mend the application; then the connection fails. */
const MENDING_MS = 7 * DAY;
const MENDED_AFTER_SECONDS = HOUR / SECOND;

/**
 * The provider does not take the application by its credentials, or there is none. That is a mistake of who runs it, for
 * which no user should have to connect anew: the grant is kept, and tried again.
 */
export class ApplicationRefused extends ProviderBusy {}

/** A connection that can be asked now, with all that asking takes. */
export interface Asking {
  readonly connection: Connection;
  readonly grant: Grant;
  readonly body: WearableProvider;
  readonly application: ProviderApplication;
}

/**
 * The connection with a grant that holds for a while, renewed where it would not. However many want it at once, one of
 * them asks the provider: a refresh token is good for one use, and a second would lose the grant. Undefined where the
 * connection is not to be asked; one whose grant is lost has failed then. Throws what the port may throw, a lost grant
 * only of what was removed.
 */
export async function openForAsking(app: App, tenant: Tenant, wanted: Wanted): Promise<Asking | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await claim(app, tenant, wanted);
    if (found === 'gone') return undefined;
    const asking = found === 'busy' ? await sleep(LOOK_EVERY_MS) : await ask(app, tenant, found);
    if (asking) return asking;
  }
  throw new ProviderAway('Somebody else renews the token and does not come to an end');
}

interface Claimed {
  readonly connection: Connection;
  readonly grant: Grant;
  /** It is ours to renew. */
  readonly stale: boolean;
}

/** The row is locked while it is looked at: one of many that find the grant stale takes it upon itself. */
function claim(
  app: App,
  tenant: Tenant,
  { id, refused, removed = false }: Wanted,
): Promise<Claimed | 'gone' | 'busy'> {
  const wall = app.clock.now();
  return inTenant(app, tenant, async (work) => {
    const row = await store.lockAny(work, id);
    if (!row || (removed ? !row.removed_at : row.removed_at || row.status !== 'connected')) return 'gone';
    const connection = connectionOf(work.cipher, row);
    const { grant } = connection;
    if (!grant) return 'gone';
    const isRenewed = row.renewing_until !== null && row.renewing_until > wall;
    // The old one cannot be taken back any more, and the new one would stay.
    if (removed && isRenewed) return 'busy';
    // To take a grant back not everybody needs an access token that lives; who does says so.
    const ends = !removed && grant.expiresAt !== null && grant.expiresAt < later(wall, SPARE_MS);
    const stale = ends || grant.accessToken === refused;
    if (!stale) return { connection, grant, stale };
    if (isRenewed) return 'busy';
    await store.change(work, id, { renewing_until: later(wall, RENEWING_MS) });
    return { connection, grant, stale };
  });
}

/** Undefined where another look is needed: the user has connected anew meanwhile, or the grant is lost. */
async function ask(
  app: App,
  tenant: Tenant,
  { connection, grant, stale }: Claimed,
): Promise<Asking | undefined> {
  const { id, removed_at: removedAt } = connection;
  let held = grant;
  try {
    const asking = { connection, grant, ...(await meansOf(app, tenant, connection.provider)) };
    if (!stale) return asking;
    held = await asking.body.refresh(asking.application, grant);
    const isKept = await keepRenewed(app, tenant, { id, from: grant, to: held });
    return isKept ? { ...asking, grant: held } : undefined;
  } catch (error) {
    await inTenant(app, tenant, (work) => endRenewal(work, { id, from: grant, to: held }));
    if (!(error instanceof GrantLost) || removedAt) throw error;
    if (isMendable(error, grant, app.clock.now())) {
      throw new ApplicationRefused(MENDED_AFTER_SECONDS, error.message);
    }
    const failing = { id, fault: faultOf(error), message: error.message, accessToken: grant.accessToken };
    await inTenant(app, tenant, (work) => failConnection(work, failing));
    return undefined;
  }
}

const isMendable = ({ fault }: GrantLost, { expiresAt }: Grant, now: Date): boolean =>
  fault === 'provider_credential_error' && expiresAt !== null && now < later(expiresAt, MENDING_MS);

async function meansOf(
  app: App,
  tenant: Tenant,
  provider: string,
): Promise<Pick<Asking, 'body' | 'application'>> {
  const body = app.wearableProviders.find(provider);
  const application = body && (await applicationOf(app, tenant, provider));
  if (body && application) return { body, application };
  throw new GrantLost('provider_credential_error', `There is no application for ${provider}`);
}

interface Renewal {
  readonly id: string;
  readonly from: Grant;
  readonly to: Grant;
}

/** The provider takes the old tokens no more: a database that is away for a moment must not cost the user the grant. */
async function keepRenewed(app: App, tenant: Tenant, renewal: Renewal): Promise<boolean> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await inTenant(app, tenant, (work) => endRenewal(work, renewal));
    } catch (error) {
      if (tried === KEEP_TRIES) throw error;
      app.log.warn({ connection_id: renewal.id, err: error }, 'a renewed grant is not written down yet');
      await sleep(KEEP_AGAIN_MS);
    }
  }
}

/**
 * Writes down the grant that it has now, removed or not; answers false where the user has connected anew meanwhile, and
 * leaves it alone.
 */
async function endRenewal(work: Work, { id, from, to }: Renewal): Promise<boolean> {
  const row = await store.lockAny(work, id);
  if (!row) return false;
  const { grant, faultMessage } = connectionOf(work.cipher, row);
  if (grant?.accessToken !== from.accessToken) return false;
  const sealed = sealConnection(work.cipher, { grant: to, faultMessage });
  await store.change(work, id, { private: sealed, renewing_until: null });
  return true;
}
