import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer';
import { pack } from 'tar-stream';
import type { Output } from './plan.ts';
import type { Kind } from './row.ts';
import type { ResultTable } from './result-table.ts';

/** A table with the kinds of its columns. */
export interface TypedTable {
  readonly outputs: readonly Output[];
  readonly table: ResultTable;
}

// prettier-ignore
const TYPES: Record<Kind, 'DOUBLE' | 'INT64' | 'STRING' | 'BOOLEAN'> = {
  number: 'DOUBLE', integer: 'INT64', text: 'STRING', boolean: 'BOOLEAN', moment: 'STRING', day: 'STRING',
  list: 'STRING',
};

/** One table as a Parquet file, its columns in the order of the query. */
export function parquetOf({ outputs, table }: TypedTable): Uint8Array {
  const columnData = outputs.map(({ name, kind }): ColumnSource => {
    const type = TYPES[kind];
    const values = table[name] ?? [];
    return { name, type, data: type === 'INT64' ? values.map(integer) : values };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: 'aliquot' }));
}

const integer = (value: unknown) => (typeof value === 'number' ? BigInt(Math.trunc(value)) : null);

const gzipped = promisify(gzip);

/** Several tables: `0.parquet`, `1.parquet` and so on in a tar archive, compressed. */
export async function parquetFile(tables: readonly TypedTable[]): Promise<Uint8Array> {
  const archive = pack();
  for (const [i, table] of tables.entries()) {
    // The same tables are the same bytes.
    archive.entry({ name: `${i}.parquet`, mtime: new Date(0) }, Buffer.from(parquetOf(table)));
  }
  archive.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of archive) if (piece instanceof Uint8Array) pieces.push(piece);
  return gzipped(Buffer.concat(pieces));
}
