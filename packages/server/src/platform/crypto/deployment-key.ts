import { randomBytes } from 'node:crypto';
import type { Tx } from '../db/database.ts';
import { asSystem, type Db } from '../db/transact.ts';
import { KeyProviderError, type KeyProvider } from './key-provider.ts';

declare module '../db/database.ts' {
  interface Database {
    deployment_key: DeploymentKeyTable;
  }
}

interface DeploymentKeyTable {
  id: number;
  wrapped_key: Buffer;
  wrapped_by: string;
}

type DeploymentKeyRow = Readonly<Omit<DeploymentKeyTable, 'id'>>;

const CONTEXT = { purpose: 'deployment-key' } as const;

const findRow = (tx: Tx): Promise<DeploymentKeyRow | undefined> =>
  tx.selectFrom('deployment_key').select(['wrapped_key', 'wrapped_by']).executeTakeFirst();

/**
 * The key from which keys outside tenants are derived. Without a key management service it is the master key itself,
 * and nothing is stored. With one it is stored wrapped; a move from a local master key keeps that one, so that what
 * was derived from it, such as the signatures of tokens, stays valid. Throws if no provider unwraps it.
 */
export async function openDeploymentKey(
  db: Db,
  provider: KeyProvider,
  additional: readonly KeyProvider[],
): Promise<Buffer> {
  const stored = await asSystem(db, findRow);
  if (stored) return unwrapStored(stored, [provider, ...additional]);
  if (provider.masterKey) return provider.masterKey;
  const key = additional.find(({ masterKey }) => masterKey)?.masterKey ?? (await newKeyOf(db, provider));
  const wrapped_key = await provider.wrap(key, CONTEXT);
  await asSystem(db, (tx) =>
    tx
      .insertInto('deployment_key')
      .values({ id: 1, wrapped_key, wrapped_by: provider.fingerprint })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  // Of two processes that start at the same time, both use the key of the first.
  const row = await asSystem(db, findRow);
  return row ? unwrapStored(row, [provider, ...additional]) : key;
}

/** A database with tenants has a key: a new one would open nothing of what was sealed with it. */
async function newKeyOf(db: Db, provider: KeyProvider): Promise<Buffer> {
  const used = await asSystem(db, (tx) =>
    tx.selectFrom('tenant_key').select('wrapped_by').limit(1).executeTakeFirst(),
  );
  if (!used) return randomBytes(32);
  throw new Error(
    `This database was made with the key ${used.wrapped_by}, which is not that of ${provider.name} ` +
      `(${provider.fingerprint}). To move to it, name the provider of the old key in ADDITIONAL_KEY_PROVIDER and run ` +
      '`aliquot keys rewrap`.',
  );
}

async function unwrapStored(row: DeploymentKeyRow, providers: readonly KeyProvider[]): Promise<Buffer> {
  const provider = providers.find(({ fingerprint }) => fingerprint === row.wrapped_by);
  if (provider) return provider.unwrap(row.wrapped_key, CONTEXT);
  const given = providers.map(({ name, fingerprint }) => `${name} ${fingerprint}`).join(', ');
  throw new KeyProviderError(
    providers[0]?.name ?? 'environment',
    'wrong_key',
    `The key of this deployment was wrapped by another key, ${row.wrapped_by}; this process has ${given}. Set ` +
      'KEY_PROVIDER to that one, or name it in ADDITIONAL_KEY_PROVIDER.',
  );
}

/** Wraps it with the current provider; does nothing if that has wrapped it, or if none is stored. */
export async function rewrapDeploymentKey(
  db: Db,
  provider: KeyProvider,
  providers: readonly KeyProvider[],
): Promise<void> {
  const row = await asSystem(db, findRow);
  if (!row) return;
  const fresh =
    row.wrapped_by === provider.fingerprint
      ? await provider.rewrap?.(row.wrapped_key)
      : await provider.wrap(await unwrapStored(row, providers), CONTEXT);
  if (!fresh) return;
  await asSystem(db, (tx) =>
    tx
      .updateTable('deployment_key')
      .set({ wrapped_key: fresh, wrapped_by: provider.fingerprint })
      .where('wrapped_key', '=', row.wrapped_key)
      .execute(),
  );
}
