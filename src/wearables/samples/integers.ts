/** Whole numbers one after the other, small ones in few bytes: seven bits a byte, the sign in the lowest bit. */
export class IntegerWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  write(integer: number): void {
    if (this.#length + MAX_BYTES > this.#bytes.length) this.#grow();
    // Beyond 31 bits the operators on bits forget what is above.
    let rest = integer < 0 ? -2 * integer - 1 : 2 * integer;
    while (rest >= HALF) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Begins anew, in the same memory: to get and to clear it would cost more than a small chunk does. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** What was written; it stays until something else is. */
  done(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(): void {
    const wider = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(wider);
    this.#bytes = wider;
  }
}

const MAX_BYTES = 10;
const HALF = 2 ** 31;

/** Reads what IntegerWriter wrote, many at once. */
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
    if (at > bytes.length) throw new Error('A chunk of samples ends too early');
    this.#at = at;
    return integers;
  }
}
