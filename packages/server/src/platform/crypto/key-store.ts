import type { Tx } from '../db/database.ts';
import type { Tenant } from '../tenant.ts';
import { indexKeyOf, type DataKeys } from './cipher.ts';
import type { KeyProvider, WrappingContext } from './key-provider.ts';

declare module '../db/database.ts' {
  interface Database {
    tenant_key: TenantKeyTable;
  }
}

/** `coming` opens but does not seal yet, `current` seals, `retired` still opens older values. */
type DataKeyState = 'coming' | 'current' | 'retired';

interface TenantKeyTable {
  team_id: string;
  environment: string;
  generation: number;
  state: DataKeyState;
  wrapped_key: Buffer;
  wrapped_index_key: Buffer | null;
  wrapped_by: string;
}
export type TenantKeyRow = Readonly<TenantKeyTable>;

// prettier-ignore
export const TENANT_KEY_COLUMNS = ['team_id', 'environment', 'generation', 'state', 'wrapped_key', 'wrapped_index_key', 'wrapped_by'] as const;

type TenantKeyId = Pick<TenantKeyRow, 'team_id' | 'environment' | 'generation'>;

interface UnwrappedKeys {
  readonly dataKey: Buffer;
  readonly indexKey: Buffer | null;
}

/** Unwraps a key with the provider that wrapped it. */
export type UnwrapKey = (
  wrapped: Pick<TenantKeyRow, 'wrapped_key' | 'wrapped_by'>,
  context: WrappingContext,
) => Promise<Buffer>;

const contextOf = (
  { team_id, environment, generation }: TenantKeyId,
  purpose: 'data-key' | 'index-key',
): WrappingContext => ({ purpose, tenant: { team_id, environment, generation } });

export async function wrapKeys(
  provider: KeyProvider,
  row: TenantKeyId,
  { dataKey, indexKey }: UnwrappedKeys,
): Promise<Pick<TenantKeyRow, 'wrapped_key' | 'wrapped_index_key' | 'wrapped_by'>> {
  const [wrapped_key, wrapped_index_key] = await Promise.all([
    provider.wrap(dataKey, contextOf(row, 'data-key')),
    indexKey && provider.wrap(indexKey, contextOf(row, 'index-key')),
  ]);
  return { wrapped_key, wrapped_index_key, wrapped_by: provider.fingerprint };
}

export async function unwrapKeys(unwrap: UnwrapKey, row: TenantKeyRow): Promise<UnwrappedKeys> {
  const { wrapped_index_key, wrapped_by } = row;
  const [dataKey, indexKey] = await Promise.all([
    unwrap(row, contextOf(row, 'data-key')),
    wrapped_index_key && unwrap({ wrapped_key: wrapped_index_key, wrapped_by }, contextOf(row, 'index-key')),
  ]);
  return { dataKey, indexKey };
}

export const listTenantKeys = (tx: Tx, { teamId, environment }: Tenant): Promise<TenantKeyRow[]> =>
  tx
    .selectFrom('tenant_key')
    .select(TENANT_KEY_COLUMNS)
    .where('team_id', '=', teamId)
    .where('environment', '=', environment)
    .orderBy('generation')
    .execute();

/** The unwrapped keys of one tenant; undefined if it has none. */
export async function toDataKeys(
  unwrap: UnwrapKey,
  rows: readonly TenantKeyRow[],
): Promise<DataKeys | undefined> {
  const current = rows.find(({ state }) => state === 'current');
  if (!current) return undefined;
  const entries = rows.map(async (row) => [row.generation, await unwrapKeys(unwrap, row)] as const);
  const unwrapped = new Map(await Promise.all(entries));
  const seals = unwrapped.get(current.generation);
  const first = unwrapped.get(1)?.dataKey;
  const indexKey = seals?.indexKey ?? (first && indexKeyOf(first));
  if (!indexKey) return undefined;
  const keys = new Map([...unwrapped].map(([generation, { dataKey }]) => [generation, dataKey]));
  return { keys, current: current.generation, indexKey };
}
