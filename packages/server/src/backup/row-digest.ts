import { hash } from 'node:crypto';
import type pg from 'pg';

const LANES = [0, 4, 8, 12] as const;
const NEWLINE = 10;

/**
 * Counts and digests the rows of a COPY in text format, in any order: the sum of the SHA-256 of every row. In this
 * format a line break always ends a row. Holds one row in memory.
 */
export class RowDigest {
  readonly #sums = LANES.map(() => 0);
  #rows = 0;
  #unfinished: Buffer[] = [];

  update(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      this.#add(bytes.subarray(from, end));
      from = end + 1;
    }
    if (from < bytes.length) this.#unfinished.push(bytes.subarray(from));
  }

  #add(end: Buffer): void {
    const row = this.#unfinished.length === 0 ? end : Buffer.concat([...this.#unfinished, end]);
    this.#unfinished = [];
    const digest = hash('sha256', row, 'buffer');
    for (const [lane, at] of LANES.entries())
      this.#sums[lane] = ((this.#sums[lane] ?? 0) + digest.readUInt32BE(at)) >>> 0;
    this.#rows += 1;
  }

  get rows(): number {
    return this.#rows;
  }

  toString(): string {
    return this.#sums.map((sum) => sum.toString(16).padStart(8, '0')).join('');
  }
}

/** Passes the bytes on, and digests them. */
export async function* digestRows(bytes: AsyncIterable<Buffer>, digest: RowDigest): AsyncGenerator<Buffer> {
  for await (const some of bytes) {
    digest.update(some);
    yield some;
  }
}

/** Settings that change how a value is written as text, so that equal rows have equal digests everywhere. */
export const setTextFormat = async (client: pg.ClientBase): Promise<void> =>
  void (await client.query(
    `select set_config(name, value, true) from (values ('TimeZone', 'UTC'), ('DateStyle', 'ISO, YMD'),
       ('IntervalStyle', 'postgres'), ('extra_float_digits', '1'), ('bytea_output', 'hex')) as s (name, value)`,
  ));
