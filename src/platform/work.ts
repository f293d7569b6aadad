import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { TenantCipher } from './crypto/cipher.ts';
import type { Keyring } from './crypto/keyring.ts';
import type { Tx } from './db/database.ts';
import { execute, transact, type Db, type Opened } from './db/transact.ts';
import type { Bell, Ring } from './jobs/bell.ts';
import type { Log } from './log.ts';
import type { Tenant } from './tenant.ts';

/** What the platform gives to every slice. `App` adds the outside systems. */
export interface Platform {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly log: Log;
  readonly bell: Bell;
}

/** One piece of work: one transaction, one tenant, one moment. */
export interface Work {
  readonly tx: Tx;
  readonly tenant: Tenant;
  /** The tenant's moment: the clock's, moved by as much as the team has moved its sandbox. */
  readonly now: Date;
  /** How far the tenant's clock is ahead of the system's, in milliseconds; 0 in production. */
  readonly clockOffsetMs: number;
  /** Seals and opens the private columns of this tenant. */
  readonly cipher: TenantCipher;
  /** Who is to be woken when, and only when, this work is committed. */
  readonly rings: Set<Ring>;
}

/** Runs `run` in one transaction that can see and write the rows of one tenant only. */
export const inTenant = <T>(app: Platform, tenant: Tenant, run: (work: Work) => Promise<T>): Promise<T> =>
  tenantWork(app, tenant, { readOnly: false, run });

/** The same for reading: the database refuses a write. */
export const readTenant = <T>(app: Platform, tenant: Tenant, run: (work: Work) => Promise<T>): Promise<T> =>
  tenantWork(app, tenant, { readOnly: true, run });

interface TenantWork<T> {
  readOnly: boolean;
  run: (work: Work) => Promise<T>;
}

async function tenantWork<T>(app: Platform, tenant: Tenant, { readOnly, run }: TenantWork<T>): Promise<T> {
  const cipher = app.keyring.atHand(tenant) ?? (await app.keyring.of(tenant));
  const rings = new Set<Ring>();
  const value = await transact(app.db, { statements: openTenant(tenant), readOnly }, (tx, opened) => {
    const clockOffsetMs = offsetOf(opened);
    const now = new Date(app.clock.now().getTime() + clockOffsetMs);
    rings.clear();
    return run({ tx, tenant, now, clockOffsetMs, cipher, rings });
  });
  for (const ring of rings) app.bell.ring(ring);
  return value;
}

/**
 * Goes on as a tenant inside a transaction of the system's: how a new tenant gets its first rows
 * together with itself. The transaction stays the tenant's until it ends.
 */
export async function enterTenant<T>(
  app: Platform,
  { tx, tenant, cipher }: { tx: Tx; tenant: Tenant; cipher: TenantCipher },
  run: (work: Work) => Promise<T>,
): Promise<T> {
  for (const statement of openTenant({ ...tenant }).split(';')) await execute(tx, statement);
  const rings = new Set<Ring>();
  return run({ tx, tenant, now: app.clock.now(), clockOffsetMs: 0, cipher, rings });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The tenant goes into the text of the statements, so it is checked here once more, whoever gave it. */
function openTenant({ teamId, environment }: Tenant): string {
  if (!UUID.test(teamId)) throw new Error('A team id is a UUID in lower case');
  const settings =
    `SET LOCAL ROLE aliquot_tenant;SET LOCAL aliquot.team_id='${teamId}';` +
    `SET LOCAL aliquot.environment='${environment === 'sandbox' ? 'sandbox' : 'production'}'`;
  return environment === 'sandbox' ? `${settings};SELECT clock_offset_ms FROM team_environment` : settings;
}

function offsetOf(opened: Opened): number {
  const offset = opened?.['clock_offset_ms'];
  return typeof offset === 'number' ? offset : 0;
}
