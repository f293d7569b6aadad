import type { Tx } from '../db/database.ts';
import type { Tenant } from '../tenant.ts';
import { indexKeyOf, openBytes, sealBytes, type DataKeys } from './cipher.ts';

declare module '../db/database.ts' {
  interface Database {
    tenant_key: TenantKeyTable;
  }
}

/** `coming` opens and does not seal yet, `current` seals, `retired` opens what may still turn up. */
export type KeyState = 'coming' | 'current' | 'retired';

interface TenantKeyTable {
  team_id: string;
  environment: string;
  generation: number;
  state: KeyState;
  wrapped_key: Buffer;
  wrapped_index_key: Buffer | null;
  wrapped_by: string;
}
export type KeyRow = Pick<
  TenantKeyTable,
  'team_id' | 'environment' | 'generation' | 'state' | 'wrapped_key' | 'wrapped_index_key'
>;

// prettier-ignore
export const KEY_COLUMNS = ['team_id', 'environment', 'generation', 'state', 'wrapped_key', 'wrapped_index_key'] as const;

export const tenantName = ({ teamId, environment }: Tenant): string => `${teamId}/${environment}`;

type Numbered = Pick<KeyRow, 'team_id' | 'environment' | 'generation'>;

/** What a wrapped key is bound to; that of the first generation has no number, for there was none once. */
const placeOf = ({ team_id, environment, generation }: Numbered): string =>
  `tenant_key/${team_id}/${environment}${generation === 1 ? '' : `/${generation}`}`;

interface Unwrapped {
  readonly dataKey: Buffer;
  readonly indexKey: Buffer | null;
}

export const wrap = (master: Buffer, row: Numbered, { dataKey, indexKey }: Unwrapped) => ({
  wrapped_key: sealBytes(master, dataKey, placeOf(row)),
  wrapped_index_key: indexKey && sealBytes(master, indexKey, `${placeOf(row)}/index`),
});

export const unwrap = (master: Buffer, row: KeyRow): Unwrapped => ({
  dataKey: openBytes(master, row.wrapped_key, placeOf(row)),
  indexKey: row.wrapped_index_key && openBytes(master, row.wrapped_index_key, `${placeOf(row)}/index`),
});

export const listKeys = (tx: Tx, { teamId, environment }: Tenant): Promise<KeyRow[]> =>
  tx
    .selectFrom('tenant_key')
    .select(KEY_COLUMNS)
    .where('team_id', '=', teamId)
    .where('environment', '=', environment)
    .orderBy('generation')
    .execute();

/** The keys of one tenant, unwrapped; undefined where it has none. */
export function dataKeysOf(master: Buffer, rows: readonly KeyRow[]): DataKeys | undefined {
  const current = rows.find(({ state }) => state === 'current');
  if (!current) return undefined;
  const unwrapped = new Map(rows.map((row) => [row.generation, unwrap(master, row)]));
  const seals = unwrapped.get(current.generation);
  const first = unwrapped.get(1)?.dataKey;
  const indexKey = seals?.indexKey ?? (first && indexKeyOf(first));
  if (!indexKey) return undefined;
  const keys = new Map([...unwrapped].map(([generation, { dataKey }]) => [generation, dataKey]));
  return { keys, current: current.generation, indexKey };
}
