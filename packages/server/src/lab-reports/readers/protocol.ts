import { FILE_TYPES, PAGES_MAX } from 'aliquot-report-reader/files';
import { z } from 'zod';
import { ReportExtraction } from '../extraction.ts';
import { ParsingJobFailureReason } from '../schema.ts';

/*
 * Protocol between the service and a worker process. The request is one line of JSON, followed by the bytes of the
 * files. The reply is a sequence of frames: kind (1 byte), length (4 bytes, big endian), payload.
 */

/** Argument that warms up a process before its request; followed by the path of the operator's Loinc.csv, or ''. */
export const WARM_UP_ARGUMENT = 'warm';

const RequestFiles = z.array(z.object({ type: z.string(), bytes: z.int().min(0) }));

export const WorkerRequest = z.discriminatedUnion('ask', [
  /** Can the upload be accepted? */
  z.object({ ask: z.literal('check'), files: RequestFiles }),
  /** Read the report. */
  z.object({
    ask: z.literal('read'),
    files: RequestFiles,
    loincCsv: z.string().nullable(),
    /** Whether the process may request a second reading: it sends words, and gets one line of `ExtractorLines`. */
    hasExtractor: z.boolean(),
  }),
  /** Render a page; pages count from 1. */
  z.object({ ask: z.literal('page'), files: RequestFiles, page: z.int().min(1) }),
]);
export type WorkerRequest = z.output<typeof WorkerRequest>;

/** The detected types and page count of an upload, or why it is rejected, as an error message for the client. */
export const FileCheckReply = z.union([
  z.object({ refused: z.string() }),
  z.object({ types: z.array(z.enum(FILE_TYPES)), pages: z.int().min(1) }),
]);

export const ReadOutcome = z.union([
  z.object({ failed: ParsingJobFailureReason }),
  z.object({ read: ReportExtraction }),
]);
export type ReadOutcome = z.output<typeof ReadOutcome>;

export const WORDS_MAX = 40_000;
const Side = z.number();
/** All words of a report, which a process sends to request a second reading. */
export const ExtractorWords = z
  .array(
    z.object({
      text: z.string(),
      page: z.int().min(1).max(PAGES_MAX),
      box: z.object({ x0: Side, y0: Side, x1: Side, y1: Side }),
    }),
  )
  .max(WORDS_MAX);

const printed = z.string().nullable();
/** The lines that the extractor returns. */
export const ExtractorLines = z.array(
  z.object({ name: z.string(), value: z.string(), unit: printed, referenceRange: printed, flag: printed }),
);

export const FRAMES = { progress: 1, text: 2, bytes: 3, words: 4 } as const;
export type WorkerFrameKind = keyof typeof FRAMES;
const HEAD_BYTES = 5;
/** Larger than any valid reply. */
const FRAME_BYTES_MAX = 64 * 1024 * 1024;

export function encodeFrame(kind: WorkerFrameKind, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FRAMES[kind], 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

interface WorkerFrame {
  readonly kind: number;
  readonly payload: Buffer;
}

/** Returns a decoder that takes chunks of a stream and returns the complete frames. Throws on an oversized frame. */
export function createFrameDecoder(): (piece: Buffer) => WorkerFrame[] {
  let pieces: Buffer[] = [];
  let length = 0;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    const frames: WorkerFrame[] = [];
    for (;;) {
      if (length < HEAD_BYTES) return frames;
      let waiting = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
      pieces = [waiting];
      const size = waiting.readUInt32BE(1);
      if (size > FRAME_BYTES_MAX) throw new Error('A worker process sent too much data in one frame');
      if (length < HEAD_BYTES + size) return frames;
      frames.push({ kind: waiting.readUInt8(0), payload: waiting.subarray(HEAD_BYTES, HEAD_BYTES + size) });
      waiting = waiting.subarray(HEAD_BYTES + size);
      pieces = [waiting];
      length = waiting.length;
    }
  };
}
