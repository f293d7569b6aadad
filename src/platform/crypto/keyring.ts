import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Db } from '../db/transact.ts';
import { asSystem } from '../db/transact.ts';
import type { Tx } from '../db/database.ts';
import type { Tenant } from '../tenant.ts';
import { openBytes, sealBytes, tenantCipher, type TenantCipher } from './cipher.ts';

declare module '../db/database.ts' {
  interface Database {
    tenant_key: { team_id: string; environment: string; wrapped_key: Buffer; wrapped_by: string };
  }
}

/**
 * Envelope encryption: every tenant has a data key of its own, which is stored wrapped by ENCRYPTION_KEY.
 * Changing ENCRYPTION_KEY re-wraps the data keys (a row a tenant) and touches no patient row.
 */
export interface Keyring {
  /**
   * The cipher of a tenant; the first use reads and unwraps its data key. Inside a transaction of the system's it is
   * read in that one: who holds a connection must not wait for a second.
   */
  of(tenant: Tenant, tx?: Tx): Promise<TenantCipher>;
  /** The same when it was used before, without waiting. */
  atHand(tenant: Tenant): TenantCipher | undefined;
  /** Makes the data key of a new tenant; part of the transaction that makes the tenant. */
  create(tx: Tx, tenant: Tenant): Promise<TenantCipher>;
  /** A key for one purpose that is not a tenant's, such as signing access tokens. */
  derive(purpose: string): Buffer;
  /** Wraps every data key anew: those wrapped by `previous` are opened with it. Answers how many changed. */
  rewrap(previous: string | undefined): Promise<number>;
  /** Fails with a clear sentence when ENCRYPTION_KEY is not the one that the stored keys were wrapped by. */
  check(): Promise<void>;
}

const name = (tenant: Tenant) => `${tenant.teamId}/${tenant.environment}`;
const place = (tenant: Tenant) => `tenant_key/${name(tenant)}`;
const fingerprint = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 16);

export function openKeyring(db: Db, encryptionKey: string): Keyring {
  const master = Buffer.from(encryptionKey, 'base64');
  const ciphers = new Map<string, TenantCipher>();

  async function load(tenant: Tenant, tx?: Tx): Promise<TenantCipher> {
    const row = await (tx ? findKey(tx, tenant) : asSystem(db, (own) => findKey(own, tenant)));
    if (!row) throw new Error(`Tenant ${name(tenant)} has no data key`);
    const cipher = tenantCipher(openBytes(master, row.wrapped_key, place(tenant)), name(tenant));
    ciphers.set(name(tenant), cipher);
    return cipher;
  }

  return {
    of: async (tenant, tx) => ciphers.get(name(tenant)) ?? load(tenant, tx),
    atHand: (tenant) => ciphers.get(name(tenant)),
    derive: (purpose) => Buffer.from(hkdfSync('sha256', master, '', purpose, 32)),
    create: async (tx, tenant) => {
      const dataKey = randomBytes(32);
      const wrapped = sealBytes(master, dataKey, place(tenant));
      await tx
        .insertInto('tenant_key')
        .values({
          team_id: tenant.teamId,
          environment: tenant.environment,
          wrapped_key: wrapped,
          wrapped_by: fingerprint(master),
        })
        .execute();
      return tenantCipher(dataKey, name(tenant));
    },
    rewrap: (previous) => rewrapAll(db, master, previous),
    check: () => checkMaster(db, master),
  };
}

const findKey = (tx: Tx, tenant: Tenant) =>
  tx
    .selectFrom('tenant_key')
    .select('wrapped_key')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();

async function rewrapAll(db: Db, master: Buffer, previous: string | undefined): Promise<number> {
  const old = previous === undefined ? master : Buffer.from(previous, 'base64');
  return asSystem(db, async (tx) => {
    const rows = await tx
      .selectFrom('tenant_key')
      .selectAll()
      .where('wrapped_by', '!=', fingerprint(master))
      .forUpdate()
      .execute();
    for (const row of rows) {
      const where = `tenant_key/${row.team_id}/${row.environment}`;
      const wrapped = sealBytes(master, openBytes(old, row.wrapped_key, where), where);
      await tx
        .updateTable('tenant_key')
        .set({ wrapped_key: wrapped, wrapped_by: fingerprint(master) })
        .where('team_id', '=', row.team_id)
        .where('environment', '=', row.environment)
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
