const CR = 13;
const LF = 10;
const START_BLOCK = 0x0b;
const END_BLOCK = 0x1c;
/** What may stand around messages, where it does not belong to one. */
const WRAPPERS = ['FHS', 'BHS', 'BTS', 'FTS'];
/** How a line begins a message or is around it, behind the blanks and the byte order mark that some editors write. */
const BEGINNING = new RegExp(
  `^((?:\\xEF\\xBB\\xBF)?[ \\t]*)(?:(MSH)(?=[^\\w\\s])|(?:${WRAPPERS.join('|')})(?=[^\\w\\s]|\\s*$))`,
);
/** A line of which nobody misses anything: blanks, the last byte of a file of DOS, who wrote the batch. */
const IDLE = /^(?:(?:\xEF\xBB\xBF)?[\0-\x20]*$|(?:SFT|UAC)[^\w\s])/;

/**
 * The messages in a file or batch, each byte for byte: a message goes from its MSH to before the next MSH or the end
 * of its frame or batch, without the blocks of MLLP that it may stand in. Lines between them are a piece of their own,
 * which nobody can read: what is not understood is given out all the same. Bytes without a message are one piece as
 * they are. Never throws.
 */
export function split(bytes: Buffer): Buffer[] {
  if (isOneMessage(bytes)) return [bytes];
  const pieces: Buffer[] = [];
  let hasMessage = false;
  let start = -1;
  const closeAt = (end: number) => {
    if (start >= 0) pieces.push(unblocked(bytes.subarray(start, end)));
    start = -1;
  };
  for (const { at, text, isBehindFrame } of linesOf(bytes)) {
    const [beginning, before = '', msh] = BEGINNING.exec(text) ?? [];
    if (beginning !== undefined || isBehindFrame) closeAt(at);
    if (msh !== undefined) {
      start = at + before.length;
      hasMessage = true;
    } else if (start < 0 && beginning === undefined && !IDLE.test(text)) start = at;
  }
  closeAt(bytes.length);
  return hasMessage ? pieces : [bytes];
}

/** Sure of it without looking at every byte: nothing in it could begin another message, or end this one. */
const isOneMessage = (bytes: Buffer): boolean =>
  bytes.indexOf('MSH') === 0 &&
  !bytes.includes('MSH', 1) &&
  !bytes.includes(START_BLOCK) &&
  !bytes.includes(END_BLOCK) &&
  !WRAPPERS.some((name) => bytes.includes(name));

const isBreak = (byte: number | undefined): boolean =>
  byte === CR || byte === LF || byte === START_BLOCK || byte === END_BLOCK;

interface Line {
  readonly at: number;
  /** In latin1, where every byte is a character. */
  readonly text: string;
  /** An end block closed what was before; one inside of a line is part of its text. */
  readonly isBehindFrame: boolean;
}

function* linesOf(bytes: Buffer): Generator<Line> {
  let isBehindFrame = false;
  for (let at = 0; at < bytes.length; at += 1) {
    if (isBreak(bytes[at])) {
      isBehindFrame ||= bytes[at] === END_BLOCK && (at + 1 === bytes.length || isBreak(bytes[at + 1]));
      continue;
    }
    let end = at + 1;
    while (end < bytes.length && !isBreak(bytes[end])) end += 1;
    yield { at, text: bytes.toString('latin1', at, end), isBehindFrame };
    isBehindFrame = false;
    at = end - 1;
  }
}

/** Without the blocks at its end, and what is behind them. */
function unblocked(bytes: Buffer): Buffer {
  let end = bytes.length;
  for (let at = end - 1; at >= 0 && isBreak(bytes[at]); at -= 1) {
    if (bytes[at] === START_BLOCK || bytes[at] === END_BLOCK) end = at;
  }
  return bytes.subarray(0, end);
}
