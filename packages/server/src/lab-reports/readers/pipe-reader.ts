/** Reads lines and bytes from a pipe on demand. */
interface PipeReader {
  /** The next line, or undefined if the pipe ends before one. */
  readLine(): Promise<string | undefined>;
  /** The next `length` bytes, or fewer if the pipe ends. */
  readBytes(length: number): Promise<Buffer>;
}

const NEWLINE = 10;

export function openPipeReader(stream: AsyncIterable<Buffer>): PipeReader {
  const pieces = stream[Symbol.asyncIterator]();
  let kept: Buffer[] = [];
  /** Buffers chunks until one satisfies `isEnough`; returns whether one did. */
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
    readLine: async () => {
      if (!(await until((piece) => piece.includes(NEWLINE)))) return undefined;
      return cut(Buffer.concat(kept).indexOf(NEWLINE), 1).toString();
    },
    readBytes: async (length) => {
      let waiting = length;
      await until((piece) => (waiting -= piece.length) <= 0);
      return cut(length);
    },
  };
}
