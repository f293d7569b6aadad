import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Db } from '../db/transact.ts';
import { asSystem } from '../db/transact.ts';
import type { Tx } from '../db/database.ts';
import type { Tenant } from '../tenant.ts';
import { firstKeys, tenantCipher, type TenantCipher } from './cipher.ts';
import { dataKeysOf, KEY_COLUMNS, listKeys, tenantName, unwrap, wrap } from './key-store.ts';

/**
 * Envelope encryption: every tenant has a data key of its own, which is stored wrapped by ENCRYPTION_KEY.
 * Changing ENCRYPTION_KEY re-wraps the data keys (a row or two a tenant) and touches no patient row.
 */
export interface Keyring {
  /**
   * The cipher of a tenant; its data keys are read and unwrapped at the first use, and again when what is known is older
   * than KEYS_FRESH_MS, because another process may have brought a new one. Inside a transaction of the system's they are
   * read in that one: who holds a connection must not wait for a second.
   */
  of(tenant: Tenant, tx?: Tx): Promise<TenantCipher>;
  /** The same when it is known and fresh, without waiting. */
  atHand(tenant: Tenant): TenantCipher | undefined;
  /** Makes the data key of a new tenant; part of the transaction that makes the tenant. */
  create(tx: Tx, tenant: Tenant): Promise<TenantCipher>;
  /** Makes another data key for a tenant, which opens and does not seal yet. Answers its generation. */
  addKey(tx: Tx, tenant: Tenant): Promise<number>;
  /** Reads the keys of a tenant anew at the next use. */
  forget(tenant: Tenant): void;
  /** A key for one purpose that is not a tenant's, such as signing access tokens. */
  derive(purpose: string): Buffer;
  /** Wraps every data key anew: those wrapped by `previous` are opened with it. Answers how many changed. */
  rewrap(previous: string | undefined): Promise<number>;
  /** Fails with a clear sentence when ENCRYPTION_KEY is not the one that the stored keys were wrapped by. */
  check(): Promise<void>;
}

/** After so long every process has seen a new data key, or has had no database. */
export const KEYS_FRESH_MS = 10_000;

const fingerprint = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 16);

/** What `derive` of a keyring with this ENCRYPTION_KEY answers. */
export const deriveKey = (encryptionKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(encryptionKey, 'base64'), '', purpose, 32));

interface Known {
  readonly cipher: TenantCipher;
  /** On the clock of the process, which no one sets back. */
  readonly readAt: number;
}

export function openKeyring(db: Db, encryptionKey: string): Keyring {
  const master = Buffer.from(encryptionKey, 'base64');
  const known = new Map<string, Known>();
  const loading = new Map<string, Promise<TenantCipher>>();

  const fresh = (tenant: Tenant): TenantCipher | undefined => {
    const one = known.get(tenantName(tenant));
    return one && performance.now() - one.readAt < KEYS_FRESH_MS ? one.cipher : undefined;
  };

  async function load(tenant: Tenant, tx: Tx): Promise<TenantCipher> {
    const readAt = performance.now();
    const keys = dataKeysOf(master, await listKeys(tx, tenant));
    if (!keys) throw new Error(`Tenant ${tenantName(tenant)} has no data key`);
    const cipher = tenantCipher(keys, tenantName(tenant));
    known.set(tenantName(tenant), { cipher, readAt });
    return cipher;
  }

  /** Many ask at once when what is known has grown old; one of them reads. */
  function loadAlone(tenant: Tenant): Promise<TenantCipher> {
    const name = tenantName(tenant);
    const running = loading.get(name);
    if (running) return running;
    const started = asSystem(db, (tx) => load(tenant, tx)).finally(() => loading.delete(name));
    loading.set(name, started);
    return started;
  }

  return {
    of: async (tenant, tx) => fresh(tenant) ?? (tx ? load(tenant, tx) : loadAlone(tenant)),
    atHand: fresh,
    forget: (tenant) => void known.delete(tenantName(tenant)),
    derive: (purpose) => deriveKey(encryptionKey, purpose),
    create: (tx, tenant) => makeFirst(tx, master, tenant),
    addKey: (tx, tenant) => makeNext(tx, master, tenant),
    rewrap: (previous) => rewrapAll(db, master, previous),
    check: () => checkMaster(db, master),
  };
}

async function makeFirst(tx: Tx, master: Buffer, tenant: Tenant): Promise<TenantCipher> {
  const dataKey = randomBytes(32);
  await insertKey(tx, master, { tenant, generation: 1, state: 'current', dataKey, indexKey: null });
  return tenantCipher(firstKeys(dataKey), tenantName(tenant));
}

async function makeNext(tx: Tx, master: Buffer, tenant: Tenant): Promise<number> {
  const rows = await listKeys(tx, tenant);
  const keys = dataKeysOf(master, rows);
  if (!keys) throw new Error(`Tenant ${tenantName(tenant)} has no data key`);
  const generation = Math.max(...rows.map((row) => row.generation)) + 1;
  const { indexKey } = keys;
  await insertKey(tx, master, { tenant, generation, state: 'coming', dataKey: randomBytes(32), indexKey });
  return generation;
}

interface NewKey {
  readonly tenant: Tenant;
  readonly generation: number;
  readonly state: 'coming' | 'current';
  readonly dataKey: Buffer;
  readonly indexKey: Buffer | null;
}

async function insertKey(
  tx: Tx,
  master: Buffer,
  { tenant, generation, state, ...keys }: NewKey,
): Promise<void> {
  const row = { team_id: tenant.teamId, environment: tenant.environment, generation };
  await tx
    .insertInto('tenant_key')
    .values({ ...row, state, ...wrap(master, row, keys), wrapped_by: fingerprint(master) })
    .execute();
}

async function rewrapAll(db: Db, master: Buffer, previous: string | undefined): Promise<number> {
  const old = previous === undefined ? master : Buffer.from(previous, 'base64');
  return asSystem(db, async (tx) => {
    const rows = await tx
      .selectFrom('tenant_key')
      .select(KEY_COLUMNS)
      .where('wrapped_by', '!=', fingerprint(master))
      .forUpdate()
      .execute();
    for (const row of rows) {
      await tx
        .updateTable('tenant_key')
        .set({ ...wrap(master, row, unwrap(old, row)), wrapped_by: fingerprint(master) })
        .where('team_id', '=', row.team_id)
        .where('environment', '=', row.environment)
        .where('generation', '=', row.generation)
        .execute();
    }
    return rows.length;
  });
}

async function checkMaster(db: Db, master: Buffer): Promise<void> {
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
        'PREVIOUS_ENCRYPTION_KEY beside the new and run `aliquot keys rewrap`.',
    );
  }
}
