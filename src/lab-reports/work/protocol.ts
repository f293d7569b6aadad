import { z } from 'zod';
import { Extraction } from '../extraction.ts';
import { ParsingJobFailureReason } from '../schema.ts';

/**
 * What a worker process is asked and what it answers. The question goes in as one line of JSON with the bytes of the
 * files behind it; answers come out as frames of a kind, a length in four bytes, and so many bytes.
 */
/** The argument that lets a process get ready before it is asked; behind it the user's own Loinc.csv, or nothing. */
export const WARM = 'warm';

export const FILE_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const;
export type FileType = (typeof FILE_TYPES)[number];

export const PAGES_MAX = 30;
export const IMAGES_MAX = 8;

const Files = z.array(z.object({ type: z.string(), bytes: z.int().min(0) }));

export const Question = z.discriminatedUnion('ask', [
  /** May this upload be taken? */
  z.object({ ask: z.literal('check'), files: Files }),
  /** What does the report say? */
  z.object({
    ask: z.literal('read'),
    files: Files,
    loincCsv: z.string().nullable(),
    /** Whether it may ask for a second reading: sends words, and is given a line with `Said`. */
    hasExtractor: z.boolean(),
  }),
  /** How does a page look? From 1. */
  z.object({ ask: z.literal('page'), files: Files, page: z.int().min(1) }),
]);
export type Question = z.output<typeof Question>;

/** The files of an upload, told by their bytes; or why the upload is refused, as a sentence for the caller. */
export const Checked = z.union([
  z.object({ refused: z.string() }),
  z.object({ types: z.array(z.enum(FILE_TYPES)), pages: z.int().min(1) }),
]);
export type Checked = z.output<typeof Checked>;

export const Outcome = z.union([
  z.object({ failed: ParsingJobFailureReason }),
  z.object({ read: Extraction }),
]);
export type Outcome = z.output<typeof Outcome>;

export const WORDS_MAX = 40_000;
const Side = z.number();
/** What a process asks a second reading for: all words of a report. */
export const Words = z
  .array(
    z.object({
      text: z.string(),
      page: z.int().min(1).max(PAGES_MAX),
      box: z.object({ x0: Side, y0: Side, x1: Side, y1: Side }),
    }),
  )
  .max(WORDS_MAX);

const printed = z.string().nullable();
/** What it is answered. */
export const Said = z.array(
  z.object({ name: z.string(), value: z.string(), unit: printed, referenceRange: printed, flag: printed }),
);

export const FRAMES = { progress: 1, text: 2, bytes: 3, words: 4 } as const;
export type FrameKind = keyof typeof FRAMES;
const HEAD_BYTES = 5;
/** No honest answer is longer. */
const FRAME_BYTES_MAX = 64 * 1024 * 1024;

export function frame(kind: FrameKind, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FRAMES[kind], 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

/** Takes pieces of a stream and gives the frames that are complete. Throws on one that is too long. */
export function frameReader(): (piece: Buffer) => Frame[] {
  let pieces: Buffer[] = [];
  let length = 0;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    const frames: Frame[] = [];
    for (;;) {
      if (length < HEAD_BYTES) return frames;
      let waiting = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
      pieces = [waiting];
      const size = waiting.readUInt32BE(1);
      if (size > FRAME_BYTES_MAX) throw new Error('A worker process answered too much');
      if (length < HEAD_BYTES + size) return frames;
      frames.push({ kind: waiting.readUInt8(0), payload: waiting.subarray(HEAD_BYTES, HEAD_BYTES + size) });
      waiting = waiting.subarray(HEAD_BYTES + size);
      pieces = [waiting];
      length = waiting.length;
    }
  };
}
