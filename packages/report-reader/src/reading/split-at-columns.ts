import type { ReportColumn } from './columns.ts';
import type { TextRow, RowSegment } from './rows.ts';
import { type ReportWord, uniteBoxes } from './report-model.ts';

/** In points: alignment tolerance between a cell and its heading. */
const ALIGNED = 1.5;
/** In font sizes: narrower than the gap that separates segments. */
const LEAST_GAP = 0.4;
/** The gap must be wider than the blanks of its row by this factor. */
const WIDER = 1.4;

/** Splits a row whose cells nearly touch where a column begins. */
export function splitAtColumns(row: TextRow, columns: readonly ReportColumn[]): TextRow {
  const segments = row.segments.flatMap((segment) => splitSegment(segment, columns, findNarrowestGap(row)));
  return segments.length === row.segments.length ? row : { ...row, segments };
}

/** The narrowest gap between two words of a row. */
const findNarrowestGap = ({ segments }: TextRow): number =>
  Math.min(
    ...segments.flatMap(({ words }) =>
      words.slice(1).map(({ box }, index) => box.x0 - (words[index]?.box.x1 ?? 0)),
    ),
  );

function splitSegment(segment: RowSegment, columns: readonly ReportColumn[], blank: number): RowSegment[] {
  const groups: ReportWord[][] = [];
  for (const word of segment.words) {
    const before = groups.at(-1)?.at(-1);
    const gap = before ? word.box.x0 - before.box.x1 : 0;
    const isWide = gap > LEAST_GAP * word.fontSize && gap > WIDER * blank;
    if (before && !(isWide && isAtColumnStart(word, columns))) groups.at(-1)?.push(word);
    else groups.push([word]);
  }
  return groups.length === 1
    ? [segment]
    : groups.map((words) => ({ words, box: uniteBoxes(words.map(({ box }) => box)) }));
}

const isAtColumnStart = ({ box }: ReportWord, columns: readonly ReportColumn[]): boolean =>
  columns.some(({ x0 }) => Math.abs(x0 - box.x0) < ALIGNED);
