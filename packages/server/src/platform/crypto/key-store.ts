import type { Tx } from '../db/database.ts';
import type { Tenant } from '../tenant.ts';
import { indexKeyOf, openBytes, sealBytes, type DataKeys } from './cipher.ts';

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
export type TenantKeyRow = Pick<
  TenantKeyTable,
  'team_id' | 'environment' | 'generation' | 'state' | 'wrapped_key' | 'wrapped_index_key'
>;

// prettier-ignore
export const TENANT_KEY_COLUMNS = ['team_id', 'environment', 'generation', 'state', 'wrapped_key', 'wrapped_index_key'] as const;

type TenantKeyId = Pick<TenantKeyRow, 'team_id' | 'environment' | 'generation'>;

/**
 * The authenticated data of a wrapped key. The first generation has no number, because generations were added later.
 */
const wrappingContext = ({ team_id, environment, generation }: TenantKeyId): string =>
  `tenant_key/${team_id}/${environment}${generation === 1 ? '' : `/${generation}`}`;

interface UnwrappedKeys {
  readonly dataKey: Buffer;
  readonly indexKey: Buffer | null;
}

export const wrapKeys = (master: Buffer, row: TenantKeyId, { dataKey, indexKey }: UnwrappedKeys) => ({
  wrapped_key: sealBytes(master, dataKey, wrappingContext(row)),
  wrapped_index_key: indexKey && sealBytes(master, indexKey, `${wrappingContext(row)}/index`),
});

export const unwrapKeys = (master: Buffer, row: TenantKeyRow): UnwrappedKeys => ({
  dataKey: openBytes(master, row.wrapped_key, wrappingContext(row)),
  indexKey:
    row.wrapped_index_key && openBytes(master, row.wrapped_index_key, `${wrappingContext(row)}/index`),
});

export const listTenantKeys = (tx: Tx, { teamId, environment }: Tenant): Promise<TenantKeyRow[]> =>
  tx
    .selectFrom('tenant_key')
    .select(TENANT_KEY_COLUMNS)
    .where('team_id', '=', teamId)
    .where('environment', '=', environment)
    .orderBy('generation')
    .execute();

/** The unwrapped keys of one tenant; undefined if it has none. */
export function toDataKeys(master: Buffer, rows: readonly TenantKeyRow[]): DataKeys | undefined {
  const current = rows.find(({ state }) => state === 'current');
  if (!current) return undefined;
  const unwrapped = new Map(rows.map((row) => [row.generation, unwrapKeys(master, row)]));
  const seals = unwrapped.get(current.generation);
  const first = unwrapped.get(1)?.dataKey;
  const indexKey = seals?.indexKey ?? (first && indexKeyOf(first));
  if (!indexKey) return undefined;
  const keys = new Map([...unwrapped].map(([generation, { dataKey }]) => [generation, dataKey]));
  return { keys, current: current.generation, indexKey };
}
