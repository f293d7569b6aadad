/** What comes in over a pipe, taken as it is wanted. */
export interface Inbox {
  /** Undefined when nothing comes any more. */
  line(): Promise<string | undefined>;
  /** Fewer where no more come. */
  bytes(length: number): Promise<Buffer>;
}

const NEWLINE = 10;

export function openInbox(stream: AsyncIterable<Buffer>): Inbox {
  const pieces = stream[Symbol.asyncIterator]();
  let kept: Buffer[] = [];
  /** Takes pieces until one of them satisfies; whether there was one. */
  const until = async (isEnough: (piece: Buffer) => boolean): Promise<boolean> => {
    if (kept.some(isEnough)) return true;
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) return false;
      kept.push(value);
      if (isEnough(value)) return true;
    }
  };
  const cut = (length: number, skipped = 0): Buffer => {
    const all = Buffer.concat(kept);
    kept = [all.subarray(length + skipped)];
    return all.subarray(0, length);
  };
  return {
    line: async () => {
      if (!(await until((piece) => piece.includes(NEWLINE)))) return undefined;
      return cut(Buffer.concat(kept).indexOf(NEWLINE), 1).toString();
    },
    bytes: async (length) => {
      let waiting = length;
      await until((piece) => (waiting -= piece.length) <= 0);
      return cut(length);
    },
  };
}
