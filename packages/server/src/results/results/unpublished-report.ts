import type { z } from 'zod';
import type {
  LabInterpretation,
  LabReport,
  MissingResult,
  RangeBounds,
  ReportedResult,
} from '../../adapters/lab-network/port.ts';
import type { BiomarkerResult, MissingBiomarkerResult } from './biomarker-result.ts';

/**
 * The fields of a report that the API response does not show. They are stored next to the serialized response; together
 * the two restore the report, without storing anything twice.
 */
interface UnpublishedReport {
  readonly results: readonly UnpublishedResult[];
  readonly missing: readonly MarkerIds[];
}

/** The id of the ordered marker, or a list of ids where there are several. */
type MarkerIds = number | null | readonly number[];

/** The order of the elements is a storage format. 0 means absent, as in reports of simulated laboratories. */
type UnpublishedResult = readonly [
  markers: MarkerIds,
  ucum: string | null | 0,
  /** Bits for the inclusive bounds; null where the range has no bounds. */
  inside: number | null,
  flags: readonly string[] | 0,
  status: NonNullable<ReportedResult['status']> | 0,
  traits: number,
];

const [MIN_INSIDE, MAX_INSIDE] = [1, 2];
/** Bits for fields that the response fills in although the result does not have them. */
const [NO_SOURCE, NO_MOMENT, NO_LABORATORY, UNIT_DIFFERS] = [1, 2, 4, 8];

export const toUnpublishedReport = ({
  results,
  missing,
}: Pick<LabReport, 'results' | 'missing'>): UnpublishedReport => ({
  results: results.map((result) => [
    result.markerIds ?? result.markerId,
    result.ucum === undefined ? 0 : result.ucum,
    toInclusiveBits(result.bounds),
    result.flags ?? 0,
    result.status ?? 0,
    toTraitBits(result),
  ]),
  missing: missing.map(({ markerId, markerIds }) => markerIds ?? markerId),
});

const toInclusiveBits = (bounds: ReportedResult['bounds']): number | null =>
  bounds ? (bounds.minInside ? MIN_INSIDE : 0) | (bounds.maxInside ? MAX_INSIDE : 0) : null;

const toTraitBits = (result: ReportedResult): number =>
  (result.sourceInterpretation === undefined ? NO_SOURCE : 0) |
  (result.observedAt == null ? NO_MOMENT : 0) |
  (result.performingLaboratory == null ? NO_LABORATORY : 0) |
  (result.unitDiffers === true ? UNIT_DIFFERS : 0);

type PublishedResult = z.output<typeof BiomarkerResult>;
type PublishedMissingResult = z.output<typeof MissingBiomarkerResult>;

/** Restores the results from the response and the unpublished fields. */
export function restoreResults(
  said: { readonly results: readonly PublishedResult[]; readonly missing: readonly PublishedMissingResult[] },
  unsaid: UnpublishedReport,
): Pick<LabReport, 'results' | 'missing'> {
  return {
    results: said.results.map((each, at) => restoreResult(each, requirePart(unsaid.results, at))),
    missing: said.missing.map((each, at) => restoreMissing(each, requirePart(unsaid.missing, at))),
  };
}

function requirePart<T>(parts: readonly T[], at: number): T {
  const part = parts[at];
  if (part === undefined) throw new Error(`The stored report has no unpublished fields for result ${at}`);
  return part;
}

function restoreResult(
  said: PublishedResult,
  [markers, ucum, inside, flags, status, traits]: UnpublishedResult,
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
    interpretation: said.interpretation as LabInterpretation,
    ...(has(NO_SOURCE) ? {} : { sourceInterpretation: sourceOf(said) }),
    ...(flags === 0 ? {} : { flags }),
    ...(status === 0 ? {} : { status }),
    notes: said.notes,
    performingLaboratory: has(NO_LABORATORY) ? null : said.performing_laboratory,
    observedAt: has(NO_MOMENT) ? null : (said.timestamp?.replace(/\+00:00$/, 'Z') ?? null),
    ...(said.microbiology ? { microbiology: said.microbiology } : {}),
  };
}

/** The value that the API contract prescribes for a result that is not a number. */
const NOT_A_NUMBER = -1;

const boundsOf = (said: PublishedResult, inside: number | null): RangeBounds | null =>
  inside === null
    ? null
    : {
        min: said.min_range_value,
        minInside: (inside & MIN_INSIDE) !== 0,
        max: said.max_range_value,
        maxInside: (inside & MAX_INSIDE) !== 0,
      };

const sourceOf = ({ source_interpretation: said }: PublishedResult): LabInterpretation | null =>
  said === '' ? null : (said as LabInterpretation);

const restoreMissing = (said: PublishedMissingResult, markers: MarkerIds): MissingResult => {
  const { markerId, ...others } = markersOf(markers);
  return {
    expected: analyteOf(said),
    markerId: markerId ?? 0,
    ...others,
    failureType: said.inferred_failure_type,
    note: said.note,
  };
};

const analyteOf = ({
  name,
  slug,
  loinc,
  loinc_slug,
  provider_id,
}: PublishedResult | PublishedMissingResult) => ({
  name,
  slug,
  loinc,
  loincSlug: loinc_slug,
  providerId: provider_id,
});

const markersOf = (markers: MarkerIds): Pick<ReportedResult, 'markerId' | 'markerIds'> =>
  typeof markers === 'number' || markers === null
    ? { markerId: markers }
    : { markerId: markers[0] ?? null, markerIds: markers };
