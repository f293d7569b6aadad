import type { LoincCode } from './code.ts';

export type TechniqueKind = 'westergren' | 'pyruvate' | 'electrophoresis' | 'strip' | 'microscopy';

/** A way of measuring for which LOINC has codes of their own. */
export interface Technique {
  readonly kind: TechniqueKind;
  /** In the method of a code. */
  readonly ofCode: RegExp;
  /** In the name or heading of a line, in six languages, small letters without accents. */
  readonly printed: RegExp;
  /** Nobody has it in mind who does not print it, though strips, counters and immunoassays go without saying. */
  readonly isSpoken: boolean;
}

// prettier-ignore
const TECHNIQUES: readonly Technique[] = [
  { kind: 'westergren', isSpoken: true,  ofCode: /westergren/i,          printed: /\bwestergren\b/ },
  { kind: 'pyruvate', isSpoken: true,  ofCode: /lactate to pyruvate/i, printed: /\blactate to pyruvate\b/ },
  { kind: 'electrophoresis', isSpoken: false, ofCode: /electrophoresis/i,     printed: /ele[ck]?t+ro(?:ph|f)or|\b(?:proteinogram|spep\b)/ },
  { kind: 'strip', isSpoken: false, ofCode: /test strip/i,          printed: /streifen|\b(?:dip ?stick|(?:test|reagent) ?strips?|stix|tiras? react|bandelette|strisci[ae]\b|fitas? rea[cg])/ },
  { kind: 'microscopy', isSpoken: false, ofCode: /microscop/i,           printed: /sediment|\bm[iy][ck]+ros[ck]+op/ },
];

/** Sedimentation of red cells is no sediment of urine. */
const OF_RED_CELLS = /eritrosediment|sediment(?:ation|acion|acao|azione)/;

export const techniquesIn = (simple: string): readonly Technique[] =>
  TECHNIQUES.filter(
    ({ kind, printed }) => printed.test(simple) && !(kind === 'microscopy' && OF_RED_CELLS.test(simple)),
  );

const byMethod = new Map<string, Technique | null>();
function techniqueOf(method: string): Technique | null {
  const known = byMethod.get(method);
  if (known !== undefined) return known;
  const found = TECHNIQUES.find(({ ofCode }) => ofCode.test(method)) ?? null;
  if (byMethod.size < 2_000) byMethod.set(method, found);
  return found;
}

/** For the technique that is printed, and against one that would have been. */
export function techniquePoints({ method }: LoincCode, printed: readonly Technique[]): number {
  const own = method === '' ? null : techniqueOf(method);
  if (!own) return 0;
  if (printed.includes(own)) return 0.05;
  return own.isSpoken ? -0.03 : 0;
}
