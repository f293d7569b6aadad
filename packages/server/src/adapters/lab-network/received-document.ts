import { createHash } from 'node:crypto';
import type { ReceivedDocument, ReceivedObservation } from './received.ts';

/** Signatures at the beginning of a file. A PDF may have other bytes before its own. */
const SIGNATURES: readonly (readonly [signature: string, mediaType: string])[] = [
  ['{\\rtf', 'application/rtf'],
  ['\x89PNG\r\n\x1A\n', 'image/png'],
  ['\xFF\xD8\xFF', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
];
const PDF_SEARCHED_BYTES = 1024;
const ESCAPE = 27;
/** White space and escape sequences of character sets are in texts; other control characters are not. */
const isTextByte = (byte: number): boolean => byte >= 32 || (byte >= 9 && byte <= 13) || byte === ESCAPE;

/** The media type by the signature at the beginning, which only the first part of a file has. */
export function detectSignedType(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, PDF_SEARCHED_BYTES).toString('latin1');
  if (head.includes('%PDF-')) return 'application/pdf';
  return SIGNATURES.find(([signature]) => head.startsWith(signature))?.[1];
}

/**
 * The media type by the bytes: what is declared is often wrong, and a file must never be served as something that runs
 * in a browser. Markup is plain text. Undefined for other files.
 */
function detectDocumentType(bytes: Buffer): string | undefined {
  const signed = detectSignedType(bytes);
  if (signed !== undefined) return signed;
  return bytes.every(isTextByte) ? 'text/plain' : undefined;
}

const DOCUMENT_LIMIT_BYTES = 20 * 1024 * 1024;

interface DocumentSource {
  readonly test: ReceivedObservation['test'];
  readonly title: string | null;
  readonly content: Buffer;
}

/** The document, or what is wrong with it. */
export function createDocument({ test, title, content }: DocumentSource): ReceivedDocument | string {
  if (content.length === 0) return 'it is empty';
  if (content.length > DOCUMENT_LIMIT_BYTES) return 'it is larger than 20 MB';
  const mediaType = detectDocumentType(content);
  if (mediaType === undefined) return 'its type is not supported';
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { test, title, mediaType, sizeBytes: content.length, sha256, content };
}

/** Signed files whose end can be recognized, with what is there. White space and some other bytes may follow. */
const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': '%%EOF',
  'application/rtf': '}',
  'image/png': 'IEND',
  'image/jpeg': '\xFF\xD9',
};
const ENDING_SEARCHED_BYTES = 2048;

/** Whether the end of a file is missing. Viewers may still show a part of it. */
export const isCutOff = ({
  mediaType,
  content,
}: Pick<ReceivedDocument, 'mediaType' | 'content'>): boolean => {
  const ending = ENDINGS[mediaType ?? ''];
  if (ending === undefined || content === undefined) return false;
  return !content.subarray(-ENDING_SEARCHED_BYTES).toString('latin1').includes(ending);
};

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Decodes base64 in one or more pieces, each of which may have its own padding; undefined if it is not base64. */
export function decodeBase64(pieces: readonly string[]): Buffer | undefined {
  const clean = pieces.map((piece) => piece.replace(/\s+/g, ''));
  if (!clean.every((piece) => BASE64.test(piece))) return undefined;
  // A piece without padding can end within a group of four.
  const groups: string[] = [];
  let group = '';
  for (const piece of clean) {
    group += piece;
    if (piece.endsWith('=')) {
      groups.push(group);
      group = '';
    }
  }
  return Buffer.concat([...groups, group].map((each) => Buffer.from(each, 'base64')));
}

/** Why a document is not shown; a note on its test. */
export const describeUnreadDocument = (title: string | null, reason: string): string =>
  `The laboratory enclosed a document that could not be read (${title ?? 'document'}): ${reason}. It stays in the message.`;

export const describeCutDocument = (title: string | null): string =>
  `The document ${title ?? 'of the laboratory'} seems to be incomplete: its end is missing.`;

/** Tells the readers of a test that has no other results where they are. */
export const describeDocument = (title: string | null): string =>
  `Reported in a document that the laboratory enclosed: ${title ?? 'document'}`;
