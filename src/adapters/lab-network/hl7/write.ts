import { escape } from './escape.ts';

type Part = string | number | null | undefined;
/** A field: one text, or its components; a component may be a list of subcomponents nowhere needed here. */
export type Field = Part | readonly Part[];

const part = (value: Part): string => (value == null ? '' : escape(String(value)));
const isList = (field: Field): field is readonly Part[] => Array.isArray(field);
const written = (field: Field): string =>
  isList(field) ? field.map(part).join('^').replace(/\^+$/, '') : part(field);

/** A segment with the usual delimiters; fields by their numbers, so that the standard can be read beside it. */
export function segment(name: string, fields: Readonly<Record<number, Field>>): string {
  const last = Math.max(0, ...Object.keys(fields).map(Number));
  const texts = Array.from({ length: last }, (_, index) => written(fields[index + 1]));
  return [name, ...texts].join('|').replace(/\|+$/, '');
}

/** The header of a message; MSH-1 and MSH-2 are the usual delimiters. */
export function header(fields: Readonly<Record<number, Field>>): string {
  const last = Math.max(...Object.keys(fields).map(Number));
  const texts = Array.from({ length: last - 2 }, (_, index) => written(fields[index + 3]));
  return ['MSH', '^~\\&', ...texts].join('|');
}

/** Segments end with a carriage return each, the last one too. */
export const message = (segments: readonly string[]): Buffer =>
  Buffer.from(segments.map((line) => `${line}\r`).join(''));
