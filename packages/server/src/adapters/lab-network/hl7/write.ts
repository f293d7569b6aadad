import type { OrderCharacterSet } from '../protocol.ts';
import { encodeText } from './encode.ts';
import { escapeText } from './escape.ts';

type FieldPart = string | number | null | undefined;
/** A field: one text or its components. Subcomponents are not supported, because none are needed. */
export type Hl7Field = FieldPart | readonly FieldPart[];

const writePart = (value: FieldPart): string => (value == null ? '' : escapeText(String(value)));
const isList = (field: Hl7Field): field is readonly FieldPart[] => Array.isArray(field);
const writeField = (field: Hl7Field): string =>
  isList(field) ? field.map(writePart).join('^').replace(/\^+$/, '') : writePart(field);

/** Writes a segment with the default delimiters; field numbers are those of the standard. */
export function writeSegment(name: string, fields: Readonly<Record<number, Hl7Field>>): string {
  const last = Math.max(0, ...Object.keys(fields).map(Number));
  const texts = Array.from({ length: last }, (_, index) => writeField(fields[index + 1]));
  return [name, ...texts].join('|').replace(/\|+$/, '');
}

/** Writes an MSH segment with the default delimiters. */
export function writeHeader(fields: Readonly<Record<number, Hl7Field>>): string {
  const last = Math.max(...Object.keys(fields).map(Number));
  const texts = Array.from({ length: last - 2 }, (_, index) => writeField(fields[index + 3]));
  return ['MSH', '^~\\&', ...texts].join('|');
}

/** Joins segments; each one ends with a carriage return, including the last. */
export const writeMessage = (
  segments: readonly string[],
  characterSet: OrderCharacterSet = 'UNICODE UTF-8',
): Buffer => encodeText(segments.map((line) => `${line}\r`).join(''), characterSet);
