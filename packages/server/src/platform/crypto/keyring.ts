import { hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { countLookup } from '../cache-lookups.ts';
import type { Tx } from '../db/database.ts';
import { asSystem, type Db } from '../db/transact.ts';
import { DomainError } from '../errors.ts';
import { type Tenant, toTenantKey } from '../tenant.ts';
import { initialDataKeys, tenantCipher, type TenantCipher } from './cipher.ts';
import { checkKeys } from './check-keys.ts';
import { openKeyCache } from './key-cache.ts';
import { KeyProviderError, type KeyProvider } from './key-provider.ts';
import { toDataKeys, listTenantKeys, wrapKeys, type TenantKeyRow, type UnwrapKey } from './key-store.ts';
import { createLocalKeyProvider } from './local-key-provider.ts';
import { rewrapAll } from './rewrap.ts';

/**
 * Envelope encryption: every tenant has its own data key, which is stored wrapped by the master key of a KeyProvider.
 * Changing the master key re-wraps the data keys (one or two rows per tenant) and touches no patient row.
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
  /**
   * Makes the data key of a new tenant and has the provider wrap it. Call it before the transaction that creates the
   * tenant: a provider that hangs would hold its locks and its connection.
   */
  prepare(tenant: Tenant): Promise<PreparedKey>;
  /** Stores a prepared data key, in the transaction that creates the tenant. */
  create(tx: Tx, prepared: PreparedKey): Promise<TenantCipher>;
  /** Adds a data key that opens but does not seal yet. Returns its generation. */
  addKey(tx: Tx, tenant: Tenant): Promise<number>;
  /** Drops the cached keys of a tenant. */
  invalidate(tenant: Tenant): void;
  /** Derives a key for a purpose outside tenants, such as signing access tokens. */
  derive(purpose: string): Buffer;
  /**
   * Re-wraps every data key with the current provider. A key of another one is unwrapped with that one, if it is known
   * or is `previous`. Saves its progress, so it can be repeated after an interruption. Returns the number changed.
   */
  rewrap(previous?: KeyProvider): Promise<number>;
  /** Throws if the stored keys cannot be unwrapped by the known providers. */
  check(): Promise<void>;
  /** The provider that wraps new keys. */
  readonly provider: KeyProvider;
  /** The providers that unwrap keys: the current one, and others during a move. */
  readonly providers: readonly KeyProvider[];
  /** Why the provider failed at the last call; undefined if it did not. */
  failure(): KeyProviderError | undefined;
}

/** After this time every process has loaded a new data key, unless it had no database. */
export const KEY_CACHE_TTL_MS = 10_000;

/** Equivalent to `derive` of a keyring with this ENCRYPTION_KEY. */
export const deriveKey = (encryptionKey: string, purpose: string): Buffer =>
  deriveFrom(Buffer.from(encryptionKey, 'base64'), purpose);

const deriveFrom = (root: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', root, '', purpose, 32));

interface KeyringOptions {
  /** Wraps new keys. */
  readonly provider: KeyProvider;
  /** Only unwrap, while keys are moved from one provider to another. */
  readonly additional: readonly KeyProvider[];
  /** The key from which keys outside tenants are derived. */
  readonly deploymentKey: Buffer;
  /** The most unwrapped keys in memory. */
  readonly keysMax: number;
  /** How long an unwrapped key is used without asking its provider. */
  readonly lifetimeMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const KEYS_MAX = 20_000;

/** A keyring of an ENCRYPTION_KEY, without a key management service. */
export function openKeyring(db: Db, encryptionKey: string): Keyring {
  const provider = createLocalKeyProvider({ key: encryptionKey });
  const deploymentKey = Buffer.from(encryptionKey, 'base64');
  return openProviderKeyring(db, {
    provider,
    additional: [],
    deploymentKey,
    keysMax: KEYS_MAX,
    lifetimeMs: Infinity,
  });
}

interface CachedCipher {
  readonly cipher: TenantCipher;
  /** On the monotonic clock of the process. */
  readonly readAt: number;
}

const RETRY_AFTER_SECONDS = 5;

/** A failing provider is a 503, as a failing database is. */
function toDomainError(error: unknown): unknown {
  if (!(error instanceof KeyProviderError) || error.reason === 'wrong_key') return error;
  const what = error.reason === 'unavailable' ? 'does not answer' : 'refuses the key';
  return new DomainError(
    'unavailable',
    `The data key of the team cannot be opened at the moment, because the key provider ${error.provider} ${what}; try again`,
    RETRY_AFTER_SECONDS,
  );
}

async function explainFailure<T>(db: Db, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof KeyProviderError)
      db.log.warn(
        { provider: error.provider, reason: error.reason, detail: error.message },
        'key provider failed',
      );
    throw toDomainError(error);
  }
}

