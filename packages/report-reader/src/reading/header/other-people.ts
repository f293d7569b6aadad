import type { HeaderLine, LabelMatch } from './labels.ts';
import type { BoundingBox } from '../report-model.ts';

const MOST_LINES = 7;

/** Whether text at this position describes a person other than the patient: next to or below such a label. */
export const isOfOtherPerson = (lines: readonly HeaderLine[], at: number, box: BoundingBox): boolean =>
  isNextToOtherPersonLabel(lines[at], box) || isBelowOtherPersonLabel(lines, at, box);

/** Whether the next label above in this column, with nothing next to it, names a physician, a sender or a payer. */
export function isBelowOtherPersonLabel(lines: readonly HeaderLine[], at: number, box: BoundingBox): boolean {
  for (let index = at - 1; index >= Math.max(0, at - MOST_LINES); index -= 1) {
    const line = lines[index];
    const heading = line?.spots.findLast((spot) => isAbove(spot, box));
    if (!heading || !line) continue;
    if (heading.label.fields.includes('somebodyElse')) return isLabelEmpty(line, heading);
    if (heading.label.fields.includes('fullName')) return false;
  }
  return false;
}

/** Above, in the same header column. */
const isAbove = (spot: LabelMatch, box: BoundingBox): boolean =>
  spot.box.y1 <= box.y0 + 2 && spot.box.x0 < box.x0 + 25 && box.x0 - spot.box.x0 < 90;

function isNextToOtherPersonLabel(line: HeaderLine | undefined, box: BoundingBox): boolean {
  const before = line?.spots.findLast((spot) => spot.box.x1 <= box.x0 + 1);
  const first = before && line?.words[before.end];
  return (
    before?.label.fields.includes('somebodyElse') === true &&
    first !== undefined &&
    first.box.x0 >= box.x0 - 1
  );
}

function isLabelEmpty({ words, spots, row }: HeaderLine, spot: LabelMatch): boolean {
  const next = words[spot.end];
  const isLabel = spots.some(({ begin }) => begin === spot.end);
  return !next || isLabel || next.box.x0 - spot.box.x1 > 6 * row.fontSize;
}
