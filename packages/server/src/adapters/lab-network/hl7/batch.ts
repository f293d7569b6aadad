const CR = 13;
const LF = 10;
const START_BLOCK = 0x0b;
const END_BLOCK = 0x1c;
/** Batch segments, which do not belong to a message. */
const WRAPPERS = ['FHS', 'BHS', 'BTS', 'FTS'];
/** A line that starts a message or wraps messages, after optional blanks and byte order mark. */
const START_OF_MESSAGE = new RegExp(
  `^((?:\\xEF\\xBB\\xBF)?[ \\t]*)(?:(MSH)(?=[^\\w\\s])|(?:${WRAPPERS.join('|')})(?=[^\\w\\s]|\\s*$))`,
);
/** A line that can be dropped: blanks, a DOS end-of-file byte, or batch software segments. */
const IGNORED_LINE = /^(?:(?:\xEF\xBB\xBF)?[\0-\x20]*$|(?:SFT|UAC)[^\w\s])/;

/**
 * Splits a file or batch into messages, byte for byte. A message runs from its MSH to the next MSH or the end of its
 * frame or batch, without MLLP blocks. Other lines between messages become a piece of their own, so that nothing is
 * lost silently. Bytes without a message are returned as one piece. Never throws.
 */
export function splitMessages(bytes: Buffer): Buffer[] {
  if (isOneMessage(bytes)) return [bytes];
  const pieces: Buffer[] = [];
  let hasMessage = false;
  let start = -1;
  const closeAt = (end: number) => {
    if (start >= 0) pieces.push(stripBlocks(bytes.subarray(start, end)));
    start = -1;
  };
  for (const { at, text, isBehindFrame } of iterateLines(bytes)) {
    const [beginning, before = '', msh] = START_OF_MESSAGE.exec(text) ?? [];
    if (beginning !== undefined || isBehindFrame) closeAt(at);
    if (msh !== undefined) {
      start = at + before.length;
      hasMessage = true;
    } else if (start < 0 && beginning === undefined && !IGNORED_LINE.test(text)) start = at;
  }
  closeAt(bytes.length);
  return hasMessage ? pieces : [bytes];
}

/** A fast path: nothing in the bytes could start another message or end this one. */
const isOneMessage = (bytes: Buffer): boolean =>
  bytes.indexOf('MSH') === 0 &&
  !bytes.includes('MSH', 1) &&
  !bytes.includes(START_BLOCK) &&
  !bytes.includes(END_BLOCK) &&
  !WRAPPERS.some((name) => bytes.includes(name));

const isBreak = (byte: number | undefined): boolean =>
  byte === CR || byte === LF || byte === START_BLOCK || byte === END_BLOCK;

interface BatchLine {
  readonly at: number;
  /** Decoded as latin1, one character per byte. */
  readonly text: string;
  /** An end block closed the previous lines; an end block inside a line is part of its text. */
  readonly isBehindFrame: boolean;
}

function* iterateLines(bytes: Buffer): Generator<BatchLine> {
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

/** Removes trailing MLLP blocks and everything after them. */
function stripBlocks(bytes: Buffer): Buffer {
  let end = bytes.length;
  for (let at = end - 1; at >= 0 && isBreak(bytes[at]); at -= 1) {
    if (bytes[at] === START_BLOCK || bytes[at] === END_BLOCK) end = at;
  }
  return bytes.subarray(0, end);
}
