import { z } from 'zod';
import { ageAt } from '../../people/schema.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { joinSerialized, type SerializedJson } from '../../platform/http/serialized-json.ts';
import { serializerOf } from '../../platform/http/serializer.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { patientNameOf, viewTransaction, type Order, type OrderHead } from '../../ordering/orders/orders.ts';
import { OrderTransactionView, PhysicianView } from '../../ordering/orders/schema.ts';
import {
  BiomarkerResult,
  MissingBiomarkerResult,
  viewMissing,
  viewBiomarkerResult,
} from './biomarker-result.ts';
import type { SerializedReport } from './serialized-report.ts';
import { toReportHeader, type ReportHeader } from './report-header.ts';
import type { StoredReport } from './stored-report.ts';

export { ResultType } from './biomarker-result.ts';

/** The maximum of the column's type, a 32-bit integer. */
const VERSION_MAX = 2 ** 31 - 1;

export const RequestedVersion = z
  .int()
  .min(1)
  .max(VERSION_MAX)
  .optional()
  .describe('The version of the results; the newest by default (ours).');

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

const TimestampWithOffset = z
  .object({ timestamp: Timestamp, timezone_offset: z.int() })
  .meta({ id: 'UTCTimestampWithTimezoneOffset' });

const SampleData = z
  .object({
    sample_id: z.string().nullable(),
    control_number: z.string().nullable(),
    date_collected: TimestampWithOffset.nullable(),
    date_received: TimestampWithOffset.nullable(),
    date_reported: TimestampWithOffset.nullable(),
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

const serializeMetadata = serializerOf(ResultMetadata);
const serializeSample = serializerOf(ResultView.shape.sample_information);
const serializeTransaction = serializerOf(ResultView.shape.order_transaction);

/** Builds the response from a report that was serialized on storing. */
export const serializeResult = (
  order: OrderHead,
  { head, results, missing }: SerializedReport,
): SerializedJson =>
  joinSerialized(ResultView, {
    metadata: serializeMetadata(viewMetadata(order, head)),
    results,
    missing_results: missing,
    sample_information: serializeSample(viewSample(order, head)),
    order_transaction: serializeTransaction(viewTransaction(order)),
  });

export function viewResult(order: Order, report: StoredReport): z.input<typeof ResultView> {
  const head = toReportHeader(order, report);
  return {
    metadata: viewMetadata(order, head),
    results: report.results.map((result) => viewBiomarkerResult(order, report, result)),
    missing_results: report.missing.map((missing) => viewMissing(order, missing)),
    sample_information: viewSample(order, head),
    order_transaction: viewTransaction(order),
  };
}

/** When the specimen was collected, received and reported: from the report, else from the order's events. */
export function resolveReportTimes(
  order: OrderHead,
  report: Pick<ReportHeader, 'collectedAt' | 'receivedAt' | 'reportedAt'>,
) {
  const at = (step: string) => order.events.find((event) => event.step === step)?.created_at;
  const told = (moment: string | null | undefined) => (moment == null ? undefined : new Date(moment));
  const collected = told(report.collectedAt) ?? at('draw_completed') ?? at('transit_lab');
  return {
    collected,
    received: told(report.receivedAt) ?? at('delivered_to_lab') ?? collected,
    reported: report.reportedAt,
  };
}

function viewSample(
  order: OrderHead,
  report: ReportHeader,
): z.input<typeof ResultView>['sample_information'] {
  if (order.sample_id === null) return null;
  const { collected, received, reported } = resolveReportTimes(order, report);
  const stamp = (moment: Date | undefined) =>
    moment ? { timestamp: isoTimestamp(moment), timezone_offset: 0 } : null;
  return {
    [order.sample_id]: {
      sample_id: order.sample_id,
      control_number: null,
      date_collected: stamp(collected),
      date_received: stamp(received),
      date_reported: stamp(reported),
      performing_laboratories: laboratoriesOf(order, report),
      clinical_information: toClinicalInformation(report),
    },
  };
}

/** The laboratories that performed the tests; by default the one that sent the report. */
function laboratoriesOf(order: OrderHead, report: ReportHeader): Record<string, { name: string }> {
  const named = report.orderedFrom ?? report.laboratory;
  const own = report.laboratory === order.lab_slug ? named : report.laboratory;
  return Object.fromEntries(
    report.performers.map((name) => [name, { name: name === report.laboratory ? own : name }]),
  );
}

const FASTING = /\bfasting\b\s*[:=]?\s*(?:y|yes|true)?\s*$/i;

/** The laboratory's notes on the whole report. */
const toClinicalInformation = ({ notes = [] }: ReportHeader) =>
  notes.length === 0
    ? null
    : {
        fasting: notes.some((note) => FASTING.test(note) && !/\bnon|\bnot\b/i.test(note)),
        notes: notes.join('\n'),
        information: null,
        total_volume: null,
      };

export function viewMetadata(order: OrderHead, report: ReportHeader): z.input<typeof ResultMetadata> {
  const { patient } = order.private;
  const { collected, received } = resolveReportTimes(order, report);
  return {
    age: patient ? String(ageAt(report.reportedAt, patient.dob)) : '',
    dob: patient?.dob ?? '',
    'clia_#': report.clia,
    patient: patientNameOf(order.private) ?? '',
    provider: physicianName(order),
    laboratory: report.orderedFrom ?? report.laboratory,
    date_reported: isoTimestamp(report.reportedAt),
    date_collected: collected ? isoTimestamp(collected) : null,
    specimen_number: order.sample_id ?? '',
    date_received: received ? isoTimestamp(received) : null,
    status: report.status,
    interpretation: report.interpretation,
    patient_id: order.user_id,
    account_id: order.lab_account_id,
  };
}

const OptionalPhysician = PhysicianView.nullable();

/** The ordering physician, if the order has one. */
function physicianName(order: OrderHead): string | null {
  const physician = OptionalPhysician.parse(order.physician);
  return physician && `${physician.first_name} ${physician.last_name}`;
}
