import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Db } from '../db/transact.ts';
import { asSystem } from '../db/transact.ts';
import type { Tx } from '../db/database.ts';
import { type Tenant, toTenantKey } from '../tenant.ts';
import { initialDataKeys, tenantCipher, type TenantCipher } from './cipher.ts';
import { toDataKeys, TENANT_KEY_COLUMNS, listTenantKeys, unwrapKeys, wrapKeys } from './key-store.ts';

/**
 * Envelope encryption: every tenant has its own data key, which is stored wrapped by ENCRYPTION_KEY. Changing
 * ENCRYPTION_KEY re-wraps the data keys (one or two rows per tenant) and touches no patient row.
 */
export interface Keyring {
  /**
   * The cipher of a tenant. Its data keys are read and unwrapped on first use, and again when the cached ones are older
   * than KEY_CACHE_TTL_MS, because another process may have added one. Inside a system transaction they are read in
   * that one: the holder of a connection must not wait for a second one.
   */
  cipherOf(tenant: Tenant, tx?: Tx): Promise<TenantCipher>;
  /** The cached cipher, without waiting; undefined if it is missing or stale. */
  cachedCipherOf(tenant: Tenant): TenantCipher | undefined;
  /** Creates the data key of a new tenant, in the transaction that creates the tenant. */
  create(tx: Tx, tenant: Tenant): Promise<TenantCipher>;
  /** Adds a data key that opens but does not seal yet. Returns its generation. */
  addKey(tx: Tx, tenant: Tenant): Promise<number>;
  /** Drops the cached keys of a tenant. */
  invalidate(tenant: Tenant): void;
  /** Derives a key for a purpose outside tenants, such as signing access tokens. */
  derive(purpose: string): Buffer;
  /**
   * Re-wraps every data key with ENCRYPTION_KEY. Keys that were wrapped by `previous` are opened with it. Returns the
   * number changed.
   */
  rewrap(previous: string | undefined): Promise<number>;
  /** Throws if the stored keys were wrapped by another ENCRYPTION_KEY. */
  check(): Promise<void>;
}

/** After this time every process has loaded a new data key, unless it had no database. */
export const KEY_CACHE_TTL_MS = 10_000;

const fingerprint = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 16);

/** Equivalent to `derive` of a keyring with this ENCRYPTION_KEY. */
export const deriveKey = (encryptionKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(encryptionKey, 'base64'), '', purpose, 32));

interface CachedCipher {
  readonly cipher: TenantCipher;
  /** On the monotonic clock of the process. */
  readonly readAt: number;
}

export function openKeyring(db: Db, encryptionKey: string): Keyring {
  const master = Buffer.from(encryptionKey, 'base64');
  const known = new Map<string, CachedCipher>();
  const loading = new Map<string, Promise<TenantCipher>>();

  const fresh = (tenant: Tenant): TenantCipher | undefined => {
    const one = known.get(toTenantKey(tenant));
    return one && performance.now() - one.readAt < KEY_CACHE_TTL_MS ? one.cipher : undefined;
  };

  async function load(tenant: Tenant, tx: Tx): Promise<TenantCipher> {
    const readAt = performance.now();
    const keys = toDataKeys(master, await listTenantKeys(tx, tenant));
    if (!keys) throw new Error(`Tenant ${toTenantKey(tenant)} has no data key`);
    const cipher = tenantCipher(keys, toTenantKey(tenant));
    known.set(toTenantKey(tenant), { cipher, readAt });
    return cipher;
  }

  /** Concurrent callers share one read when the cached keys are stale. */
  function loadAlone(tenant: Tenant): Promise<TenantCipher> {
    const name = toTenantKey(tenant);
    const running = loading.get(name);
    if (running) return running;
    const started = asSystem(db, (tx) => load(tenant, tx)).finally(() => loading.delete(name));
    loading.set(name, started);
    return started;
  }

  return {
    cipherOf: async (tenant, tx) => fresh(tenant) ?? (tx ? load(tenant, tx) : loadAlone(tenant)),
    cachedCipherOf: fresh,
    invalidate: (tenant) => void known.delete(toTenantKey(tenant)),
    derive: (purpose) => deriveKey(encryptionKey, purpose),
    create: (tx, tenant) => createFirstKey(tx, master, tenant),
    addKey: (tx, tenant) => createNextKey(tx, master, tenant),
    rewrap: (previous) => rewrapAll(db, master, previous),
    check: () => checkMasterKey(db, master),
  };
}

async function createFirstKey(tx: Tx, master: Buffer, tenant: Tenant): Promise<TenantCipher> {
  const dataKey = randomBytes(32);
  await insertKey(tx, master, { tenant, generation: 1, state: 'current', dataKey, indexKey: null });
  return tenantCipher(initialDataKeys(dataKey), toTenantKey(tenant));
}

async function createNextKey(tx: Tx, master: Buffer, tenant: Tenant): Promise<number> {
  const rows = await listTenantKeys(tx, tenant);
  const keys = toDataKeys(master, rows);
  if (!keys) throw new Error(`Tenant ${toTenantKey(tenant)} has no data key`);
  const generation = Math.max(...rows.map((row) => row.generation)) + 1;
  const { indexKey } = keys;
  await insertKey(tx, master, { tenant, generation, state: 'coming', dataKey: randomBytes(32), indexKey });
  return generation;
}

interface NewTenantKey {
  readonly tenant: Tenant;
  readonly generation: number;
  readonly state: 'coming' | 'current';
  readonly dataKey: Buffer;
  readonly indexKey: Buffer | null;
}

async function insertKey(
  tx: Tx,
  master: Buffer,
  { tenant, generation, state, ...keys }: NewTenantKey,
): Promise<void> {
  const row = { team_id: tenant.teamId, environment: tenant.environment, generation };
  await tx
    .insertInto('tenant_key')
    .values({ ...row, state, ...wrapKeys(master, row, keys), wrapped_by: fingerprint(master) })
    .execute();
}

async function rewrapAll(db: Db, master: Buffer, previous: string | undefined): Promise<number> {
  const old = previous === undefined ? master : Buffer.from(previous, 'base64');
  return asSystem(db, async (tx) => {
    const rows = await tx
      .selectFrom('tenant_key')
      .select(TENANT_KEY_COLUMNS)
      .where('wrapped_by', '!=', fingerprint(master))
      .forUpdate()
      .execute();
    for (const row of rows) {
      await tx
        .updateTable('tenant_key')
        .set({ ...wrapKeys(master, row, unwrapKeys(old, row)), wrapped_by: fingerprint(master) })
        .where('team_id', '=', row.team_id)
        .where('environment', '=', row.environment)
        .where('generation', '=', row.generation)
        .execute();
    }
    return rows.length;
  });
}

async function checkMasterKey(db: Db, master: Buffer): Promise<void> {
  const others = await asSystem(db, (tx) =>
    tx
      .selectFrom('tenant_key')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('wrapped_by', '!=', fingerprint(master))
      .executeTakeFirstOrThrow(),
  );
  if (others.count > 0) {
    throw new Error(
      `${others.count} tenant key(s) were wrapped by another ENCRYPTION_KEY. Set that one, or set the old one as ` +
        'PREVIOUS_ENCRYPTION_KEY next to the new one and run `aliquot keys rewrap`.',
    );
  }
}
