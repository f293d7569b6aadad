import { z } from 'zod';
import type { MissingResult, ReportedResult } from '../../adapters/lab-network/port.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { Order } from '../../ordering/orders/orders.ts';
import { FAILURE_TYPES } from './interpretation/failure.ts';
import { orderedTestOf, type OrderedTestSnapshot } from './ordered-test.ts';
import { withParsedRange } from './parsed-ranges.ts';
import type { StoredReport } from './stored-report.ts';

const ParentBiomarker = z
  .object({ marker_id: z.int(), name: z.string(), slug: z.string(), provider_id: z.string().nullable() })
  .meta({ id: 'ParentBiomarkerData' });

const codeFields = {
  loinc: z.string().nullable(),
  loinc_slug: z.string().nullable(),
  provider_id: z.string().nullable(),
  source_markers: z.array(ParentBiomarker).nullable(),
};

const Microbiology = z
  .object({
    isolate: z.string().nullable().describe("The laboratory's number of the isolate."),
    organism: z.string().nullable().describe('Null if the report does not say whose susceptibility it is.'),
    snomed: z.string().nullable().describe('The SNOMED CT code of the organism.'),
    susceptibility: z.string().nullable().describe('S, I, R, SDD or NS; null for the isolate itself.'),
    method: z.string().nullable(),
  })
  .meta({ id: 'MicrobiologyData' })
  .describe(
    'Extension. An isolate, or the susceptibility of one to the drug that the result is named after.',
  );

export const ResultType = z.enum(['numeric', 'range', 'comment', 'coded_value']).meta({ id: 'ResultType' });

export const BiomarkerResult = z
  .object({
    name: z.string(),
    slug: z.string(),
    value: z.number().nullable(),
    result: z.string(),
    type: ResultType,
    unit: z.string().nullable(),
    timestamp: Timestamp.nullable(),
    notes: z.string().nullable(),
    reference_range: z.string().nullable(),
    min_range_value: z.number().nullable(),
    max_range_value: z.number().nullable(),
    is_above_max_range: z.boolean().nullable(),
    is_below_min_range: z.boolean().nullable(),
    interpretation: z.string(),
    source_interpretation: z.string(),
    ...codeFields,
    performing_laboratory: z.string().nullable(),
    source_sample_id: z.string().nullable(),
    microbiology: Microbiology.optional(),
  })
  .meta({ id: 'BiomarkerResult' });

export const MissingBiomarkerResult = z
  .object({
    name: z.string(),
    slug: z.string(),
    inferred_failure_type: z.string().meta({ enum: [...FAILURE_TYPES] }),
    note: z.string().nullable(),
    ...codeFields,
  })
  .meta({ id: 'MissingBiomarkerResult' });

const IDENTITY_FIELDS = {
  name: true,
  slug: true,
  loinc: true,
  loinc_slug: true,
  provider_id: true,
  source_markers: true,
} as const;
/** The name and codes of a result. They are the same in every report of one lab test. */
export const BiomarkerIdentity = BiomarkerResult.pick(IDENTITY_FIELDS);
/** The rest of a result: what was measured. */
export const BiomarkerMeasurement = BiomarkerResult.omit(IDENTITY_FIELDS);

export const viewBiomarkerResult = (
  order: Order,
  report: StoredReport,
  result: ReportedResult,
): z.input<typeof BiomarkerResult> => ({
  ...viewBiomarkerIdentity(order, result),
  ...viewBiomarkerMeasurement(order, report, result),
});

export const viewBiomarkerIdentity = (
  order: Order,
  result: ReportedResult,
): z.input<typeof BiomarkerIdentity> => ({
  name: result.expected.name,
  slug: result.expected.slug,
  ...viewCodes(order, result),
});

export function viewBiomarkerMeasurement(
  order: Order,
  report: StoredReport,
  result: ReportedResult,
): z.input<typeof BiomarkerMeasurement> {
  const { min_range_value, max_range_value, is_above_max_range, is_below_min_range } = viewRange(result);
  return {
    value: result.value,
    result: result.result,
    type: result.type,
    unit: result.unit,
    timestamp:
      result.observedAt == null ? isoTimestamp(report.reportedAt) : result.observedAt.replace(/Z$/, '+00:00'),
    notes: result.notes,
    reference_range: result.referenceRange,
    min_range_value,
    max_range_value,
    is_above_max_range,
    is_below_min_range,
    interpretation: result.interpretation,
    source_interpretation: viewSourceInterpretation(result),
    performing_laboratory: result.performingLaboratory ?? report.laboratory,
    source_sample_id: order.sample_id,
    ...(result.microbiology ? { microbiology: result.microbiology } : {}),
  };
}

/** Empty where the laboratory set no flag. Reports stored before flags were read repeat the interpretation. */
const viewSourceInterpretation = ({ sourceInterpretation: said, interpretation }: ReportedResult): string =>
  said === undefined ? interpretation : (said ?? '');

/** The stored bounds. For reports stored before bounds were, the printed range is parsed now. */
function viewRange(result: ReportedResult) {
  const { bounds, isAbove, isBelow } = result.bounds === undefined ? withParsedRange(result) : result;
  return {
    min_range_value: bounds?.min ?? null,
    max_range_value: bounds?.max ?? null,
    is_above_max_range: isAbove ?? null,
    is_below_min_range: isBelow ?? null,
  };
}

export const viewMissing = (
  order: Order,
  missing: MissingResult,
): z.input<typeof MissingBiomarkerResult> => ({
  name: missing.expected.name,
  slug: missing.expected.slug,
  inferred_failure_type: missing.failureType,
  note: missing.note,
  ...viewCodes(order, missing),
});

type MarkerReference = Pick<ReportedResult, 'expected' | 'markerId' | 'markerIds'>;

function viewCodes(order: Order, { expected, markerId, markerIds }: MarkerReference) {
  const sources = sourceMarkersOf(order);
  const wanted = markerIds ?? (markerId === null ? [] : [markerId]);
  const found = wanted.flatMap((id) => sources.get(id) ?? []);
  return {
    loinc: expected.loinc,
    loinc_slug: expected.loincSlug,
    provider_id: expected.providerId,
    source_markers: found.length > 0 ? found : null,
  };
}

type SourceMarker = z.input<typeof ParentBiomarker>;
const sourceMarkersByTest = new WeakMap<OrderedTestSnapshot, ReadonlyMap<number, SourceMarker>>();

/** The ordered markers as `source_markers` shows them, by id. */
function sourceMarkersOf(order: Order): ReadonlyMap<number, SourceMarker> {
  const ordered = orderedTestOf(order);
  const sources =
    sourceMarkersByTest.get(ordered) ??
    new Map((ordered.markers ?? []).map((marker) => [marker.id, viewSourceMarker(marker)]));
  sourceMarkersByTest.set(ordered, sources);
  return sources;
}

const viewSourceMarker = ({
  id,
  name,
  slug,
  provider_id,
}: NonNullable<OrderedTestSnapshot['markers']>[number]): SourceMarker => ({
  marker_id: id,
  name,
  slug,
  provider_id: provider_id ?? null,
});
