import type { FrameDefect } from '../protocol.ts';

const START_BLOCK = 0x0b;
const END_BLOCK = 0x1c;
const CR = 0x0d;
const LF = 0x0a;
/** Bytes that are ignored between frames: line ends, blanks and repeated end blocks. */
const FILLER_BYTES = new Set([CR, LF, 0x20, 0x09, END_BLOCK]);
/** Bytes kept of a frame that is too large, so that it can be acknowledged. */
const HEAD_BYTES = 4096;

export interface MllpFrame {
  readonly bytes: Buffer;
  readonly flaw: FrameDefect | undefined;
}

/** Splits the byte stream of a connection into frames. */
interface MllpFramer {
  /** Number of buffered bytes of the unfinished frame. */
  readonly bufferedBytes: number;
  push(chunk: Buffer): MllpFrame[];
  /** Returns the rest when the connection ends. */
  end(): MllpFrame[];
}

/**
 * MLLP: start block (0x0B), message, end block (0x1C), carriage return. Invalid input is returned with its defect, so
 * that no message is lost silently: a frame without an end, bytes without a start block, and the beginning of a frame
 * above the limit, whose rest is discarded.
 */
export function createFramer(limitBytes: number): MllpFramer {
  const kept = createFrameBuffer(limitBytes);
  const state: FramerState = { kept, inFrame: false, endPending: false };
  return {
    get bufferedBytes() {
      return kept.bufferedBytes;
    },
    push: (chunk) => {
      const frames = state.endPending && chunk.length > 0 ? resolveEndBlock(state, chunk) : [];
      let at = 0;
      while (at < chunk.length) {
        const step = state.inFrame ? readInsideFrame(state, chunk, at) : readOutsideFrame(state, chunk, at);
        frames.push(...step.frames);
        ({ at } = step);
      }
      return frames;
    },
    end: () => {
      const flaw = state.endPending ? undefined : state.inFrame ? 'truncated' : 'unframed';
      return takeFrame(state, flaw);
    },
  };
}

interface FramerState {
  readonly kept: FrameBuffer;
  inFrame: boolean;
  /** The last chunk ended with an end block; the next byte decides whether it ended the frame. */
  endPending: boolean;
}

interface FramerStep {
  readonly at: number;
  readonly frames: MllpFrame[];
}

function takeFrame(state: FramerState, flaw: FrameDefect | undefined): MllpFrame[] {
  state.inFrame = state.endPending = false;
  const { bytes, isLarge } = state.kept.empty();
  if (bytes.every((byte) => FILLER_BYTES.has(byte))) return [];
  return [{ bytes, flaw: isLarge ? 'too_large' : flaw }];
}

/** Some senders end a frame with a line feed instead of the carriage return. */
const endsFrame = (next: number | undefined) => next === CR || next === LF || next === START_BLOCK;

function resolveEndBlock(state: FramerState, chunk: Buffer): MllpFrame[] {
  state.endPending = false;
  if (endsFrame(chunk[0])) return takeFrame(state, undefined);
  state.kept.add(Buffer.of(END_BLOCK));
  return [];
}

/** Reads to the end of the frame or chunk. An end block without a following line end is part of the message. */
function readInsideFrame(state: FramerState, chunk: Buffer, from: number): FramerStep {
  const start = chunk.indexOf(START_BLOCK, from);
  let end = chunk.indexOf(END_BLOCK, from);
  while (end >= 0 && end + 1 < chunk.length && !endsFrame(chunk[end + 1])) {
    end = chunk.indexOf(END_BLOCK, end + 1);
  }
  if (start >= 0 && (end < 0 || start < end)) {
    state.kept.add(chunk.subarray(from, start));
    return { at: start, frames: takeFrame(state, 'truncated') };
  }
  state.kept.add(chunk.subarray(from, end < 0 ? chunk.length : end));
  if (end < 0) return { at: chunk.length, frames: [] };
  if (end + 1 < chunk.length) return { at: end + 1, frames: takeFrame(state, undefined) };
  state.endPending = true;
  return { at: chunk.length, frames: [] };
}

/** Reads to the next start block or the end of the chunk. */
function readOutsideFrame(state: FramerState, chunk: Buffer, from: number): FramerStep {
  const start = chunk.indexOf(START_BLOCK, from);
  state.kept.add(chunk.subarray(from, start < 0 ? chunk.length : start));
  if (start < 0) return { at: chunk.length, frames: [] };
  const frames = takeFrame(state, 'unframed');
  state.inFrame = true;
  return { at: start + 1, frames };
}

interface FrameBuffer {
  readonly bufferedBytes: number;
  add(bytes: Buffer): void;
  empty(): { bytes: Buffer; isLarge: boolean };
}

/** A growing buffer with amortized linear cost. Above the limit it keeps only the beginning. */
function createFrameBuffer(limitBytes: number): FrameBuffer {
  let store = Buffer.alloc(0);
  let bufferedBytes = 0;
  let total = 0;
  const room = (more: number) => {
    if (bufferedBytes + more <= store.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bufferedBytes + more, store.length * 2));
    store.copy(larger, 0, 0, bufferedBytes);
    store = larger;
  };
  return {
    get bufferedBytes() {
      return bufferedBytes;
    },
    add: (bytes) => {
      total += bytes.length;
      const isLarge = total > limitBytes;
      if (isLarge && bufferedBytes >= HEAD_BYTES) {
        if (store.length > HEAD_BYTES) store = Buffer.from(store.subarray(0, HEAD_BYTES));
        bufferedBytes = HEAD_BYTES;
        return;
      }
      const part = isLarge ? bytes.subarray(0, HEAD_BYTES - bufferedBytes) : bytes;
      room(part.length);
      part.copy(store, bufferedBytes);
      bufferedBytes += part.length;
    },
    empty: () => {
      const emptied = { bytes: store.subarray(0, bufferedBytes), isLarge: total > limitBytes };
      store = Buffer.alloc(0);
      bufferedBytes = total = 0;
      return emptied;
    },
  };
}

const OPENING = Buffer.of(START_BLOCK);
const CLOSING = Buffer.of(END_BLOCK, CR);

/** Wraps a message in its MLLP blocks. */
export const wrapFrame = (message: Buffer): Buffer => Buffer.concat([OPENING, message, CLOSING]);
