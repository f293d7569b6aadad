import { type ReportColumn, findNearest } from './columns.ts';
import type { ColumnRole } from './lexicon/column-headings.ts';
import type { BoundingBox } from './report-model.ts';

/** Extends the columns by the positions where fields were found. */
export function learnColumns(
  columns: readonly ReportColumn[],
  found: ReadonlyMap<ColumnRole, readonly BoundingBox[]>,
): ReportColumn[] {
  const learned: ReportColumn[] = columns.map((column) => ({ ...column }));
  for (const [role, boxes] of found) {
    const own = learned.filter((column) => column.role === role);
    if (own.length === 0) {
      if (boxes.length >= LEAST_SEEN && isAligned(boxes))
        learned.push({ role, ...findTypicalExtent(boxes), isLearned: true });
      continue;
    }
    for (const column of own) {
      const near = boxes.filter((box) => findNearest(own, box) === column);
      if (near.length < LEAST_SEEN) continue;
      const place = findTypicalExtent(near);
      const index = learned.indexOf(column);
      learned[index] = { ...column, x0: Math.min(column.x0, place.x0), x1: Math.max(column.x1, place.x1) };
    }
  }
  return columns.length > 0 || learned.some((column) => column.role === 'value') ? learned : [];
}

const LEAST_SEEN = 3;
/** In points. */
const MOST_SPREAD = 14;

/** Whether boxes share their left edges, right edges or centers; in running text they do not. */
function isAligned(boxes: readonly BoundingBox[]): boolean {
  const spread = (of: (box: BoundingBox) => number): number => {
    const sorted = boxes.map(of).toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
    return at(0.85) - at(0.15);
  };
  return (
    Math.min(
      spread((box) => box.x0),
      spread((box) => box.x1),
      spread((box) => box.x0 + box.x1) / 2,
    ) < MOST_SPREAD
  );
}

function findTypicalExtent(boxes: readonly BoundingBox[]): { x0: number; x1: number } {
  const at = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
  return {
    x0: at(
      boxes.map((box) => box.x0),
      0.1,
    ),
    x1: at(
      boxes.map((box) => box.x1),
      0.9,
    ),
  };
}
