import { UNIQUE_PREFIX_BYTES, type TenantCipher } from '../platform/crypto/cipher.ts';
import type { Work } from '../platform/work.ts';
import {
  replaceValues,
  listSealedValues,
  listKeyColumns,
  listSealedRows,
  type SealedColumn,
  type SealedValueRow,
} from './reseal-store.ts';

/** The rows checked per batch, and the bytes of old values held in memory at once. */
const ROWS_PER_BATCH = 500;
const BYTES_IN_MEMORY_MAX = 8 * 1024 * 1024;

/** The outcome of one batch of a column or of files. */
export interface ResealBatch {
  readonly resealed: number;
  /** The primary key of the last row; null at the end of the column. */
  readonly after: readonly string[] | null;
  /** The primary keys of the rows whose values cannot be decrypted. */
  readonly unopenable: readonly (readonly string[])[];
}

/**
 * Reseals the values of older keys in the next rows of a column. The old value is identified by its nonce and tag, so
 * a value that changes concurrently is never overwritten.
 */
export async function resealColumn(
  work: Work,
  { column, after }: { column: string; after: readonly string[] | null },
): Promise<ResealBatch> {
  const [table = '', name = ''] = column.split('.');
  const at: SealedColumn = { table, name, context: column, key: await listKeyColumns(work.tx, table) };
  const rows = await listSealedRows(work, at, { after, limit: ROWS_PER_BATCH });
  let resealed = 0;
  const closed: string[][] = [];
  for (const some of splitByBytes(rows.filter(({ old }) => old))) {
    const values = await listSealedValues(work, at, some);
    const fresh = values.flatMap(({ key, value }) => {
      const sealed = tryReseal(work.cipher, value, column);
      if (!sealed) closed.push(key);
      return sealed ? [{ key, head: value.subarray(0, UNIQUE_PREFIX_BYTES), sealed }] : [];
    });
    resealed += await replaceValues(work, at, fresh);
  }
  const isLast = rows.length < ROWS_PER_BATCH || at.key.length === 0;
  return { resealed, unopenable: closed, after: isLast ? null : (rows.at(-1)?.key ?? null) };
}

function tryReseal(cipher: TenantCipher, value: Buffer, place: string): Buffer | undefined {
  try {
    return cipher.reseal(value, place);
  } catch {
    return undefined;
  }
}

function splitByBytes(rows: readonly SealedValueRow[]): SealedValueRow[][] {
  const portions: SealedValueRow[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    if (bytes + row.bytes > BYTES_IN_MEMORY_MAX) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)?.push(row);
    bytes += row.bytes;
  }
  return portions;
}
