import { decodeBase64, detectSignedType } from '../received-document.ts';
import type { FieldReader, Hl7Segment } from './syntax.ts';

/** The OBX segments of one document, in the order of their content. */
export type DocumentParts = readonly [Hl7Segment, ...Hl7Segment[]];

/**
 * Joins the OBX segments that continue a document: those with its OBX-3 that declare the same type, or none, and do not
 * begin with the signature of a file themselves. Complete documents under one code stay separate.
 */
export function joinDocumentParts(read: FieldReader, enclosed: readonly Hl7Segment[]): DocumentParts[] {
  const byCode = new Map<string, Hl7Segment[]>();
  for (const segment of enclosed) {
    const code = `${read.get(segment, 2)} ${segment.fields[3] ?? ''}`;
    byCode.set(code, [...(byCode.get(code) ?? []), segment]);
  }
  return [...byCode.values()].flatMap((segments) => joinOfOneCode(read, segments));
}

function joinOfOneCode(read: FieldReader, segments: readonly Hl7Segment[]): DocumentParts[] {
  const joined: [Hl7Segment, ...Hl7Segment[]][] = [];
  for (const segment of sortByNumber(read, segments)) {
    const last = joined.at(-1);
    if (last && isContinuation(read, last[0], segment)) last.push(segment);
    else joined.push([segment]);
  }
  return joined;
}

function isContinuation(read: FieldReader, first: Hl7Segment, next: Hl7Segment): boolean {
  if (read.get(first, 2) !== 'ED' || detectPartType(read, first) === undefined) return false;
  return detectPartType(read, next) === undefined && hasSameType(read, first, next);
}

const TYPE_COMPONENTS = [2, 3, 4] as const;

/** Whether both declare the same type and encoding, as far as they do. */
const hasSameType = (read: FieldReader, one: Hl7Segment, other: Hl7Segment): boolean =>
  TYPE_COMPONENTS.every((component) => {
    const [here, there] = [read.get(one, 5, component), read.get(other, 5, component)];
    return there === null || here?.toUpperCase() === there.toUpperCase();
  });

const HEAD_CHARACTERS = 1400;
const GROUP = 4;

/** The type of the file that begins in this segment; undefined for a later part of one, and for text. */
function detectPartType(read: FieldReader, segment: Hl7Segment): string | undefined {
  const encoding = read.get(segment, 5, 4)?.toUpperCase();
  const data = (read.get(segment, 5, 5) ?? read.get(segment, 5) ?? '').replace(/\s+/g, '');
  const head = data.slice(0, HEAD_CHARACTERS);
  if (encoding === 'A') return undefined;
  if (encoding === 'HEX') return detectSignedType(Buffer.from(head, 'hex'));
  return detectSignedType(
    decodeBase64([head.slice(0, head.length - (head.length % GROUP))]) ?? Buffer.alloc(0),
  );
}

const SUB_ID = 4;
const SET_ID = 1;

/** By OBX-4, else by OBX-1, if each segment has a number of its own there; else as they came. */
function sortByNumber(read: FieldReader, segments: readonly Hl7Segment[]): readonly Hl7Segment[] {
  for (const field of [SUB_ID, SET_ID]) {
    const numbers = segments.map((segment) => readNumber(read, segment, field));
    if (numbers.includes(null) || new Set(numbers).size < segments.length) continue;
    return segments.toSorted(
      (one, other) => (readNumber(read, one, field) ?? 0) - (readNumber(read, other, field) ?? 0),
    );
  }
  return segments;
}

const NUMBER = /^(?:\d+\.)?(\d{1,6})$/;

/** `2`, or the last number of `1.2`. */
function readNumber(read: FieldReader, segment: Hl7Segment, field: number): number | null {
  const number = NUMBER.exec(read.get(segment, field) ?? '')?.[1];
  return number === undefined ? null : Number(number);
}

/** Whether the numbers of the parts in OBX-4 leave one out. */
export function hasGap(read: FieldReader, parts: DocumentParts): boolean {
  const numbers = parts.map((part) => readNumber(read, part, SUB_ID));
  if (parts.length === 1 || numbers.includes(null) || new Set(numbers).size < parts.length) return false;
  return numbers.some((number, index) => number !== (numbers[0] ?? 0) + index);
}
