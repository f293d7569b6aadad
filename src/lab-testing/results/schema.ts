import { z } from 'zod';
import type { MissingResult, ReportedResult } from '../../adapters/lab-network/port.ts';
import { ageAt } from '../../people/schema.ts';
import { isoMoment } from '../../platform/clock.ts';
import { OrderedTest, viewOrder, type Order } from '../orders/orders.ts';
import { OrderTransactionView } from '../orders/schema.ts';
import { readRange } from './reference-range.ts';
import type { StoredReport } from './store.ts';

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

const BiomarkerResult = z
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

const MissingBiomarkerResult = z
  .object({
    name: z.string(),
    slug: z.string(),
    inferred_failure_type: z.string().meta({ enum: FAILURES() }),
    note: z.string().nullable(),
    ...coded,
  })
  .meta({ id: 'MissingBiomarkerResult' });

// prettier-ignore
function FAILURES(): string[] {
  return ['quantity_not_sufficient_failure', 'collection_process_failure', 'drop_off_failure', 'internal_lab_failure',
    'order_entry_failure', 'non_failure', 'unknown_failure', 'patient_condition_failure', 'missing_result_calc_failure',
    'missing_demo_aoe_calc_failure', 'insufficient_volume'];
}

export const ResultMetadata = z
  .object({
    age: z.string(),
    dob: z.string(),
    'clia_#': z.string().nullable(),
    patient: z.string(),
    provider: z.string().nullable(),
    laboratory: z.string().nullable(),
    date_reported: z.string(),
    date_collected: z.string().nullable(),
    specimen_number: z.string(),
    date_received: z.string().nullable(),
    status: z.string(),
    interpretation: z.string().nullable(),
    patient_id: z.string().nullable(),
    account_id: z.string().nullable(),
  })
  .meta({ id: 'LabResultsMetadata' });

const Stamp = z
  .object({ timestamp: z.iso.datetime({ offset: true }), timezone_offset: z.int() })
  .meta({ id: 'UTCTimestampWithTimezoneOffset' });

const SampleData = z
  .object({
    sample_id: z.string().nullable(),
    control_number: z.string().nullable(),
    date_collected: Stamp.nullable(),
    date_received: Stamp.nullable(),
    date_reported: Stamp.nullable(),
    performing_laboratories: z.record(z.string(), z.object({ name: z.string() })).nullable(),
    clinical_information: z
      .object({
        fasting: z.boolean(),
        notes: z.string().nullable(),
        information: z.string().nullable(),
        total_volume: z.string().nullable(),
      })
      .meta({ id: 'ClinicalInformation' })
      .nullable(),
  })
  .meta({ id: 'SampleData' });

export const ResultView = z
  .object({
    metadata: ResultMetadata,
    results: z.array(BiomarkerResult),
    missing_results: z.array(MissingBiomarkerResult).nullable(),
    sample_information: z.record(z.string(), SampleData).nullable(),
    order_transaction: OrderTransactionView.nullable(),
  })
  .meta({ id: 'LabResultsRaw' });

export const viewResult = (order: Order, report: StoredReport): z.input<typeof ResultView> => ({
  metadata: viewMetadata(order, report),
  results: report.results.map((result) => viewOne(order, report, result)),
  missing_results: report.missing.map((missing) => viewMissing(order, missing)),
  sample_information: viewSample(order, report),
  order_transaction: viewOrder(order).order_transaction,
});

/** When the specimen was taken, came to the laboratory, and was reported on. */
function momentsOf(order: Order, report: StoredReport) {
  const at = (step: string) => order.events.find((event) => event.step === step)?.created_at;
  const collected = at('draw_completed') ?? at('transit_lab');
  return { collected, received: at('delivered_to_lab') ?? collected, reported: report.reportedAt };
}

function viewSample(order: Order, report: StoredReport): z.input<typeof ResultView>['sample_information'] {
  if (order.sample_id === null) return null;
  const { collected, received, reported } = momentsOf(order, report);
  const stamp = (moment: Date | undefined) =>
    moment ? { timestamp: isoMoment(moment), timezone_offset: 0 } : null;
  const laboratory = OrderedTest.parse(order.lab_test).lab?.name ?? report.laboratory;
  return {
    [order.sample_id]: {
      sample_id: order.sample_id,
      control_number: null,
      date_collected: stamp(collected),
      date_received: stamp(received),
      date_reported: stamp(reported),
      performing_laboratories: { [report.laboratory]: { name: laboratory } },
      clinical_information: null,
    },
  };
}

export function viewMetadata(order: Order, report: StoredReport): z.input<typeof ResultMetadata> {
  const { patient } = order.private;
  const { collected, received } = momentsOf(order, report);
  return {
    age: patient ? String(ageAt(report.reportedAt, patient.dob)) : '',
    dob: patient?.dob ?? '',
    'clia_#': report.clia,
    patient: order.patient_name ?? '',
    provider: null,
    laboratory: OrderedTest.parse(order.lab_test).lab?.name ?? report.laboratory,
    date_reported: isoMoment(report.reportedAt),
    date_collected: collected ? isoMoment(collected) : null,
    specimen_number: order.sample_id ?? '',
    date_received: received ? isoMoment(received) : null,
    status: report.status,
    interpretation: report.interpretation,
    patient_id: order.user_id,
    account_id: order.lab_account_id,
  };
}

function viewOne(
  order: Order,
  report: StoredReport,
  result: ReportedResult,
): z.input<typeof BiomarkerResult> {
  const range = readRange(result.referenceRange);
  const isNumber = result.type === 'numeric';
  return {
    name: result.expected.name,
    slug: result.expected.slug,
    value: result.value,
    result: result.result,
    type: result.type,
    unit: result.unit,
    timestamp: isoMoment(report.reportedAt),
    notes: result.notes,
    reference_range: result.referenceRange,
    min_range_value: range.min,
    max_range_value: range.max,
    is_above_max_range: isNumber ? range.isAbove(result.value) : null,
    is_below_min_range: isNumber ? range.isBelow(result.value) : null,
    interpretation: result.interpretation,
    source_interpretation: result.interpretation,
    ...viewCodes(order, result),
    performing_laboratory: report.laboratory,
    source_sample_id: order.sample_id,
  };
}

const viewMissing = (order: Order, missing: MissingResult): z.input<typeof MissingBiomarkerResult> => ({
  name: missing.expected.name,
  slug: missing.expected.slug,
  inferred_failure_type: missing.failureType,
  note: missing.note,
  ...viewCodes(order, missing),
});

function viewCodes(order: Order, { expected, markerId }: Pick<ReportedResult, 'expected' | 'markerId'>) {
  const markers = OrderedTest.parse(order.lab_test).markers ?? [];
  const source = markers.find(({ id }) => id === markerId);
  return {
    loinc: expected.loinc,
    loinc_slug: expected.loincSlug,
    provider_id: expected.providerId,
    source_markers: source
      ? [
          {
            marker_id: source.id,
            name: source.name,
            slug: source.slug,
            provider_id: source.provider_id ?? null,
          },
        ]
      : null,
  };
}
