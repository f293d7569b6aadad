import {
  createDocument,
  decodeBase64,
  describeCutDocument,
  describeDocument,
  describeUnreadDocument,
  isCutOff,
} from '../received-document.ts';
import type { ReceivedDocument } from '../received.ts';
import { hasGap, joinDocumentParts, type DocumentParts } from './document-parts.ts';
import { mapDefined, readCodedElement } from './fields.ts';
import type { RequestSegments } from './group-segments.ts';
import { isEnclosed } from './observation.ts';
import type { FieldReader, Hl7Segment } from './syntax.ts';

interface EnclosedDocuments {
  readonly documents: readonly ReceivedDocument[];
  /** About documents that cannot be read, and about a test that has only documents. */
  readonly notes: readonly string[];
}

/** The documents of one OBR: ED holds one, RP points to one elsewhere. */
export function readEnclosedDocuments(
  read: FieldReader,
  { request, observations }: RequestSegments,
): EnclosedDocuments {
  const documents: ReceivedDocument[] = [];
  const notes: string[] = [];
  const enclosed = mapDefined(observations, ({ segment }) => (isEnclosed(read, segment) ? segment : null));
  if (enclosed.length === 0) return { documents, notes };
  const test = readCodedElement(read, read.all(request, 4)[0]);
  const hasOnlyDocuments = enclosed.length === observations.length;
  for (const parts of joinDocumentParts(read, enclosed)) {
    const title = readCodedElement(read, read.all(parts[0], 3)[0]).name;
    const document = readDocument(read, parts, { test, title });
    if (typeof document === 'string') notes.push(describeUnreadDocument(title, document));
    else {
      documents.push(document);
      if (hasOnlyDocuments) notes.push(describeDocument(title));
      if (isCutOff(document)) notes.push(describeCutDocument(title));
    }
  }
  return { documents, notes };
}

type DocumentLabel = Pick<ReceivedDocument, 'test' | 'title'>;

/** The document in these OBX segments, or why it cannot be read. */
function readDocument(
  read: FieldReader,
  segments: DocumentParts,
  label: DocumentLabel,
): ReceivedDocument | string {
  const [first] = segments;
  if (read.get(first, 2) === 'RP') {
    const address = read.get(first, 5);
    if (address === null) return 'its reference is empty';
    return {
      ...label,
      mediaType: null,
      sizeBytes: null,
      sha256: null,
      address: address.slice(0, ADDRESS_MAX),
    };
  }
  if (hasGap(read, segments)) return 'a part of it is missing';
  const content = readContent(read, segments);
  return typeof content === 'string' ? content : createDocument({ ...label, content });
}

const ADDRESS_MAX = 2000;
const REPETITIONS_MAX = 999;
const DATA_COMPONENT = 5;
const COMPONENTS_MAX = 1000;

/** ED: source application, type, subtype, encoding, data. Long data continue in more components or repetitions. */
function readContent(read: FieldReader, segments: DocumentParts): Buffer | string {
  const repetitions = segments.flatMap((segment) => read.all(segment, 5));
  if (repetitions.length > REPETITIONS_MAX) return 'it has too many parts';
  const [first = ''] = repetitions;
  const encoding = (read.part(first, 4) ?? '').toUpperCase();
  const pieces = repetitions.flatMap((raw, index) => readPieces(read, raw, index === 0));
  if (encoding === 'A') return Buffer.from(pieces.join('\n'));
  if (encoding === 'HEX') {
    const hex = pieces.join('').replace(/\s+/g, '');
    return /^([0-9A-F]{2})*$/i.test(hex) ? Buffer.from(hex, 'hex') : 'its data are not hexadecimal';
  }
  return (
    decodeBase64(pieces) ?? (encoding === '' ? Buffer.from(pieces.join('\n')) : 'its data are not base64')
  );
}

/** A later repetition either repeats the four components before the data, or is data alone. */
function readPieces(read: FieldReader, raw: string, isFirst: boolean): string[] {
  const start = isFirst || read.part(raw, DATA_COMPONENT) !== null ? DATA_COMPONENT : 1;
  const components = Array.from({ length: COMPONENTS_MAX }, (_, index) => index + start);
  const pieces: string[] = [];
  for (const component of components) {
    const piece = read.part(raw, component);
    if (piece === null) break;
    pieces.push(piece);
  }
  return pieces;
}

/** Notes on enclosed documents, which are not results and so cannot carry them. */
export function listDocumentNotes(read: FieldReader, { observations }: RequestSegments): Hl7Segment[] {
  return mapDefined(observations, ({ segment, notes }) =>
    notes.length > 0 && isEnclosed(read, segment) ? notes : null,
  ).flat();
}
