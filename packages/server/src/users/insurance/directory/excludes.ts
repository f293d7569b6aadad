import { z } from 'zod';
import { readTable, type DataFolder, type DataFileHeader } from './data-file.ts';

type ExcludesKind = 'excludes1' | 'excludes2';

/** Two codes that an excludes note of the tabular list separates; `code` is the one that carries the note. */
interface Exclusion {
  kind: ExcludesKind;
  code: string;
  excluded: string;
}

export interface ExcludesIndex {
  header: DataFileHeader;
  /** Takes codes without dots. Returns each pair at most once, Excludes1 before Excludes2. */
  findAmong: (codes: readonly string[]) => Exclusion[];
}

/** A code or a range of codes, including all codes below. */
const CodeRange = z
  .string()
  .regex(/^[A-Z]\d[0-9A-Z]{1,5}(-[A-Z]\d[0-9A-Z]{1,5})?$/)
  .transform((written) => {
    const [from = written, to = from] = written.split('-');
    return { from, to };
  });
type CodeRange = z.infer<typeof CodeRange>;

const ExcludesNote = z.tuple([z.enum(['excludes1', 'excludes2']), CodeRange, CodeRange]);
type ExcludesNote = z.infer<typeof ExcludesNote>;

export function readExcludes(folder: DataFolder): ExcludesIndex {
  const { path, header, body } = readTable(folder, ['icd10cm-excludes.tsv.gz', 'icd10cm-excludes-seed.tsv']);
  const notes = body
    .split('\n')
    .filter((line) => line !== '')
    .map((line, at) => parseNote(path, line, at + 1));
  return { header, findAmong: (codes) => findExclusions(notes, codes) };
}

function parseNote(path: string, line: string, row: number): ExcludesNote {
  const note = ExcludesNote.safeParse(line.split('\t'));
  if (!note.success)
    throw new Error(`${path}: expected kind, code, excluded code in row ${row}; got "${line}"`);
  return note.data;
}

const isInCodeRange = (code: string, { from, to }: CodeRange): boolean =>
  code.slice(0, from.length) >= from && code.slice(0, to.length) <= to;

function findExclusions(notes: readonly ExcludesNote[], codes: readonly string[]): Exclusion[] {
  const found = new Map<string, Exclusion>();
  for (const [kind, under, excluded] of notes) {
    const carriers = codes.filter((code) => isInCodeRange(code, under));
    if (carriers.length === 0) continue;
    const others = codes.filter((code) => isInCodeRange(code, excluded));
    for (const code of carriers)
      for (const other of others) addExclusion(found, { kind, code, excluded: other });
  }
  return [...found.values()].sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
}

/** Adds each unordered pair once. Excludes1 (forbidden) replaces Excludes2 (warning). */
function addExclusion(found: Map<string, Exclusion>, exclusion: Exclusion): void {
  const { kind, code, excluded } = exclusion;
  if (code === excluded) return;
  const pair = [code, excluded].sort().join(' ');
  const known = found.get(pair);
  if (known === undefined || kind < known.kind) found.set(pair, exclusion);
}
