import { z } from 'zod';
import { lineEnd, readTable, type DataFolder, type Head } from './data-file.ts';

/**
 * What the set knows of a code. `category`: codes stand below it, so it cannot be billed.
 * `unknown`: it does not exist. `unlisted`: a seed cannot tell.
 */
export type Standing = 'billable' | 'category' | 'unknown' | 'unlisted';

/** The codes, sorted and without dots; descriptions stay in one text and are cut out when asked for. */
export interface CodeSet {
  head: Head;
  codes: readonly string[];
  description: (row: number) => string;
  listedBillable: (row: number) => boolean;
  /** The row of a code, or -1. */
  row: (code: string) => number;
  /** The first row whose code is not before this one. */
  firstFrom: (code: string) => number;
  standing: (code: string) => Standing;
}

/** code, standing, description; see the comments in the seed for the standings. */
const Row = z.string().regex(/^[A-Z]\d[0-9A-Z]{1,5}\t[01~]\t\S.*$/);

export function readCodeSet(folder: DataFolder): CodeSet {
  const { path, head, body } = readTable(folder, ['icd10cm.tsv.gz', 'icd10cm-seed.tsv']);
  const { codes, starts } = parseRows(path, body);
  const mark = (row: number): string => body.charAt((starts[row] ?? 0) + (codes[row]?.length ?? 0) + 1);
  const description = (row: number): string => {
    const start = starts[row] ?? 0;
    return body.slice(start + (codes[row]?.length ?? 0) + 3, lineEnd(body, start));
  };
  const firstFrom = (code: string): number => lowerBound(codes, code);
  const row = (code: string): number => {
    const at = firstFrom(code);
    return codes[at] === code ? at : -1;
  };
  const standing = (code: string): Standing => {
    const at = row(code);
    if (at >= 0) return mark(at) === '1' ? 'billable' : 'category';
    if (codes[firstFrom(code)]?.startsWith(code)) return 'category';
    const above = nearestAbove(code, row);
    return head.coverage === 'complete' || (above >= 0 && mark(above) !== '~') ? 'unknown' : 'unlisted';
  };
  return { head, codes, description, listedBillable: (at) => mark(at) === '1', row, firstFrom, standing };
}

function parseRows(path: string, body: string): { codes: string[]; starts: number[] } {
  const codes: string[] = [];
  const starts: number[] = [];
  let before = '';
  for (let at = 0, end = 0; at < body.length; at = end + 1) {
    end = lineEnd(body, at);
    const line = Row.safeParse(body.slice(at, end));
    if (!line.success)
      throw new Error(`${path}: expected code, standing, description in row ${codes.length + 1}`);
    const code = line.data.slice(0, line.data.indexOf('\t'));
    if (code <= before)
      throw new Error(`${path}: expected ${code} before ${before}: rows are sorted by code`);
    codes.push(code);
    starts.push(at);
    before = code;
  }
  return { codes, starts };
}

/** The longest listed code that this one extends: its row, or -1. */
function nearestAbove(code: string, row: (code: string) => number): number {
  for (let length = code.length - 1; length >= 3; length -= 1) {
    const at = row(code.slice(0, length));
    if (at >= 0) return at;
  }
  return -1;
}

/** The first place in a sorted list whose text is not before `wanted`. */
export function lowerBound(sorted: readonly string[], wanted: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
