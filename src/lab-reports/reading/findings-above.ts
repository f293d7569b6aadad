import { qualityOf } from './lexicon/qualities.ts';
import type { CutRow } from './bands.ts';
import { type Row, textOf } from './rows.ts';
import { unite } from './word.ts';

/** In font sizes, between the lines of one cell. */
const CLOSE = 0.35;
/** In points: how exactly the lines of a cell begin or end under each other. */
const ALIGNED = 2;

/**
 * "giallo" right above "Colore   paglierino": a finding in two lines whose name stands beside the lower one. The lines,
 * those of such a finding as one, where both together are a finding that is known.
 */
export function withFindingsAbove(rows: readonly CutRow[], cut: (row: Row) => CutRow): readonly CutRow[] {
  const joined = rows.map((line, index) => joinedWith(rows[index - 1], line, rows[index - 2]));
  return joined.every((row) => row === undefined)
    ? rows
    : rows.flatMap((line, index) => {
        const whole = joined[index];
        return whole ? [cut(whole)] : joined[index + 1] ? [] : [line];
      });
}

function joinedWith(above: CutRow | undefined, own: CutRow, before: CutRow | undefined): Row | undefined {
  const [word, ...others] = above?.atoms ?? [];
  if (!above || !word || others.length > 0 || !IN_WORDS.has(word.kind)) return undefined;
  const { row } = own;
  const cell = row.segments.find(
    ({ box }, index) =>
      index > 0 && (Math.abs(box.x0 - word.box.x0) < ALIGNED || Math.abs(box.x1 - word.box.x1) < ALIGNED),
  );
  const gap = row.box.y0 - above.row.box.y1;
  const isNearer = !before || before.row.page !== row.page || above.row.box.y0 - before.row.box.y1 > gap;
  if (!cell || row.page !== above.row.page || gap > CLOSE * row.fontSize || !isNearer) return undefined;
  const words = [...word.words, ...cell.words];
  if (qualityOf(textOf(cell.words)) === undefined || qualityOf(textOf(words)) === undefined) return undefined;
  const box = unite([cell.box, word.box]);
  const segments = row.segments.map((segment) => (segment === cell ? { words, box } : segment));
  return { ...row, segments, words: segments.flatMap((segment) => segment.words) };
}

const IN_WORDS: ReadonlySet<string> = new Set(['quality', 'text', 'flag']);
