import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ColumnSource } from 'hyparquet-writer';
import { pack } from 'tar-stream';
import type { OutputColumn } from './plan.ts';
import type { ColumnKind } from './row.ts';
import type { ResultTable } from './result-table.ts';

/** A result table with the kinds of its columns. */
interface TypedTable {
  readonly outputs: readonly OutputColumn[];
  readonly table: ResultTable;
}

// prettier-ignore
const PARQUET_TYPES: Record<ColumnKind, 'DOUBLE' | 'INT64' | 'STRING' | 'BOOLEAN'> = {
  number: 'DOUBLE', integer: 'INT64', text: 'STRING', boolean: 'BOOLEAN', moment: 'STRING', day: 'STRING',
  list: 'STRING',
};

/** Writes one table as a Parquet file, with columns in the order of the query. */
export async function writeParquet({ outputs, table }: TypedTable): Promise<Uint8Array> {
  // Loaded with the first file, because few processes write one.
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const columnData = outputs.map(({ name, kind }): ColumnSource => {
    const type = PARQUET_TYPES[kind];
    const values = table[name] ?? [];
    return { name, type, data: type === 'INT64' ? values.map(toBigInt) : values };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: 'aliquot' }));
}

const toBigInt = (value: unknown) => (typeof value === 'number' ? BigInt(Math.trunc(value)) : null);

const gzipped = promisify(gzip);

/** Writes several tables as `0.parquet`, `1.parquet` and so on in a gzipped tar archive. */
export async function writeParquetArchive(tables: readonly TypedTable[]): Promise<Uint8Array> {
  const archive = pack();
  for (const [i, table] of tables.entries()) {
    // A fixed modification time makes the archive deterministic.
    archive.entry({ name: `${i}.parquet`, mtime: new Date(0) }, Buffer.from(await writeParquet(table)));
  }
  archive.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of archive) if (piece instanceof Uint8Array) pieces.push(piece);
  return gzipped(Buffer.concat(pieces));
}
