import type { ExpectedResult } from './port.ts';
import { roundTo } from './simulated-values.ts';
import type { ExpectedMeasurement } from './simulated-plan.ts';
import {
  getAnalyteKey,
  getDrawGroup,
  generateSpecimen,
  type SpecimenRequest,
  type SpecimenValues,
} from './simulated-specimen.ts';

interface SpecimenCorrection {
  readonly specimen: SpecimenValues;
  /** Keys of the analytes whose values changed. */
  readonly names: ReadonlySet<string>;
}

const REDRAWS_MAX = 12;

/**
 * Creates a correction: changes one numeric value and the values derived from it. Each value keeps its interpretation.
 * Coded and text results are never corrected, because they have no neighboring values.
 */
export function createCorrection(
  asked: SpecimenRequest,
  { measured, specimen }: { measured: readonly ExpectedMeasurement[]; specimen: SpecimenValues },
): SpecimenCorrection {
  const inReport = measured.map(({ expected }) => expected).filter(({ kind }) => kind === 'numeric');
  for (const expected of sortByPreference(inReport, asked)) {
    const part = getDrawGroup(expected, asked.order);
    for (let draw = 1; draw <= REDRAWS_MAX; draw += 1) {
      const anew = generateSpecimen({ ...asked, redraws: new Map([[part, draw]]) });
      const names = findChangedKeys(inReport, specimen, anew);
      if (names.size > 0) return { specimen: anew, names };
    }
  }
  return { specimen, names: new Set() };
}

/** Prefers normal analytes to abnormal ones, then independent analytes to related ones. */
function sortByPreference(all: readonly ExpectedResult[], asked: SpecimenRequest): ExpectedResult[] {
  const weight = (each: ExpectedResult) =>
    (asked.targets.has(getAnalyteKey(each)) ? 2 : 0) +
    (asked.order.relationOf.has(getAnalyteKey(each)) ? 1 : 0);
  return all.toSorted((a, b) => weight(a) - weight(b));
}

const findChangedKeys = (
  all: readonly ExpectedResult[],
  before: SpecimenValues,
  after: SpecimenValues,
): Set<string> =>
  new Set(
    all.filter((each) => toPrintedValue(each, before) !== toPrintedValue(each, after)).map(getAnalyteKey),
  );

const toPrintedValue = (each: ExpectedResult, specimen: SpecimenValues): number =>
  roundTo(specimen.get(getAnalyteKey(each)) ?? NaN, each.decimals);
