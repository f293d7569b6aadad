import type { LoincCode } from './code.ts';

export type MeasurementTechniqueKind = 'westergren' | 'pyruvate' | 'electrophoresis' | 'strip' | 'microscopy';

/** A measurement technique for which LOINC has separate codes. */
export interface MeasurementTechnique {
  readonly kind: MeasurementTechniqueKind;
  /** Matches the LOINC method of a code. */
  readonly ofCode: RegExp;
  /** Matches a normalized name or heading, in six languages. */
  readonly printed: RegExp;
  /** Whether reports always print it; strips, cell counters and immunoassays are often implied. */
  readonly isSpoken: boolean;
}

// prettier-ignore
const TECHNIQUES: readonly MeasurementTechnique[] = [
  { kind: 'westergren', isSpoken: true,  ofCode: /westergren/i,          printed: /\bwestergren\b/ },
  { kind: 'pyruvate', isSpoken: true,  ofCode: /lactate to pyruvate/i, printed: /\blactate to pyruvate\b/ },
  { kind: 'electrophoresis', isSpoken: false, ofCode: /electrophoresis/i,     printed: /ele[ck]?t+ro(?:ph|f)or|\b(?:proteinogram|spep\b)/ },
  { kind: 'strip', isSpoken: false, ofCode: /test strip/i,          printed: /streifen|\b(?:dip ?stick|(?:test|reagent) ?strips?|stix|tiras? react|bandelette|strisci[ae]\b|fitas? rea[cg])/ },
  { kind: 'microscopy', isSpoken: false, ofCode: /microscop/i,           printed: /sediment|\bm[iy][ck]+ros[ck]+op/ },
];

/** Erythrocyte sedimentation is not urine sediment. */
const OF_RED_CELLS = /eritrosediment|sediment(?:ation|acion|acao|azione)/;

export const findTechniques = (simple: string): readonly MeasurementTechnique[] =>
  TECHNIQUES.filter(
    ({ kind, printed }) => printed.test(simple) && !(kind === 'microscopy' && OF_RED_CELLS.test(simple)),
  );

const byMethod = new Map<string, MeasurementTechnique | null>();
function techniqueOf(method: string): MeasurementTechnique | null {
  const known = byMethod.get(method);
  if (known !== undefined) return known;
  const found = TECHNIQUES.find(({ ofCode }) => ofCode.test(method)) ?? null;
  if (byMethod.size < 2_000) byMethod.set(method, found);
  return found;
}

/** Bonus for a printed technique; penalty for one that would have been printed. */
export function techniquePoints({ method }: LoincCode, printed: readonly MeasurementTechnique[]): number {
  const own = method === '' ? null : techniqueOf(method);
  if (!own) return 0;
  if (printed.includes(own)) return 0.05;
  return own.isSpoken ? -0.03 : 0;
}
