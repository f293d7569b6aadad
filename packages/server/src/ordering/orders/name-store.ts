import { sql } from 'kysely';
import { insertRow } from '../../platform/db/insert-row.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { defer, type Work } from '../../platform/work.ts';
import { NAME_SEAL_CONTEXT, nameId, nameKey, nameTokens } from './names.ts';

/** Locked names by their keys. A locked name cannot be erased before this work ends. */
export type LockedNames = Map<string, { readonly id: string; isNew: boolean }>;

const lockNamesQuery = precompileQuery(
  (tx, { teamId, environment, ids }: Tenant & { ids: readonly string[] }) =>
    tx.selectNoFrom(
      sql<boolean[]>`aliquot_hold_order_names(${teamId}::uuid, ${environment}, ${ids}::uuid[])`.as(
        'are_there',
      ),
    ),
);

/**
 * Looks up names in one query and locks them against erasure until this work ends. If two transactions lock the same
 * new name, the second waits for the first.
 */
export async function lockNames(
  { tx, tenant, cipher }: Work,
  names: readonly (string | null | undefined)[],
): Promise<LockedNames> {
  const keys = new Map(
    names.flatMap((name) => {
      const key = nameKey(name ?? '');
      return key === '' ? [] : [[nameId(cipher, key), key]];
    }),
  );
  if (keys.size === 0) return new Map();
  // A fixed lock order prevents deadlocks.
  const ids = [...keys.keys()].toSorted();
  const [row] = await lockNamesQuery(tx, { ...tenant, ids });
  return new Map(ids.map((id, at) => [keys.get(id) ?? '', { id, isNew: row?.are_there[at] !== true }]));
}

/** The id of a locked name, or null for an empty name. A new name is inserted. */
export function storeLockedName(work: Work, held: LockedNames, name: string | null): string | null {
  const key = nameKey(name ?? '');
  if (key === '') return null;
  const one = held.get(key);
  if (!one) throw new Error('The name is not locked');
  if (one.isNew) {
    const { cipher, tenant, now } = work;
    const sealed = cipher.seal(key, NAME_SEAL_CONTEXT);
    const row = { id: one.id, name: sealed, ...nameTokens(cipher, key), created_at: now };
    defer(work, insertRow('order_name', { ...tenantColumns(tenant), ...row }));
    one.isNew = false;
  }
  return one.id;
}

/** Whether all these names are locked. */
export const areNamesLocked = (held: LockedNames, names: readonly (string | null)[]): boolean =>
  names.every((name) => nameKey(name ?? '') === '' || held.has(nameKey(name ?? '')));
