const CR = 13;
const LF = 10;
const START_BLOCK = 0x0b;
const END_BLOCK = 0x1c;
const WRAPPERS = new Set(['FHS', 'BHS', 'BTS', 'FTS']);

/**
 * The messages in a file or batch, each byte for byte: a message goes from its MSH to before the next MSH or the end
 * of the batch, without the blocks of MLLP that it may stand in. Bytes that are one message, or without an MSH, are
 * one piece as they are. Never throws.
 */
export function split(bytes: Buffer): Buffer[] {
  if (isOneMessage(bytes)) return [bytes];
  const messages: Buffer[] = [];
  let start = -1;
  for (const line of linesOf(bytes)) {
    const name = bytes.subarray(line, line + 3).toString('latin1');
    const begins = name === 'MSH';
    if (start >= 0 && (begins || WRAPPERS.has(name))) {
      messages.push(unblocked(bytes.subarray(start, line)));
      start = -1;
    }
    if (begins) start = line;
  }
  if (start === 0 && messages.length === 0) return [bytes];
  if (start >= 0) messages.push(unblocked(bytes.subarray(start)));
  return messages.length > 0 ? messages : [bytes];
}

/** Sure of it without looking at every byte: nothing in it could begin another message, or end this one. */
const isOneMessage = (bytes: Buffer): boolean =>
  bytes.indexOf('MSH') === 0 &&
  !bytes.includes('MSH', 1) &&
  !bytes.includes(START_BLOCK) &&
  !bytes.includes(END_BLOCK) &&
  ![...WRAPPERS].some((name) => bytes.includes(name));

const isBreak = (byte: number | undefined): boolean =>
  byte === CR || byte === LF || byte === START_BLOCK || byte === END_BLOCK;

function* linesOf(bytes: Buffer): Generator<number> {
  let begins = true;
  for (let index = 0; index < bytes.length; index += 1) {
    const breaks = isBreak(bytes[index]);
    if (begins && !breaks) yield index;
    begins = breaks;
  }
}

function unblocked(bytes: Buffer): Buffer {
  const end = bytes.indexOf(END_BLOCK);
  const start = bytes.lastIndexOf(START_BLOCK);
  const until = [end, start].filter((index) => index >= 0);
  return until.length === 0 ? bytes : bytes.subarray(0, Math.min(...until));
}
