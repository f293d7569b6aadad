import type { ExpectedResult } from './port.ts';
import { rounded } from './simulated-draw.ts';
import type { Expectation } from './simulated-plan.ts';
import { nameOf, partOf, specimenOf, type Asked, type Specimen } from './simulated-specimen.ts';

export interface Correction {
  readonly specimen: Specimen;
  /** What is another value now, by name. */
  readonly names: ReadonlySet<string>;
}

const DRAWS = 12;

/**
 * What the laboratory had read wrong: one value, and what follows from it. It stays on the side of its range where it
 * was. Words are not corrected: there is nothing between Negative and Positive.
 */
export function correctionOf(
  asked: Asked,
  { measured, specimen }: { measured: readonly Expectation[]; specimen: Specimen },
): Correction {
  const inReport = measured.map(({ expected }) => expected).filter(({ kind }) => kind === 'numeric');
  for (const expected of likeliestFirst(inReport, asked)) {
    const part = partOf(expected, asked.order);
    for (let draw = 1; draw <= DRAWS; draw += 1) {
      const anew = specimenOf({ ...asked, anew: new Map([[part, draw]]) });
      const names = changed(inReport, specimen, anew);
      if (names.size > 0) return { specimen: anew, names };
    }
  }
  return { specimen, names: new Set() };
}

/** One that stands for itself before one that others follow, one that is as usual before one that is not. */
function likeliestFirst(all: readonly ExpectedResult[], asked: Asked): ExpectedResult[] {
  const weight = (each: ExpectedResult) =>
    (asked.wanted.has(nameOf(each)) ? 2 : 0) + (asked.order.relationOf.has(nameOf(each)) ? 1 : 0);
  return all.toSorted((a, b) => weight(a) - weight(b));
}

const changed = (all: readonly ExpectedResult[], before: Specimen, after: Specimen): Set<string> =>
  new Set(all.filter((each) => printed(each, before) !== printed(each, after)).map(nameOf));

const printed = (each: ExpectedResult, specimen: Specimen): number =>
  rounded(specimen.get(nameOf(each)) ?? NaN, each.decimals);
