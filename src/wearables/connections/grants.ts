import { setTimeout as sleep } from 'node:timers/promises';
import {
  GrantLost,
  ProviderAway,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant } from '../../platform/work.ts';
import { applicationOf } from './application.ts';
import { connectionOf, sealConnection, type Connection } from './connection.ts';
import * as store from './store.ts';

/** A connection that somebody wants to ask; `refused` is the access token that the provider did not take. */
interface Wanted {
  readonly id: string;
  readonly refused?: string | undefined;
}

/** A token that ends so soon is renewed first: a page of history may take as long. */
const SPARE_MS = 2 * MINUTE;
/** Who renews is given so long; if it was killed, another may try then. */
const RENEWING_MS = MINUTE;
const LOOK_EVERY_MS = 100;
const LOOKS = 300;

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
 * connection is not to be asked. Throws what the port may throw.
 */
export async function openForAsking(app: App, tenant: Tenant, wanted: Wanted): Promise<Asking | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await claim(app, tenant, wanted);
    if (found === 'gone') return undefined;
    if (found !== 'busy') return ask(app, tenant, found);
    await sleep(LOOK_EVERY_MS);
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
function claim(app: App, tenant: Tenant, { id, refused }: Wanted): Promise<Claimed | 'gone' | 'busy'> {
  const wall = app.clock.now();
  return inTenant(app, tenant, async (work) => {
    const row = await store.lock(work, id);
    if (!row || row.status !== 'connected') return 'gone';
    const connection = connectionOf(work.cipher, row);
    const { grant } = connection;
    if (!grant) return 'gone';
    const ends = grant.expiresAt !== null && grant.expiresAt < later(wall, SPARE_MS);
    const stale = ends || grant.accessToken === refused;
    if (!stale) return { connection, grant, stale };
    if (row.renewing_until && row.renewing_until > wall) return 'busy';
    await store.change(work, id, { renewing_until: later(wall, RENEWING_MS) });
    return { connection, grant, stale };
  });
}

async function ask(app: App, tenant: Tenant, { connection, grant, stale }: Claimed): Promise<Asking> {
  const { provider, id } = connection;
  const body = app.wearableProviders.find(provider);
  const application = body && (await applicationOf(app, tenant, provider));
  if (!body || !application) {
    throw new GrantLost('provider_credential_error', `There is no application for ${provider}`);
  }
  if (!stale) return { connection, grant, body, application };
  try {
    const renewed = await body.refresh(application, grant);
    await keep(app, tenant, { id, from: grant, to: renewed });
    return { connection, grant: renewed, body, application };
  } catch (error) {
    await inTenant(app, tenant, (work) => store.change(work, id, { renewing_until: null }));
    throw error;
  }
}

/** Writes the new grant down, unless the user has connected anew meanwhile. */
function keep(
  app: App,
  tenant: Tenant,
  { id, from, to }: { id: string; from: Grant; to: Grant },
): Promise<void> {
  return inTenant(app, tenant, async (work) => {
    const row = await store.lock(work, id);
    if (!row) return;
    const { grant, faultMessage } = connectionOf(work.cipher, row);
    if (grant?.accessToken !== from.accessToken) return;
    const sealed = sealConnection(work.cipher, { grant: to, faultMessage });
    await store.change(work, id, { private: sealed, renewing_until: null });
  });
}
