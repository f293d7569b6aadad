import { sql } from 'kysely';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { defer, type Work } from '../../platform/work.ts';
import { NAME_PLACE, nameId, nameKey, nameTokens } from './names.ts';

/** Names by their keys, which stay as long as this work needs them. */
export type HeldNames = Map<string, { readonly id: string; isNew: boolean }>;

const heldOf = readyQuery((tx, { teamId, environment, ids }: Tenant & { ids: readonly string[] }) =>
  tx.selectNoFrom(
    sql<boolean[]>`aliquot_hold_order_names(${teamId}::uuid, ${environment}, ${ids}::uuid[])`.as('are_there'),
  ),
);

/**
 * Looks names up in one query, so that nobody erases them before this work ends. Of two who hold the same new name the
 * second waits for the first.
 */
export async function holdNames(
  { tx, tenant, cipher }: Work,
  names: readonly (string | null | undefined)[],
): Promise<HeldNames> {
  const keys = new Map(
    names.flatMap((name) => {
      const key = nameKey(name ?? '');
      return key === '' ? [] : [[nameId(cipher, key), key]];
    }),
  );
  if (keys.size === 0) return new Map();
  // In one order for all, so that nobody waits in a circle.
  const ids = [...keys.keys()].toSorted();
  const [row] = await heldOf(tx, { ...tenant, ids });
  return new Map(ids.map((id, at) => [keys.get(id) ?? '', { id, isNew: row?.are_there[at] !== true }]));
}

/** The id of a name that is held, written down now if it is new; null for none. */
export function keepName(work: Work, held: HeldNames, name: string | null): string | null {
  const key = nameKey(name ?? '');
  if (key === '') return null;
  const one = held.get(key);
  if (!one) throw new Error('The name is not held');
  if (one.isNew) {
    const { cipher, tenant, now } = work;
    const sealed = cipher.seal(key, NAME_PLACE);
    const row = { id: one.id, name: sealed, ...nameTokens(cipher, key), created_at: now };
    defer(work, insertRow('order_name', { ...tenantColumns(tenant), ...row }));
    one.isNew = false;
  }
  return one.id;
}

/** Whether all these names are held. */
export const areHeld = (held: HeldNames, names: readonly (string | null)[]): boolean =>
  names.every((name) => nameKey(name ?? '') === '' || held.has(nameKey(name ?? '')));
