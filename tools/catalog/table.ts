import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Reads a table next to this file: columns separated by `|`, a header line, comments after `#`. */
export function readTable<Row extends z.ZodType>(file: string, row: Row): z.infer<Row>[] {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
  const [head = '', ...body] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const columns = head.split('|');
  return body.map((line) => {
    const cells = line.split('|');
    if (cells.length !== columns.length) throw new Error(`${file}: ${cells.length} columns in "${line}"`);
    const parsed = row.safeParse(Object.fromEntries(columns.map((column, at) => [column, cells[at]])));
    if (!parsed.success) throw new Error(`${file}: "${line}": ${z.prettifyError(parsed.error)}`);
    return parsed.data;
  });
}

const split = (text: string, by: string): string[] => (text === '' ? [] : text.split(by));

/** Cell formats: non-empty text, integer, optional number, and lists by their separator. */
export const Cell = z.string().min(1);
export const Count = z.string().regex(/^\d+$/).transform(Number);
export const Figure = z
  .string()
  .regex(/^(-?\d+(\.\d+)?)?$/)
  .transform((text) => (text === '' ? null : Number(text)));
export const Words = z.string().transform((text) => split(text, ' '));
export const Codes = z.string().transform((text) => split(text, ','));
export const Phrases = z.string().transform((text) => split(text, ';'));
