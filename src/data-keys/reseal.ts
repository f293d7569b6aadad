import { TELLING_BYTES, type TenantCipher } from '../platform/crypto/cipher.ts';
import type { Work } from '../platform/work.ts';
import { exchange, fetchValues, keyOf, listRows, type Place, type Row } from './reseal-store.ts';

/** So many rows are looked at in one go, and of those that are old so many bytes at once held in memory. */
const ROWS = 500;
const BYTES = 8 * 1024 * 1024;

/** What became of a stretch of a column. */
export interface Stretch {
  readonly resealed: number;
  /** The key of the last row; null when the column is at its end. */
  readonly after: readonly string[] | null;
  /** The keys of rows whose values do not open. */
  readonly closed: readonly (readonly string[])[];
}

/**
 * Seals anew what older keys have sealed, in the next rows of a column. A value that changes meanwhile is left as it is:
 * it is recognised by its nonce and tag, so that what is newer is never written over.
 */
export async function resealColumn(
  work: Work,
  { column, after }: { column: string; after: readonly string[] | null },
): Promise<Stretch> {
  const [table = '', name = ''] = column.split('.');
  const at: Place = { table, name, place: column, key: await keyOf(work.tx, table) };
  const rows = await listRows(work, at, { after, limit: ROWS });
  let resealed = 0;
  const closed: string[][] = [];
  for (const some of portionsOf(rows.filter(({ old }) => old))) {
    const values = await fetchValues(work, at, some);
    const fresh = values.flatMap(({ key, value }) => {
      const sealed = resealedOr(work.cipher, value, column);
      if (!sealed) closed.push(key);
      return sealed ? [{ key, head: value.subarray(0, TELLING_BYTES), sealed }] : [];
    });
    resealed += await exchange(work, at, fresh);
  }
  const isLast = rows.length < ROWS || at.key.length === 0;
  return { resealed, closed, after: isLast ? null : (rows.at(-1)?.key ?? null) };
}

function resealedOr(cipher: TenantCipher, value: Buffer, place: string): Buffer | undefined {
  try {
    return cipher.reseal(value, place);
  } catch {
    return undefined;
  }
}

function portionsOf(rows: readonly Row[]): Row[][] {
  const portions: Row[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    if (bytes + row.bytes > BYTES) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)?.push(row);
    bytes += row.bytes;
  }
  return portions;
}
