/** Which LOINC code a unit and a specimen allow, by the bundled list. Loads no OCR and no PDF. */
import { readBundledCodes } from './coding/read-bundled.ts';
import { dimensionsOf, type UnitDimension } from './coding/dimension.ts';
import { packageFolder } from './package-folder.ts';
import { specimenOfSystem, type LoincCode, type LoincSpecimen } from './coding/code.ts';

export type { UnitDimension } from './coding/dimension.ts';
export { dimensionsOf } from './coding/dimension.ts';

interface LoincAxesIndex {
  readonly byCode: ReadonlyMap<string, LoincCode>;
  /** By all axes but the property. */
  readonly byAxes: ReadonlyMap<string, readonly LoincCode[]>;
}

let index: LoincAxesIndex | undefined;

/** Read on first use: 390 KB. */
function openIndex(): LoincAxesIndex {
  if (index) return index;
  const codes = readBundledCodes(new URL('data/loinc/', packageFolder()));
  const byAxes = new Map<string, LoincCode[]>();
  for (const code of codes) {
    const group = byAxes.get(code.axes);
    if (group) group.push(code);
    else byAxes.set(code.axes, [code]);
  }
  index = { byCode: new Map(codes.map((code) => [code.code, code])), byAxes };
  return index;
}

/** The dimensions that a LOINC code is measured in, and those of its example units; empty if unknown. */
export function dimensionsOfLoinc(code: string): readonly UnitDimension[] {
  const known = openIndex().byCode.get(code);
  return known ? [...known.dimensions, ...known.exampleUnits.flatMap(dimensionsOf)] : [];
}

/** Whether the scale of a LOINC code is quantitative; null for an unknown code. */
export const isQuantitative = (code: string): boolean | null =>
  openIndex().byCode.get(code)?.isNumeric ?? null;

const BLOOD: ReadonlySet<LoincSpecimen> = new Set(['blood', 'arterial', 'spot']);

/** Whether a LOINC code is about this kind of specimen, as printed; null if one of the two is unknown. */
export function isOfSpecimen(code: string, specimen: string): boolean | null {
  const wanted = openIndex().byCode.get(code)?.specimen ?? null;
  const given = specimenOfSystem(specimen);
  if (wanted === null || given === null || wanted === 'other' || given === 'other') return null;
  return wanted === given || (BLOOD.has(wanted) && BLOOD.has(given));
}

/**
 * The code that measures the same in this unit: the same component, time, system, scale and method, another property.
 * Null if there is none or more than one.
 */
export function findLoincForUnit(code: string, unit: string): string | null {
  const known = openIndex().byCode.get(code);
  const wanted = dimensionsOf(unit);
  if (!known || wanted.length === 0) return null;
  const found = (openIndex().byAxes.get(known.axes) ?? []).filter(
    ({ dimensions }) => dimensions.length > 0 && dimensions.every((one) => wanted.includes(one)),
  );
  const [only, ...others] = found;
  return others.length === 0 ? (only?.code ?? null) : null;
}
