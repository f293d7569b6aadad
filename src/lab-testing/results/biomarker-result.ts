import { z } from 'zod';
import type { MissingResult, ReportedResult } from '../../adapters/lab-network/port.ts';
import { isoMoment } from '../../platform/clock.ts';
import type { Order } from '../orders/orders.ts';
import { FAILURE_TYPES } from './meaning/failure.ts';
import { orderedTestOf, type Ordered } from './ordered-test.ts';
import { ranged } from './ranged.ts';
import type { StoredReport } from './stored-report.ts';

const ParentBiomarker = z
  .object({ marker_id: z.int(), name: z.string(), slug: z.string(), provider_id: z.string().nullable() })
  .meta({ id: 'ParentBiomarkerData' });

const coded = {
  loinc: z.string().nullable(),
  loinc_slug: z.string().nullable(),
  provider_id: z.string().nullable(),
  source_markers: z.array(ParentBiomarker).nullable(),
};

export const ResultType = z.enum(['numeric', 'range', 'comment', 'coded_value']).meta({ id: 'ResultType' });

export const BiomarkerResult = z
  .object({
    name: z.string(),
    slug: z.string(),
    value: z.number().nullable(),
    result: z.string(),
    type: ResultType,
    unit: z.string().nullable(),
    timestamp: z.iso.datetime({ offset: true }).nullable(),
    notes: z.string().nullable(),
    reference_range: z.string().nullable(),
    min_range_value: z.number().nullable(),
    max_range_value: z.number().nullable(),
    is_above_max_range: z.boolean().nullable(),
    is_below_min_range: z.boolean().nullable(),
    interpretation: z.string(),
    source_interpretation: z.string(),
    ...coded,
    performing_laboratory: z.string().nullable(),
    source_sample_id: z.string().nullable(),
  })
  .meta({ id: 'BiomarkerResult' });

export const MissingBiomarkerResult = z
  .object({
    name: z.string(),
    slug: z.string(),
    inferred_failure_type: z.string().meta({ enum: [...FAILURE_TYPES] }),
    note: z.string().nullable(),
    ...coded,
  })
  .meta({ id: 'MissingBiomarkerResult' });

const NAMED = {
  name: true,
  slug: true,
  loinc: true,
  loinc_slug: true,
  provider_id: true,
  source_markers: true,
} as const;
/** Of a result what it is called and what it answers: the same in every report of one lab test. */
export const NamedResult = BiomarkerResult.pick(NAMED);
/** The rest of it: what was found. */
export const FoundResult = BiomarkerResult.omit(NAMED);

export const viewOne = (
  order: Order,
  report: StoredReport,
  result: ReportedResult,
): z.input<typeof BiomarkerResult> => ({
  ...viewNamed(order, result),
  ...viewFound(order, report, result),
});

export const viewNamed = (order: Order, result: ReportedResult): z.input<typeof NamedResult> => ({
  name: result.expected.name,
  slug: result.expected.slug,
  ...viewCodes(order, result),
});

export function viewFound(
  order: Order,
  report: StoredReport,
  result: ReportedResult,
): z.input<typeof FoundResult> {
  const { min_range_value, max_range_value, is_above_max_range, is_below_min_range } = rangeOf(result);
  return {
    value: result.value,
    result: result.result,
    type: result.type,
    unit: result.unit,
    timestamp:
      result.observedAt == null ? isoMoment(report.reportedAt) : result.observedAt.replace(/Z$/, '+00:00'),
    notes: result.notes,
    reference_range: result.referenceRange,
    min_range_value,
    max_range_value,
    is_above_max_range,
    is_below_min_range,
    interpretation: result.interpretation,
    source_interpretation: sourceOf(result),
    performing_laboratory: result.performingLaboratory ?? report.laboratory,
    source_sample_id: order.sample_id,
  };
}

/** Empty where the laboratory set no flag; a report that was kept before flags were has what it was told. */
const sourceOf = ({ sourceInterpretation: said, interpretation }: ReportedResult): string =>
  said === undefined ? interpretation : (said ?? '');

/** As it was judged when the report came; a report that was kept before ranges were is read now. */
function rangeOf(result: ReportedResult) {
  const { bounds, isAbove, isBelow } = result.bounds === undefined ? ranged(result) : result;
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

type Coded = Pick<ReportedResult, 'expected' | 'markerId' | 'markerIds'>;

function viewCodes(order: Order, { expected, markerId, markerIds }: Coded) {
  const sources = sourcesOf(order);
  const wanted = markerIds ?? (markerId === null ? [] : [markerId]);
  const found = wanted.flatMap((id) => sources.get(id) ?? []);
  return {
    loinc: expected.loinc,
    loinc_slug: expected.loincSlug,
    provider_id: expected.providerId,
    source_markers: found.length > 0 ? found : null,
  };
}

type Source = z.input<typeof ParentBiomarker>;
const known = new WeakMap<Ordered, ReadonlyMap<number, Source>>();

/** The ordered markers as results name them, by their ids. */
function sourcesOf(order: Order): ReadonlyMap<number, Source> {
  const ordered = orderedTestOf(order);
  const sources =
    known.get(ordered) ?? new Map((ordered.markers ?? []).map((marker) => [marker.id, viewSource(marker)]));
  known.set(ordered, sources);
  return sources;
}

const viewSource = ({ id, name, slug, provider_id }: NonNullable<Ordered['markers']>[number]): Source => ({
  marker_id: id,
  name,
  slug,
  provider_id: provider_id ?? null,
});
