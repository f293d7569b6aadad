import type { Tx } from '../db/database.ts';
import { asSystem, type Db } from '../db/transact.ts';
import { KeyProviderError, type KeyProvider, type WrappingContext } from './key-provider.ts';
import { TENANT_KEY_COLUMNS, unwrapKeys, wrapKeys, type TenantKeyRow, type UnwrapKey } from './key-store.ts';
import { rewrapDeploymentKey } from './deployment-key.ts';

const BATCH = 50;

/**
 * Wraps all keys with the current provider. Each row is changed in a transaction of its own, outside of which the
 * providers are called, and only if it is still as it was read: a run that was interrupted is continued by the next,
 * and a running service is not disturbed. Returns the number of changed tenant keys.
 */
export async function rewrapAll(
  db: Db,
  provider: KeyProvider,
  providers: readonly KeyProvider[],
): Promise<number> {
  let changed = 0;
  let after: TenantKeyRow | undefined;
  await rewrapDeploymentKey(db, provider, providers);
  for (;;) {
    const rows: TenantKeyRow[] = await asSystem(db, (tx) => listKeysAfter(tx, after));
    for (const row of rows) if (await rewrapRow(db, { provider, providers, row })) changed += 1;
    if (rows.length < BATCH) return changed;
    after = rows.at(-1);
  }
}

const listKeysAfter = (tx: Tx, after: TenantKeyRow | undefined): Promise<TenantKeyRow[]> =>
  tx
    .selectFrom('tenant_key')
    .select(TENANT_KEY_COLUMNS)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('team_id', 'environment', 'generation'),
          '>',
          tuple(after?.team_id ?? '', after?.environment ?? '', after?.generation ?? 0),
        ),
      ),
    )
    .orderBy('team_id')
    .orderBy('environment')
    .orderBy('generation')
    .limit(BATCH)
    .execute();

interface RowRewrap {
  readonly provider: KeyProvider;
  readonly providers: readonly KeyProvider[];
  readonly row: TenantKeyRow;
}

async function rewrapRow(db: Db, { provider, providers, row }: RowRewrap): Promise<boolean> {
  const fresh =
    row.wrapped_by === provider.fingerprint
      ? await renewVersion(provider, row)
      : await wrapKeys(provider, row, await unwrapKeys(unwrapWith(providers), row));
  if (!fresh) return false;
  const { numUpdatedRows } = await asSystem(db, (tx) =>
    tx
      .updateTable('tenant_key')
      .set(fresh)
      .where('team_id', '=', row.team_id)
      .where('environment', '=', row.environment)
      .where('generation', '=', row.generation)
      .where('wrapped_key', '=', row.wrapped_key)
      .executeTakeFirstOrThrow(),
  );
  return numUpdatedRows > 0n;
}

/** The same key with the newest version of the provider's key; undefined if it has that already. */
async function renewVersion(
  provider: KeyProvider,
  row: TenantKeyRow,
): Promise<Pick<TenantKeyRow, 'wrapped_key' | 'wrapped_index_key'> | undefined> {
  const key = await provider.rewrap?.(row.wrapped_key);
  const indexKey = row.wrapped_index_key && (await provider.rewrap?.(row.wrapped_index_key));
  if (!key && !indexKey) return undefined;
  return { wrapped_key: key ?? row.wrapped_key, wrapped_index_key: indexKey || row.wrapped_index_key };
}

/** With the provider that the row names; with each in turn if none has that fingerprint. */
const unwrapWith =
  (providers: readonly KeyProvider[]): UnwrapKey =>
  async ({ wrapped_key, wrapped_by }, context: WrappingContext) => {
    const named = providers.filter(({ fingerprint }) => fingerprint === wrapped_by);
    for (const provider of named.length > 0 ? named : providers) {
      try {
        return await provider.unwrap(wrapped_key, context);
      } catch (error) {
        if (!(error instanceof KeyProviderError) || error.reason !== 'wrong_key') throw error;
      }
    }
    throw new KeyProviderError(
      providers[0]?.name ?? 'environment',
      'wrong_key',
      `The key ${wrapped_by} is needed to unwrap a stored key`,
    );
  };
