import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { extract } from 'tar-stream';
import { expect, it } from 'vitest';
import type { OutputColumn } from './plan.ts';
import { writeParquetArchive } from './parquet.ts';

const outputs: OutputColumn[] = [
  { name: 'group_key.0', kind: 'moment' },
  { name: 'mean.value', kind: 'number' },
  { name: 'count.value', kind: 'integer' },
  { name: 'newest.napped', kind: 'boolean' },
];
const table = {
  'group_key.0': ['2026-03-01T00:00:00', '2026-03-02T00:00:00'],
  'mean.value': [5.5, null],
  'count.value': [3, 0],
  'newest.napped': [true, null],
};
const empty = { 'group_key.0': [], 'mean.value': [], 'count.value': [], 'newest.napped': [] };

async function filesOf(bytes: Uint8Array) {
  const files: Record<string, unknown> = {};
  const archive = extract();
  archive.end(await promisify(gunzip)(bytes));
  for await (const entry of archive) {
    const pieces: Uint8Array[] = [];
    for await (const piece of entry) pieces.push(piece as Uint8Array);
    const { buffer, byteOffset, length } = Buffer.concat(pieces);
    const file = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
    files[entry.header.name] = await parquetReadObjects({ file });
  }
  return files;
}

it('writes one Parquet file for each query', async () => {
  const bytes = await writeParquetArchive([
    { outputs, table },
    { outputs, table: empty },
  ]);
  expect(await filesOf(bytes)).toEqual({
    '0.parquet': [
      { 'group_key.0': '2026-03-01T00:00:00', 'mean.value': 5.5, 'count.value': 3n, 'newest.napped': true },
      { 'group_key.0': '2026-03-02T00:00:00', 'mean.value': null, 'count.value': 0n, 'newest.napped': null },
    ],
    '1.parquet': [],
  });
});
