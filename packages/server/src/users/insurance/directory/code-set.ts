import { z } from 'zod';
import { findLineEnd, readTable, type DataFolder, type DataFileHeader } from './data-file.ts';

/**
 * The status of a code. `category`: has more specific codes below it and cannot be billed. `unknown`: does not exist.
 * `unlisted`: not in the seed, which is incomplete, so it may exist.
 */
export type CodeStatus = 'billable' | 'category' | 'unknown' | 'unlisted';

/** The codes, sorted and without dots. Descriptions stay in one text and are sliced on demand. */
export interface CodeSet {
  header: DataFileHeader;
  codes: readonly string[];
  description: (row: number) => string;
  isListedBillable: (row: number) => boolean;
  /** The row of a code, or -1. */
  row: (code: string) => number;
  /** The first row whose code is greater than or equal to this one. */
  firstFrom: (code: string) => number;
  status: (code: string) => CodeStatus;
}

/** code, status, description; the comments in the seed file explain the statuses. */
const CodeRow = z.string().regex(/^[A-Z]\d[0-9A-Z]{1,5}\t[01~]\t\S.*$/);

export function readCodeSet(folder: DataFolder): CodeSet {
  const { path, header, body } = readTable(folder, ['icd10cm.tsv.gz', 'icd10cm-seed.tsv']);
  const { codes, starts } = parseRows(path, body);
  const mark = (row: number): string => body.charAt((starts[row] ?? 0) + (codes[row]?.length ?? 0) + 1);
  const description = (row: number): string => {
    const start = starts[row] ?? 0;
    return body.slice(start + (codes[row]?.length ?? 0) + 3, findLineEnd(body, start));
  };
  const firstFrom = (code: string): number => lowerBound(codes, code);
  const row = (code: string): number => {
    const at = firstFrom(code);
    return codes[at] === code ? at : -1;
  };
  const standing = (code: string): CodeStatus => {
    const at = row(code);
    if (at >= 0) return mark(at) === '1' ? 'billable' : 'category';
    if (codes[firstFrom(code)]?.startsWith(code)) return 'category';
    const above = findNearestAncestor(code, row);
    return header.coverage === 'complete' || (above >= 0 && mark(above) !== '~') ? 'unknown' : 'unlisted';
  };
  return {
    header,
    codes,
    description,
    isListedBillable: (at) => mark(at) === '1',
    row,
    firstFrom,
    status: standing,
  };
}

function parseRows(path: string, body: string): { codes: string[]; starts: number[] } {
  const codes: string[] = [];
  const starts: number[] = [];
  let before = '';
  for (let at = 0, end = 0; at < body.length; at = end + 1) {
    end = findLineEnd(body, at);
    const line = CodeRow.safeParse(body.slice(at, end));
    if (!line.success)
      throw new Error(`${path}: expected code, status, description in row ${codes.length + 1}`);
    const code = line.data.slice(0, line.data.indexOf('\t'));
    if (code <= before)
      throw new Error(`${path}: expected ${code} before ${before}: rows are sorted by code`);
    codes.push(code);
    starts.push(at);
    before = code;
  }
  return { codes, starts };
}

/** The row of the longest listed code that is a prefix of this one, or -1. */
function findNearestAncestor(code: string, row: (code: string) => number): number {
  for (let length = code.length - 1; length >= 3; length -= 1) {
    const at = row(code.slice(0, length));
    if (at >= 0) return at;
  }
  return -1;
}

/** Binary search: the first index in a sorted list whose text is greater than or equal to `wanted`. */
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
