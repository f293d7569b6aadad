import type { HeadLine, Spot } from './labels.ts';
import type { Box } from '../word.ts';

const MOST_LINES = 7;

/** Whether what stands at this place is said of somebody else than the patient: beside or below such a label. */
export const isOfSomebodyElse = (lines: readonly HeadLine[], at: number, box: Box): boolean =>
  isBesideSomebody(lines[at], box) || isBelowSomebody(lines, at, box);

/**
 * Whether the next label above a place in its column, which has nothing beside it, names a physician, a sender or a
 * payer.
 */
export function isBelowSomebody(lines: readonly HeadLine[], at: number, box: Box): boolean {
  for (let index = at - 1; index >= Math.max(0, at - MOST_LINES); index -= 1) {
    const line = lines[index];
    const heading = line?.spots.findLast((spot) => isAbove(spot, box));
    if (!heading || !line) continue;
    if (heading.label.fields.includes('somebodyElse')) return hasNothingBeside(line, heading);
    if (heading.label.fields.includes('fullName')) return false;
  }
  return false;
}

/** Above, in the same column of the head. */
const isAbove = (spot: Spot, box: Box): boolean =>
  spot.box.y1 <= box.y0 + 2 && spot.box.x0 < box.x0 + 25 && box.x0 - spot.box.x0 < 90;

function isBesideSomebody(line: HeadLine | undefined, box: Box): boolean {
  const before = line?.spots.findLast((spot) => spot.box.x1 <= box.x0 + 1);
  const first = before && line?.words[before.end];
  return (
    before?.label.fields.includes('somebodyElse') === true &&
    first !== undefined &&
    first.box.x0 >= box.x0 - 1
  );
}

function hasNothingBeside({ words, spots, row }: HeadLine, spot: Spot): boolean {
  const next = words[spot.end];
  const isLabel = spots.some(({ begin }) => begin === spot.end);
  return !next || isLabel || next.box.x0 - spot.box.x1 > 6 * row.fontSize;
}
