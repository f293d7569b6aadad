import { z } from 'zod';
import { ageAt } from '../../people/schema.ts';
import { isoMoment } from '../../platform/clock.ts';
import { printed, type Printed } from '../../platform/http/printed.ts';
import { serializerOf } from '../../platform/http/serializer.ts';
import { patientNameOf, viewTransaction, type Order, type OrderHead } from '../orders/orders.ts';
import { OrderTransactionView, PhysicianView } from '../orders/schema.ts';
import { BiomarkerResult, MissingBiomarkerResult, viewMissing, viewOne } from './biomarker-result.ts';
import type { PrintedReport } from './printed-report.ts';
import { headOf, type ReportHead } from './report-head.ts';
import type { StoredReport } from './stored-report.ts';

export { ResultType } from './biomarker-result.ts';

/** The largest that its column holds. */
const VERSION_MAX = 2 ** 31 - 1;

export const AskedVersion = z
  .int()
  .min(1)
  .max(VERSION_MAX)
  .optional()
  .describe('An older version; the newest by default (ours).');

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

const printsMetadata = serializerOf(ResultMetadata);
const printsSample = serializerOf(ResultView.shape.sample_information);
const printsTransaction = serializerOf(ResultView.shape.order_transaction);

/** The same of a report that was printed when it was kept. */
export const printResult = (order: OrderHead, { head, results, missing }: PrintedReport): Printed =>
  printed(ResultView, {
    metadata: printsMetadata(viewMetadata(order, head)),
    results,
    missing_results: missing,
    sample_information: printsSample(viewSample(order, head)),
    order_transaction: printsTransaction(viewTransaction(order)),
  });

export function viewResult(order: Order, report: StoredReport): z.input<typeof ResultView> {
  const head = headOf(order, report);
  return {
    metadata: viewMetadata(order, head),
    results: report.results.map((result) => viewOne(order, report, result)),
    missing_results: report.missing.map((missing) => viewMissing(order, missing)),
    sample_information: viewSample(order, head),
    order_transaction: viewTransaction(order),
  };
}

/** When the specimen was taken, came to the laboratory, and was reported on: as the report says, else as the order went. */
export function momentsOf(
  order: OrderHead,
  report: Pick<ReportHead, 'collectedAt' | 'receivedAt' | 'reportedAt'>,
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

function viewSample(order: OrderHead, report: ReportHead): z.input<typeof ResultView>['sample_information'] {
  if (order.sample_id === null) return null;
  const { collected, received, reported } = momentsOf(order, report);
  const stamp = (moment: Date | undefined) =>
    moment ? { timestamp: isoMoment(moment), timezone_offset: 0 } : null;
  return {
    [order.sample_id]: {
      sample_id: order.sample_id,
      control_number: null,
      date_collected: stamp(collected),
      date_received: stamp(received),
      date_reported: stamp(reported),
      performing_laboratories: laboratoriesOf(order, report),
      clinical_information: remarksOn(report),
    },
  };
}

/** Where the results were made; a report that does not say so was made where it came from. */
function laboratoriesOf(order: OrderHead, report: ReportHead): Record<string, { name: string }> {
  const named = report.orderedFrom ?? report.laboratory;
  const own = report.laboratory === order.lab_slug ? named : report.laboratory;
  return Object.fromEntries(
    report.performers.map((name) => [name, { name: name === report.laboratory ? own : name }]),
  );
}

const FASTING = /\bfasting\b\s*[:=]?\s*(?:y|yes|true)?\s*$/i;

/** What the laboratory remarks on the whole report. */
const remarksOn = ({ notes = [] }: ReportHead) =>
  notes.length === 0
    ? null
    : {
        fasting: notes.some((note) => FASTING.test(note) && !/\bnon|\bnot\b/i.test(note)),
        notes: notes.join('\n'),
        information: null,
        total_volume: null,
      };

export function viewMetadata(order: OrderHead, report: ReportHead): z.input<typeof ResultMetadata> {
  const { patient } = order.private;
  const { collected, received } = momentsOf(order, report);
  return {
    age: patient ? String(ageAt(report.reportedAt, patient.dob)) : '',
    dob: patient?.dob ?? '',
    'clia_#': report.clia,
    patient: patientNameOf(order.private) ?? '',
    provider: physicianName(order),
    laboratory: report.orderedFrom ?? report.laboratory,
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

const MaybePhysician = PhysicianView.nullable();

/** Who ordered the test, where the team named somebody. */
function physicianName(order: OrderHead): string | null {
  const physician = MaybePhysician.parse(order.physician);
  return physician && `${physician.first_name} ${physician.last_name}`;
}
