/** A reference range as a laboratory prints it, with the question whether a bound itself is still inside. */
export interface ReferenceRange {
  readonly min: number | null;
  readonly max: number | null;
  isAbove(value: number): boolean | null;
  isBelow(value: number): boolean | null;
}

const NUMBER = '(-?\\d+(?:\\.\\d+)?)';
const TWO_SIDED = new RegExp(`^${NUMBER}\\s*(?:-|–|to)\\s*${NUMBER}$`);
const BELOW = new RegExp(`^(<\\s*or\\s*=|<=|≤|<)\\s*${NUMBER}$`, 'i');
const ABOVE = new RegExp(`^(>\\s*or\\s*=|>=|≥|>)\\s*${NUMBER}$`, 'i');

/** Reads `1-10` (both bounds inside), `<5.7` (outside), `< OR = 9.9`, `> OR = 2`; what it cannot read has no bounds. */
export function readRange(text: string | null): ReferenceRange {
  const printed = text?.trim() ?? '';
  const two = TWO_SIDED.exec(printed);
  if (two) return bounds({ min: Number(two[1]), minInside: true, max: Number(two[2]), maxInside: true });
  const below = BELOW.exec(printed);
  if (below)
    return bounds({ min: null, minInside: true, max: Number(below[2]), maxInside: below[1] !== '<' });
  const above = ABOVE.exec(printed);
  if (above)
    return bounds({ min: Number(above[2]), minInside: above[1] !== '>', max: null, maxInside: true });
  return bounds({ min: null, minInside: true, max: null, maxInside: true });
}

interface Bounds {
  min: number | null;
  minInside: boolean;
  max: number | null;
  maxInside: boolean;
}

const bounds = ({ min, minInside, max, maxInside }: Bounds): ReferenceRange => ({
  min,
  max,
  isAbove: (value) => (max === null ? (min === null ? null : false) : maxInside ? value > max : value >= max),
  isBelow: (value) => (min === null ? (max === null ? null : false) : minInside ? value < min : value <= min),
});
