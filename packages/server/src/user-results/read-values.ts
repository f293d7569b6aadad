import { detectDecimalSign, readNumber, type DecimalSign } from 'aliquot-report-reader/values';
import type { ReportExtraction } from '../lab-reports/lab-reports.ts';
import { withParsedRange, type StoredReport } from '../results/results/results.ts';
import { isoTimestamp } from '../platform/clock.ts';
import type { OrderSource, ResultSource, UploadSource } from './source-store.ts';

/** One measured value of a user, from any source. Units are as reported: nothing is converted. */
export interface UserResultValue {
  readonly source: 'order' | 'lab_report';
  readonly order_id: string | null;
  readonly lab_report_job_id: string | null;
  readonly source_name: string | null;
  readonly state: 'confirmed' | 'preliminary' | 'in_review';
  readonly name: string;
  readonly slug: string;
  readonly loinc: string | null;
  readonly value: number | null;
  readonly result: string;
  readonly unit: string | null;
  readonly reference_range: string | null;
  readonly min_range_value: number | null;
  readonly max_range_value: number | null;
  readonly interpretation: string;
  readonly measured_at: string;
  readonly measured_at_source: 'observed' | 'collected' | 'reported' | 'uploaded';
}

/** Every value of a source, in the order of its report. */
export const readValues = (source: ResultSource): UserResultValue[] => {
  if (source.kind === 'order') {
    const { report } = source;
    return report === undefined ? [] : report.results.map((result) => readOrdered(source, report, result));
  }
  const { extraction } = source;
  if (extraction === null) return [];
  const sign = detectDecimalSign(extraction.lines.map(({ result: { value } }) => value));
  const time = timeOfReport(source.at, extraction);
  return extraction.lines.map(({ result }) => ({
    ...readLine(result, sign),
    ...time,
    ...describeUpload(source),
  }));
};

/** `<5` is a bound, not a value. */
const BOUND = /^\s*[<>≤≥]/;

function readOrdered(
  source: OrderSource,
  report: StoredReport,
  reported: StoredReport['results'][number],
): UserResultValue {
  const { expected, bounds, ...result } = withParsedRange(reported);
  const isPreliminary =
    result.status === 'preliminary' || (result.status === undefined && report.status === 'partial');
  const at = result.observedAt ?? report.collectedAt;
  return {
    source: 'order',
    order_id: source.id,
    lab_report_job_id: null,
    source_name: source.testName,
    state: isPreliminary ? 'preliminary' : 'confirmed',
    name: expected.name,
    slug: expected.slug,
    loinc: expected.loinc,
    // A result that is no number has -1 there.
    value: result.type === 'numeric' && !BOUND.test(result.result) ? result.value : null,
    result: result.result,
    unit: result.unit,
    reference_range: result.referenceRange,
    min_range_value: bounds?.min ?? null,
    max_range_value: bounds?.max ?? null,
    interpretation: result.interpretation,
    measured_at: isoTimestamp(at == null ? report.reportedAt : new Date(at)),
    measured_at_source: result.observedAt != null ? 'observed' : at == null ? 'reported' : 'collected',
  };
}

type ExtractedResult = ReportExtraction['lines'][number]['result'];

function readLine(result: ExtractedResult, sign: DecimalSign) {
  const number = readNumber(result.value, sign);
  const isChosen = result.loinc_match_status === 'auto_match';
  const { min_reference_range: min, max_reference_range: max } = result;
  return {
    name: result.test_name,
    slug: toSlug(result.test_name),
    loinc: isChosen ? (result.loinc_matches?.[0]?.loinc_code ?? null) : null,
    value: number === undefined || number.comparator !== null ? null : number.value,
    result: result.value,
    unit: result.units,
    reference_range: min === null && max === null ? null : `${min ?? ''} – ${max ?? ''}`.trim(),
    min_range_value: min,
    max_range_value: max,
    interpretation: result.interpretation ?? 'unknown',
  };
}

const describeUpload = ({ id, isInReview, extraction }: UploadSource) =>
  ({
    source: 'lab_report',
    order_id: null,
    lab_report_job_id: id,
    source_name: extraction?.metadata.lab_name ?? null,
    state: isInReview ? 'in_review' : 'confirmed',
  }) as const;

const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** The reader writes times without a zone, because reports print none. */
const PRINTED_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d))?/;

function timeOfReport(uploadedAt: Date, { metadata }: ReportExtraction) {
  const collected = readPrintedTime(metadata.date_collected);
  const reported = collected ?? readPrintedTime(metadata.date_reported);
  const origin = collected ? 'collected' : reported ? 'reported' : 'uploaded';
  return { measured_at: isoTimestamp(reported ?? uploadedAt), measured_at_source: origin } as const;
}

function readPrintedTime(text: string | null): Date | undefined {
  const [, day, time = '00:00'] = PRINTED_TIME.exec(text ?? '') ?? [];
  const at = new Date(`${day}T${time}:00Z`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
