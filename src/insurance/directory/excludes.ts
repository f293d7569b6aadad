import { z } from 'zod';
import { readTable, type DataFolder, type Head } from './data-file.ts';

export type ExcludesKind = 'excludes1' | 'excludes2';

/** Two codes of one request that a note of the tabular list keeps apart; `code` is the one under the note. */
export interface Exclusion {
  kind: ExcludesKind;
  code: string;
  excluded: string;
}

export interface Excludes {
  head: Head;
  /** Codes without dots; each pair at most once, Excludes1 before Excludes2. */
  among: (codes: readonly string[]) => Exclusion[];
}

/** A code or a range of codes, each standing for all codes below it. */
const Span = z
  .string()
  .regex(/^[A-Z]\d[0-9A-Z]{1,5}(-[A-Z]\d[0-9A-Z]{1,5})?$/)
  .transform((written) => {
    const [from = written, to = from] = written.split('-');
    return { from, to };
  });
type Span = z.infer<typeof Span>;

const Note = z.tuple([z.enum(['excludes1', 'excludes2']), Span, Span]);
type Note = z.infer<typeof Note>;

export function readExcludes(folder: DataFolder): Excludes {
  const { path, head, body } = readTable(folder, ['icd10cm-excludes.tsv.gz', 'icd10cm-excludes-seed.tsv']);
  const notes = body
    .split('\n')
    .filter((line) => line !== '')
    .map((line, at) => parseNote(path, line, at + 1));
  return { head, among: (codes) => exclusionsAmong(notes, codes) };
}

function parseNote(path: string, line: string, row: number): Note {
  const note = Note.safeParse(line.split('\t'));
  if (!note.success)
    throw new Error(`${path}: expected kind, code, excluded code in row ${row}; got "${line}"`);
  return note.data;
}

const within = (code: string, { from, to }: Span): boolean =>
  code.slice(0, from.length) >= from && code.slice(0, to.length) <= to;

function exclusionsAmong(notes: readonly Note[], codes: readonly string[]): Exclusion[] {
  const found = new Map<string, Exclusion>();
  for (const [kind, under, excluded] of notes) {
    const carriers = codes.filter((code) => within(code, under));
    if (carriers.length === 0) continue;
    const others = codes.filter((code) => within(code, excluded));
    for (const code of carriers) for (const other of others) keep(found, { kind, code, excluded: other });
  }
  return [...found.values()].sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
}

/** A pair is told once, whichever of the two carries the note; what forbids it outweighs what only warns. */
function keep(found: Map<string, Exclusion>, exclusion: Exclusion): void {
  const { kind, code, excluded } = exclusion;
  if (code === excluded) return;
  const pair = [code, excluded].sort().join(' ');
  const known = found.get(pair);
  if (known === undefined || kind < known.kind) found.set(pair, exclusion);
}
