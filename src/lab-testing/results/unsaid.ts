import type { z } from 'zod';
import type {
  Interpretation,
  LabReport,
  MissingResult,
  RangeBounds,
  ReportedResult,
} from '../../adapters/lab-network/port.ts';
import type { BiomarkerResult, MissingBiomarkerResult } from './biomarker-result.ts';

/**
 * What a report knows of its results and does not answer: kept beside the answer, so that the two together are the
 * report and neither says again what the other says.
 */
export interface Unsaid {
  readonly results: readonly UnsaidOfResult[];
  readonly missing: readonly Markers[];
}

/** The ordered marker, or all of them in a list where there are several. */
type Markers = number | null | readonly number[];

/** In this order, since it is kept: 0 where there was nothing to keep, in reports of simulated laboratories. */
type UnsaidOfResult = readonly [
  markers: Markers,
  ucum: string | null | 0,
  /** Which of the bounds lie inside; null where the range has none. */
  inside: number | null,
  flags: readonly string[] | 0,
  status: NonNullable<ReportedResult['status']> | 0,
  traits: number,
];

const [MIN_INSIDE, MAX_INSIDE] = [1, 2];
/** The answer says these for a result that does not say them itself. */
const [NO_SOURCE, NO_MOMENT, NO_LABORATORY, UNIT_DIFFERS] = [1, 2, 4, 8];

export const unsaidOf = ({ results, missing }: Pick<LabReport, 'results' | 'missing'>): Unsaid => ({
  results: results.map((result) => [
    result.markerIds ?? result.markerId,
    result.ucum === undefined ? 0 : result.ucum,
    insideOf(result.bounds),
    result.flags ?? 0,
    result.status ?? 0,
    traitsOf(result),
  ]),
  missing: missing.map(({ markerId, markerIds }) => markerIds ?? markerId),
});

const insideOf = (bounds: ReportedResult['bounds']): number | null =>
  bounds ? (bounds.minInside ? MIN_INSIDE : 0) | (bounds.maxInside ? MAX_INSIDE : 0) : null;

const traitsOf = (result: ReportedResult): number =>
  (result.sourceInterpretation === undefined ? NO_SOURCE : 0) |
  (result.observedAt == null ? NO_MOMENT : 0) |
  (result.performingLaboratory == null ? NO_LABORATORY : 0) |
  (result.unitDiffers === true ? UNIT_DIFFERS : 0);

type Said = z.output<typeof BiomarkerResult>;
type SaidMissing = z.output<typeof MissingBiomarkerResult>;

/** Results as they were, of the answer and what it does not say. */
export function resultsOf(
  said: { readonly results: readonly Said[]; readonly missing: readonly SaidMissing[] },
  unsaid: Unsaid,
): Pick<LabReport, 'results' | 'missing'> {
  return {
    results: said.results.map((each, at) => resultOf(each, partOf(unsaid.results, at))),
    missing: said.missing.map((each, at) => missingOf(each, partOf(unsaid.missing, at))),
  };
}

function partOf<T>(parts: readonly T[], at: number): T {
  const part = parts[at];
  if (part === undefined) throw new Error(`Nothing is kept of result ${at} beside its answer`);
  return part;
}

function resultOf(
  said: Said,
  [markers, ucum, inside, flags, status, traits]: UnsaidOfResult,
): ReportedResult {
  const has = (trait: number): boolean => (traits & trait) !== 0;
  return {
    expected: analyteOf(said),
    ...markersOf(markers),
    type: said.type,
    result: said.result,
    value: said.value ?? NOT_A_NUMBER,
    unit: said.unit,
    ...(ucum === 0 ? {} : { ucum }),
    ...(has(UNIT_DIFFERS) ? { unitDiffers: true } : {}),
    referenceRange: said.reference_range,
    bounds: boundsOf(said, inside),
    isAbove: said.is_above_max_range,
    isBelow: said.is_below_min_range,
    interpretation: said.interpretation as Interpretation,
    ...(has(NO_SOURCE) ? {} : { sourceInterpretation: sourceOf(said) }),
    ...(flags === 0 ? {} : { flags }),
    ...(status === 0 ? {} : { status }),
    notes: said.notes,
    performingLaboratory: has(NO_LABORATORY) ? null : said.performing_laboratory,
    observedAt: has(NO_MOMENT) ? null : (said.timestamp?.replace(/\+00:00$/, 'Z') ?? null),
  };
}

/** As the wire contract has it. */
const NOT_A_NUMBER = -1;

const boundsOf = (said: Said, inside: number | null): RangeBounds | null =>
  inside === null
    ? null
    : {
        min: said.min_range_value,
        minInside: (inside & MIN_INSIDE) !== 0,
        max: said.max_range_value,
        maxInside: (inside & MAX_INSIDE) !== 0,
      };

const sourceOf = ({ source_interpretation: said }: Said): Interpretation | null =>
  said === '' ? null : (said as Interpretation);

const missingOf = (said: SaidMissing, markers: Markers): MissingResult => {
  const { markerId, ...others } = markersOf(markers);
  return {
    expected: analyteOf(said),
    markerId: markerId ?? 0,
    ...others,
    failureType: said.inferred_failure_type,
    note: said.note,
  };
};

const analyteOf = ({ name, slug, loinc, loinc_slug, provider_id }: Said | SaidMissing) => ({
  name,
  slug,
  loinc,
  loincSlug: loinc_slug,
  providerId: provider_id,
});

const markersOf = (markers: Markers): Pick<ReportedResult, 'markerId' | 'markerIds'> =>
  typeof markers === 'number' || markers === null
    ? { markerId: markers }
    : { markerId: markers[0] ?? null, markerIds: markers };