export function openProviderKeyring(db: Db, options: KeyringOptions): Keyring {
  const { provider, additional, deploymentKey, keysMax, lifetimeMs, now = () => performance.now() } = options;
  const providers = [provider, ...additional];
  const cache = openKeyCache({ keysMax, lifetimeMs, now });
  // A fingerprint that is not known is the current provider's to refuse.
  const unwrap: UnwrapKey = ({ wrapped_key, wrapped_by }, context) => {
    const named = providers.find(({ fingerprint }) => fingerprint === wrapped_by);
    return cache.unwrap(named ?? provider, wrapped_key, context);
  };
  return {
    ...openCiphers({ db, unwrap, keysMax, now }),
    provider,
    providers,
    derive: (purpose) => deriveFrom(deploymentKey, purpose),
    prepare: (tenant) => explainFailure(db, () => prepareFirstKey(provider, tenant)),
    create: storeFirstKey,
    addKey: (tx, tenant) => explainFailure(db, () => createNextKey(tx, { provider, unwrap }, tenant)),
    rewrap: (previous) => rewrapAll(db, provider, previous ? [...providers, previous] : providers),
    check: () => checkKeys(db, providers),
    failure: cache.failure,
  };
}

interface CipherOptions {
  readonly db: Db;
  readonly unwrap: UnwrapKey;
  readonly keysMax: number;
  readonly now: () => number;
}

/** The ciphers of tenants, whose data keys are read again from the database when they are older than the TTL. */
function openCiphers({
  db,
  unwrap,
  keysMax,
  now,
}: CipherOptions): Pick<Keyring, 'cipherOf' | 'cachedCipherOf' | 'invalidate'> {
  const known = new LRUCache<string, CachedCipher>({ max: keysMax });
  const loading = new Map<string, Promise<TenantCipher>>();

  const fresh = (tenant: Tenant): TenantCipher | undefined => {
    const one = known.get(toTenantKey(tenant));
    return one && now() - one.readAt < KEY_CACHE_TTL_MS ? one.cipher : undefined;
  };

  async function load(tenant: Tenant, tx: Tx): Promise<TenantCipher> {
    const readAt = now();
    const rows = await listTenantKeys(tx, tenant);
    const keys = await explainFailure(db, () => toDataKeys(unwrap, rows));
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
    cipherOf: async (tenant, tx) => {
      const cipher = fresh(tenant);
      countLookup('data_key', cipher !== undefined);
      return cipher ?? (tx ? load(tenant, tx) : loadAlone(tenant));
    },
    // A caller that gets none asks for it by `cipherOf`, which counts the miss.
    cachedCipherOf: (tenant) => {
      const cipher = fresh(tenant);
      if (cipher) countLookup('data_key', true);
      return cipher;
    },
    invalidate: (tenant) => void known.delete(toTenantKey(tenant)),
  };
}

/** The wrapped data key of a tenant that does not exist yet. */
export interface PreparedKey {
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
  readonly row: TenantKeyRow;
}

async function prepareFirstKey(provider: KeyProvider, tenant: Tenant): Promise<PreparedKey> {
  const dataKey = randomBytes(32);
  const key = { tenant, generation: 1, state: 'current', dataKey, indexKey: null } as const;
  const cipher = tenantCipher(initialDataKeys(dataKey), toTenantKey(tenant));
  return { tenant, cipher, row: await wrapKey(provider, key) };
}

async function storeFirstKey(tx: Tx, { cipher, row }: PreparedKey): Promise<TenantCipher> {
  await tx.insertInto('tenant_key').values(row).execute();
  return cipher;
}

async function createNextKey(
  tx: Tx,
  { provider, unwrap }: { provider: KeyProvider; unwrap: UnwrapKey },
  tenant: Tenant,
): Promise<number> {
  const rows = await listTenantKeys(tx, tenant);
  const keys = await toDataKeys(unwrap, rows);
  if (!keys) throw new Error(`Tenant ${toTenantKey(tenant)} has no data key`);
  const generation = Math.max(...rows.map((row) => row.generation)) + 1;
  const { indexKey } = keys;
  const dataKey = randomBytes(32);
  const row = await wrapKey(provider, { tenant, generation, state: 'coming', dataKey, indexKey });
  await tx.insertInto('tenant_key').values(row).execute();
  return generation;
}

interface NewTenantKey {
  readonly tenant: Tenant;
  readonly generation: number;
  readonly state: 'coming' | 'current';
  readonly dataKey: Buffer;
  readonly indexKey: Buffer | null;
}

async function wrapKey(
  provider: KeyProvider,
  { tenant, generation, state, ...keys }: NewTenantKey,
): Promise<TenantKeyRow> {
  const id = { team_id: tenant.teamId, environment: tenant.environment, generation };
  return { ...id, state, ...(await wrapKeys(provider, id, keys)) };
}
