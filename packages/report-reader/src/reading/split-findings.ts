import { parseQualitative } from './lexicon/qualitative-results.ts';
import type { TokenizedRow } from './multiline-rows.ts';
import { type TextRow, joinWords } from './rows.ts';
import { uniteBoxes } from './report-model.ts';

/** In font sizes: the largest gap between lines of one cell. */
const CLOSE = 0.35;
/** In points: alignment tolerance for the lines of a cell. */
const ALIGNED = 2;

/**
 * "giallo" right above "Colore   paglierino": joins a finding in two lines whose name is next to the lower one, if both
 * lines together are a known finding.
 */
export function withJoinedFindings(
  rows: readonly TokenizedRow[],
  cut: (row: TextRow) => TokenizedRow,
): readonly TokenizedRow[] {
  const joined = rows.map((line, index) => joinFinding(rows[index - 1], line, rows[index - 2]));
  return joined.every((row) => row === undefined)
    ? rows
    : rows.flatMap((line, index) => {
        const whole = joined[index];
        return whole ? [cut(whole)] : joined[index + 1] ? [] : [line];
      });
}

function joinFinding(
  above: TokenizedRow | undefined,
  own: TokenizedRow,
  before: TokenizedRow | undefined,
): TextRow | undefined {
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
  if (
    parseQualitative(joinWords(cell.words)) === undefined ||
    parseQualitative(joinWords(words)) === undefined
  )
    return undefined;
  const box = uniteBoxes([cell.box, word.box]);
  const segments = row.segments.map((segment) => (segment === cell ? { words, box } : segment));
  return { ...row, segments, words: segments.flatMap((segment) => segment.words) };
}

const IN_WORDS: ReadonlySet<string> = new Set(['quality', 'text', 'flag']);
