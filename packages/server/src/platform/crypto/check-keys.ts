import type { Tx } from '../db/database.ts';
import { asSystem, type Db } from '../db/transact.ts';
import { KeyProviderError, type KeyProvider } from './key-provider.ts';
import { TENANT_KEY_COLUMNS, unwrapKeys, type TenantKeyRow } from './key-store.ts';

/** Throws if a provider does not answer, or if the stored keys were not all wrapped by one of these providers. */
export async function checkKeys(db: Db, providers: readonly KeyProvider[]): Promise<void> {
  const used = await asSystem(db, countByFingerprint);
  const others = used.filter(({ wrapped_by }) => !providers.some((one) => one.fingerprint === wrapped_by));
  if (others.length > 0) throw new Error(describeOthers(others, providers));
  for (const provider of providers) {
    await provider.check();
    const row = await asSystem(db, (tx) => findNewestKey(tx, provider));
    if (row) await openOne(provider, row);
  }
}

interface FingerprintCount {
  readonly wrapped_by: string;
  readonly count: number;
}

const countByFingerprint = (tx: Tx): Promise<FingerprintCount[]> =>
  tx
    .selectFrom('tenant_key')
    .select((row) => ['wrapped_by', row.fn.countAll<number>().as('count')])
    .groupBy('wrapped_by')
    .execute();

function describeOthers(others: readonly FingerprintCount[], providers: readonly KeyProvider[]): string {
  const count = others.reduce((sum, other) => sum + Number(other.count), 0);
  const wanted = others.map(({ wrapped_by }) => wrapped_by).join(', ');
  const given = providers.map(({ name, fingerprint }) => `${name} has ${fingerprint}`).join(', ');
  return (
    `${count} tenant key(s) were wrapped by another ENCRYPTION_KEY or key provider: ${wanted}; ${given}. Set that ` +
    'one, or set the old one as PREVIOUS_ENCRYPTION_KEY or ADDITIONAL_KEY_PROVIDER next to the new one and run ' +
    '`aliquot keys rewrap`.'
  );
}

const findNewestKey = (tx: Tx, { fingerprint }: KeyProvider): Promise<TenantKeyRow | undefined> =>
  tx
    .selectFrom('tenant_key')
    .select(TENANT_KEY_COLUMNS)
    .where('wrapped_by', '=', fingerprint)
    .orderBy('team_id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** A provider can have a key of the same name that is another one, for example after it was set up again. */
async function openOne(provider: KeyProvider, row: TenantKeyRow): Promise<void> {
  try {
    await unwrapKeys(({ wrapped_key }, context) => provider.unwrap(wrapped_key, context), row);
  } catch (error) {
    if (!(error instanceof KeyProviderError) || error.reason !== 'wrong_key') throw error;
    throw new Error(
      `The key at ${provider.location} is named ${provider.fingerprint}, as the one that this database was made ` +
        'with, but does not open its data keys: it is another key, or the database was changed.',
    );
  }
}
