import { createHash } from 'node:crypto';
import type {
  ExpectedResult,
  LabNetwork,
  LabReport,
  MissingResult,
  PlacedRequisition,
  ReportedResult,
  SimulatedReportRequest,
} from './port.ts';
import { createCorrection } from './simulated-correction.ts';
import { interpretValue, type TargetInterpretation } from './simulated-values.ts';
import {
  listUniqueAnalytes,
  listExpectedMeasurements,
  planMeasurements,
  planInterpretations,
  type ExpectedMeasurement,
} from './simulated-plan.ts';
import { fitReferenceIntervals } from './simulated-reference.ts';
import type { SimulatedPatient } from './simulated-relation.ts';
import {
  getAnalyteKey,
  resolveOrderedAnalytes,
  generateSpecimen,
  type SpecimenRequest,
  type SpecimenValues,
} from './simulated-specimen.ts';
import { printFinding, getDefaultType } from './simulated-results.ts';

const SAMPLES = 10n ** 18n;
const DEFAULT_REQUEST: SimulatedReportRequest = {
  interpretation: 'normal',
  resultTypes: null,
  hasMissingResults: false,
  status: 'final',
};

/**
 * A stateless simulated laboratory. Reports depend only on the requisition: the same order gets the same values on
 * every machine, and all values of an order are plausible for one person. It never waits; callers pass the time.
 */
export function createSimulatedLabNetwork(): LabNetwork {
  return {
    requestTests: async ({ orderId, lab }) => ({ sampleId: createSampleId(orderId, lab) }),
    cancelTests: async () => {},
    reports: async (placed) => [createReport(withFittedIntervals(placed), placed.wish ?? DEFAULT_REQUEST)],
  };
}

/**
 * Two letters and 18 digits, which give a short barcode. The chance of a collision among a million orders is one in two
 * million. The sample id is the only identifier of a specimen.
 */
function createSampleId(orderId: string, lab: string): string {
  const digest = createHash('sha256').update(`${orderId}\n${lab}`).digest();
  return `${lab.slice(0, 2).toUpperCase()}${String(digest.readBigUInt64BE(0) % SAMPLES).padStart(18, '0')}`;
}

function createReport(placed: PlacedRequisition, wish: SimulatedReportRequest): LabReport {
  const { measured, missing } = planMeasurements(placed, wish);
  const order = resolveOrderedAnalytes(listUniqueAnalytes(listExpectedMeasurements(placed)));
  const asked: SpecimenRequest = {
    orderId: wish.person ? `${wish.person.seed}/${wish.person.day}` : placed.orderId,
    person: wish.person ?? null,
    patient: toSimulatedPatient(placed),
    order,
    targets: planInterpretations(placed, wish, order),
  };
  const specimen = generateSpecimen(asked);
  const corrected = wish.status === 'corrected' ? createCorrection(asked, { measured, specimen }) : undefined;
  const found: SimulatedMeasurement = {
    asked,
    wish,
    specimen: corrected?.specimen ?? specimen,
    corrected: corrected?.names ?? new Set(),
    // If no value can show the requested interpretation, the first result is flagged instead.
    flagged: findFlagged(measured, { asked, wish, specimen: corrected?.specimen ?? specimen }),
  };
  return {
    status: wish.status,
    reportedAt: placed.reportedAt,
    collectedAt: placed.collectedAt.toISOString(),
    receivedAt: placed.receivedAt.toISOString(),
    laboratory: placed.lab,
    clia: placed.laboratory?.clia ?? null,
    director: placed.laboratory?.director ?? null,
    results: measured.map((one, index) => toReportedResult(one, index, found)),
    missing: missing.map(toMissingResult),
  };
}

const YEAR_MS = 365.2425 * 24 * 3600 * 1000;
const DEFAULT_AGE = 40;

/** `female` or `male`, or the codes of HL7 table 0001. */
const SEXES: Readonly<Record<string, 'female' | 'male'>> = {
  female: 'female',
  F: 'female',
  male: 'male',
  M: 'male',
};

/** In whole years at the collection; null without a birth date. */
function ageOf({ patient, collectedAt }: PlacedRequisition): number | null {
  const born = Date.parse(patient.dob);
  if (Number.isNaN(born)) return null;
  return Math.max(Math.floor((collectedAt.getTime() - born) / YEAR_MS), 0);
}

const withFittedIntervals = (placed: PlacedRequisition): PlacedRequisition => ({
  ...placed,
  tests: fitReferenceIntervals(placed.tests, {
    age: ageOf(placed),
    sex: SEXES[placed.patient.gender] ?? null,
  }),
});

const toSimulatedPatient = (placed: PlacedRequisition): SimulatedPatient => ({
  age: ageOf(placed) ?? DEFAULT_AGE,
  isFemale: SEXES[placed.patient.gender] === 'female',
});

interface SimulatedMeasurement {
  readonly asked: SpecimenRequest;
  readonly wish: SimulatedReportRequest;
  readonly specimen: SpecimenValues;
  /** Keys of the analytes that a correction changed. */
  readonly corrected: ReadonlySet<string>;
  readonly flagged: string | undefined;
}

type SimulatedInterpretation = ReportedResult['interpretation'];

function interpretResult(
  expected: ExpectedResult,
  { asked, wish, specimen }: Pick<SimulatedMeasurement, 'asked' | 'wish' | 'specimen'>,
): SimulatedInterpretation {
  if (wish.interpretation === 'unknown') return 'unknown';
  const wanted: TargetInterpretation = asked.targets.get(getAnalyteKey(expected)) ?? 'normal';
  const value = specimen.get(getAnalyteKey(expected));
  if (wanted === 'far') return 'critical';
  return value === undefined ? wanted : interpretValue(expected, value);
}

function findFlagged(
  measured: readonly ExpectedMeasurement[],
  found: Pick<SimulatedMeasurement, 'asked' | 'wish' | 'specimen'>,
): string | undefined {
  const { interpretation } = found.wish;
  if (interpretation === 'unknown' || interpretation === 'normal') return undefined;
  if (measured.some(({ expected }) => interpretResult(expected, found) === interpretation)) return undefined;
  const [first] = measured;
  return first && getAnalyteKey(first.expected);
}

function toReportedResult(
  { expected, markerId }: ExpectedMeasurement,
  index: number,
  found: SimulatedMeasurement,
): ReportedResult {
  const { asked, wish, specimen, corrected, flagged } = found;
  const name = getAnalyteKey(expected);
  const type = wish.resultTypes?.[index % wish.resultTypes.length] ?? getDefaultType(expected);
  const word = flagged === name ? wish.interpretation : interpretResult(expected, found);
  const notes = [flagged === name ? FLAGGED_NOTE : '', corrected.has(name) ? CORRECTED_NOTE : ''].filter(
    Boolean,
  );
  return {
    expected,
    markerId,
    type,
    ...printFinding(type, { orderId: asked.orderId, expected, value: specimen.get(name), word }),
    ...(corrected.has(name) ? { status: 'corrected' as const } : {}),
    notes: notes.length > 0 ? notes.join(' ') : null,
  };
}

const FLAGGED_NOTE = 'Flagged by the laboratory after review.';
const CORRECTED_NOTE = 'Corrected by the laboratory; replaces what was reported before.';

const toMissingResult = ({ expected, markerId }: ExpectedMeasurement): MissingResult => ({
  expected,
  markerId,
  failureType: 'quantity_not_sufficient_failure',
  note: 'Specimen quantity not sufficient',
});
