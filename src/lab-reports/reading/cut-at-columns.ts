import type { Column } from './columns.ts';
import type { Row, Segment } from './rows.ts';
import { type Word, unite } from './word.ts';

/** In points: how exactly a cell begins where its heading does. */
const ALIGNED = 1.5;
/** In font sizes: narrower than what parts columns by itself. */
const LEAST_GAP = 0.4;
/** Wider than the blanks of its line, by this factor. */
const WIDER = 1.4;

/** A line whose cells nearly touch comes apart where a column begins. */
export function cutAtColumns(row: Row, columns: readonly Column[]): Row {
  const segments = row.segments.flatMap((segment) => cut(segment, columns, blankOf(row)));
  return segments.length === row.segments.length ? row : { ...row, segments };
}

/** The narrowest white between two words of a line. */
const blankOf = ({ segments }: Row): number =>
  Math.min(
    ...segments.flatMap(({ words }) =>
      words.slice(1).map(({ box }, index) => box.x0 - (words[index]?.box.x1 ?? 0)),
    ),
  );

function cut(segment: Segment, columns: readonly Column[], blank: number): Segment[] {
  const groups: Word[][] = [];
  for (const word of segment.words) {
    const before = groups.at(-1)?.at(-1);
    const gap = before ? word.box.x0 - before.box.x1 : 0;
    const isWide = gap > LEAST_GAP * word.fontSize && gap > WIDER * blank;
    if (before && !(isWide && begins(word, columns))) groups.at(-1)?.push(word);
    else groups.push([word]);
  }
  return groups.length === 1
    ? [segment]
    : groups.map((words) => ({ words, box: unite(words.map(({ box }) => box)) }));
}

const begins = ({ box }: Word, columns: readonly Column[]): boolean =>
  columns.some(({ x0 }) => Math.abs(x0 - box.x0) < ALIGNED);
