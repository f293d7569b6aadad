/** Writes integers as zigzag varints: little-endian base 128, with the sign in the lowest bit. */
export class IntegerWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  write(integer: number): void {
    if (this.#length + BYTES_MAX > this.#bytes.length) this.#grow();
    // Bitwise operators truncate beyond 31 bits.
    let rest = integer < 0 ? -2 * integer - 1 : 2 * integer;
    while (rest >= BITWISE_LIMIT) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Resets the writer and reuses its memory: allocation would cost more than writing a small chunk. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** The written bytes; valid until the next write. */
  done(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(): void {
    const wider = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(wider);
    this.#bytes = wider;
  }
}

const BYTES_MAX = 10;
const BITWISE_LIMIT = 2 ** 31;

/** Reads what IntegerWriter wrote, in bulk. */
export class IntegerReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  read(count: number): Float64Array {
    const bytes = this.#bytes;
    const integers = new Float64Array(count);
    let at = this.#at;
    for (let n = 0; n < count; n += 1) {
      let byte = bytes[at++] ?? 0;
      let whole = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        if (shift < 28) whole |= (byte & 127) << shift;
        else whole += (byte & 127) * 2 ** shift;
      }
      integers[n] = whole % 2 === 0 ? whole / 2 : -(whole + 1) / 2;
    }
    if (at > bytes.length) throw new Error('A chunk of samples is truncated');
    this.#at = at;
    return integers;
  }
}
