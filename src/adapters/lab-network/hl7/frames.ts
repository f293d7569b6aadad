import type { Flaw } from '../wire.ts';

const START_BLOCK = 0x0b;
const END_BLOCK = 0x1c;
const CR = 0x0d;
const LF = 0x0a;
/** What may be thrown away between frames: line ends, blanks, and end blocks of a frame that is over. */
const FILLING = new Set([CR, LF, 0x20, 0x09, END_BLOCK]);
/** How much of a frame that is too large is looked at, to answer it. */
const HEAD_BYTES = 4096;

export interface Frame {
  readonly bytes: Buffer;
  readonly flaw: Flaw | undefined;
}

/** Takes the bytes of a connection as they come, and gives frames. */
export interface Framer {
  /** How many bytes wait for their end. */
  readonly held: number;
  push(chunk: Buffer): Frame[];
  /** What is left when the connection ends. */
  end(): Frame[];
}

/**
 * The minimal lower layer protocol: a start block, the message, an end block and a carriage return. What breaks it is
 * given out with its flaw, so that nobody loses a message to a broken line: a frame that never ended, bytes without a
 * start block, and of a frame beyond the limit its beginning, while the rest is thrown away as it comes.
 */
export function openFramer(limitBytes: number): Framer {
  const kept = openStore(limitBytes);
  const state: State = { kept, inFrame: false, endPending: false };
  return {
    get held() {
      return kept.held;
    },
    push: (chunk) => {
      const frames = state.endPending && chunk.length > 0 ? afterEndBlock(state, chunk) : [];
      let at = 0;
      while (at < chunk.length) {
        const step = state.inFrame ? inside(state, chunk, at) : outside(state, chunk, at);
        frames.push(...step.frames);
        ({ at } = step);
      }
      return frames;
    },
    end: () => {
      const flaw = state.endPending ? undefined : state.inFrame ? 'truncated' : 'unframed';
      return take(state, flaw);
    },
  };
}

interface State {
  readonly kept: Store;
  inFrame: boolean;
  /** An end block was the last byte of a chunk; the next byte says whether it ended the frame. */
  endPending: boolean;
}

interface Step {
  readonly at: number;
  readonly frames: Frame[];
}

function take(state: State, flaw: Flaw | undefined): Frame[] {
  state.inFrame = state.endPending = false;
  const { bytes, isLarge } = state.kept.empty();
  if (bytes.every((byte) => FILLING.has(byte))) return [];
  return [{ bytes, flaw: isLarge ? 'too_large' : flaw }];
}

const endsFrame = (next: number | undefined) => next === CR || next === START_BLOCK;

function afterEndBlock(state: State, chunk: Buffer): Frame[] {
  state.endPending = false;
  if (endsFrame(chunk[0])) return take(state, undefined);
  state.kept.add(Buffer.of(END_BLOCK));
  return [];
}

/** To the end of the frame, or of the chunk. An end block that no carriage return follows is part of the message. */
function inside(state: State, chunk: Buffer, from: number): Step {
  const start = chunk.indexOf(START_BLOCK, from);
  let end = chunk.indexOf(END_BLOCK, from);
  while (end >= 0 && end + 1 < chunk.length && !endsFrame(chunk[end + 1])) {
    end = chunk.indexOf(END_BLOCK, end + 1);
  }
  if (start >= 0 && (end < 0 || start < end)) {
    state.kept.add(chunk.subarray(from, start));
    return { at: start, frames: take(state, 'truncated') };
  }
  state.kept.add(chunk.subarray(from, end < 0 ? chunk.length : end));
  if (end < 0) return { at: chunk.length, frames: [] };
  if (end + 1 < chunk.length) return { at: end + 1, frames: take(state, undefined) };
  state.endPending = true;
  return { at: chunk.length, frames: [] };
}

/** To the next start block, or the end of the chunk. */
function outside(state: State, chunk: Buffer, from: number): Step {
  const start = chunk.indexOf(START_BLOCK, from);
  state.kept.add(chunk.subarray(from, start < 0 ? chunk.length : start));
  if (start < 0) return { at: chunk.length, frames: [] };
  const frames = take(state, 'unframed');
  state.inFrame = true;
  return { at: start + 1, frames };
}

interface Store {
  readonly held: number;
  add(bytes: Buffer): void;
  empty(): { bytes: Buffer; isLarge: boolean };
}

/** One growing buffer, so that many small chunks cost no more than their bytes; beyond the limit its beginning only. */
function openStore(limitBytes: number): Store {
  let store = Buffer.alloc(0);
  let held = 0;
  let total = 0;
  const room = (more: number) => {
    if (held + more <= store.length) return;
    const larger = Buffer.allocUnsafe(Math.max(held + more, store.length * 2));
    store.copy(larger, 0, 0, held);
    store = larger;
  };
  return {
    get held() {
      return held;
    },
    add: (bytes) => {
      total += bytes.length;
      const isLarge = total > limitBytes;
      if (isLarge && held >= HEAD_BYTES) {
        if (store.length > HEAD_BYTES) store = Buffer.from(store.subarray(0, HEAD_BYTES));
        held = HEAD_BYTES;
        return;
      }
      const part = isLarge ? bytes.subarray(0, HEAD_BYTES - held) : bytes;
      room(part.length);
      part.copy(store, held);
      held += part.length;
    },
    empty: () => {
      const emptied = { bytes: store.subarray(0, held), isLarge: total > limitBytes };
      store = Buffer.alloc(0);
      held = total = 0;
      return emptied;
    },
  };
}

const OPENING = Buffer.of(START_BLOCK);
const CLOSING = Buffer.of(END_BLOCK, CR);

/** The message in its blocks. */
export const framed = (message: Buffer): Buffer => Buffer.concat([OPENING, message, CLOSING]);
