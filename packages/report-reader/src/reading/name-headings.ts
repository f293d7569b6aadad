import { measureGapTo, type ReportColumn } from './columns.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';

/** In points: alignment tolerance between a name and its heading. */
const ALIGNED = 10;

/**
 * "Result" at the left margin may head the whole row: if names are below it and values further right under no heading,
 * it is the heading of the names.
 */
export function withNameHeading(
  columns: readonly ReportColumn[],
  rows: readonly TextRow[],
): readonly ReportColumn[] {
  const [first, ...others] = columns.toSorted((a, b) => a.x0 - b.x0);
  if (first?.role !== 'value' || first.date !== undefined || others.some(isNameOrResult)) return columns;
  const named = rows.filter((row) => hasNameUnderHeading(row, first, others)).length;
  const found = rows.filter((row) => hasFindingUnder(row, first)).length;
  if (named <= found) return columns;
  return columns.map((column) => (column === first ? { role: 'name', x0: first.x0, x1: first.x1 } : column));
}

/** A heading that makes the meaning of the first one certain. */
const isNameOrResult = ({ role }: ReportColumn): boolean =>
  role === 'name' || role === 'value' || role === 'previous';

/** Text where the heading begins, followed by a value under no other heading. */
function hasNameUnderHeading(
  { segments }: TextRow,
  first: ReportColumn,
  others: readonly ReportColumn[],
): boolean {
  const [name, ...behind] = segments;
  if (!name || Math.abs(name.box.x0 - first.x0) > ALIGNED || isFinding(name)) return false;
  return behind.some(
    (segment) =>
      isFinding(segment) &&
      measureGapTo(first, segment.box) > 0 &&
      others.every(({ role, x0, x1 }) => role === 'unit' || measureGapTo({ x0, x1 }, segment.box) > 0),
  );
}

const hasFindingUnder = ({ segments }: TextRow, column: ReportColumn): boolean =>
  segments.some((segment) => measureGapTo(column, segment.box) === 0 && isFinding(segment));

const isFinding = ({ words }: RowSegment): boolean =>
  /^[<>≤≥]?=?\d/u.test(words[0]?.text ?? '') || parseQualitative(joinWords(words)) !== undefined;
