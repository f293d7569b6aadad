import { gapTo, type Column } from './columns.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { type Row, type Segment, textOf } from './rows.ts';

/** In points: how exactly a name begins where the heading of its line does. */
const ALIGNED = 10;

/**
 * "Result" at the left margin heads the whole line, name and result: where names stand below it and what was found
 * stands further right, under no heading, it is the heading of the names.
 */
export function overNames(columns: readonly Column[], rows: readonly Row[]): readonly Column[] {
  const [first, ...others] = columns.toSorted((a, b) => a.x0 - b.x0);
  if (first?.role !== 'value' || first.date !== undefined || others.some(isOfResult)) return columns;
  const named = rows.filter((row) => isNamed(row, first, others)).length;
  const found = rows.filter((row) => hasFound(row, first)).length;
  if (named <= found) return columns;
  return columns.map((column) => (column === first ? { role: 'name', x0: first.x0, x1: first.x1 } : column));
}

/** A heading that leaves no doubt what the first one is of. */
const isOfResult = ({ role }: Column): boolean => role === 'name' || role === 'value' || role === 'previous';

/** Words where the heading begins, and behind them a finding under no other heading. */
function isNamed({ segments }: Row, first: Column, others: readonly Column[]): boolean {
  const [name, ...behind] = segments;
  if (!name || Math.abs(name.box.x0 - first.x0) > ALIGNED || isFinding(name)) return false;
  return behind.some(
    (segment) =>
      isFinding(segment) &&
      gapTo(first, segment.box) > 0 &&
      others.every(({ role, x0, x1 }) => role === 'unit' || gapTo({ x0, x1 }, segment.box) > 0),
  );
}

const hasFound = ({ segments }: Row, column: Column): boolean =>
  segments.some((segment) => gapTo(column, segment.box) === 0 && isFinding(segment));

const isFinding = ({ words }: Segment): boolean =>
  /^[<>≤≥]?=?\d/u.test(words[0]?.text ?? '') || qualityOf(textOf(words)) !== undefined;
