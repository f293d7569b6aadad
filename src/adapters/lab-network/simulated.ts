import { createHash } from 'node:crypto';
import type {
  ExpectedResult,
  LabNetwork,
  LabReport,
  MissingResult,
  PlacedRequisition,
  ReportedResult,
  ReportWish,
} from './port.ts';
import { correctionOf } from './simulated-correction.ts';
import { wordFor, type Wanted } from './simulated-draw.ts';
import { distinct, expectationsOf, measuringOf, wantedOf, type Expectation } from './simulated-plan.ts';
import type { Donor } from './simulated-relation.ts';
import { nameOf, orderedOf, specimenOf, type Asked, type Specimen } from './simulated-specimen.ts';
import { saidOf, usualType } from './simulated-words.ts';

const SAMPLES = 10n ** 18n;
const USUAL: ReportWish = {
  interpretation: 'normal',
  resultTypes: null,
  hasMissingResults: false,
  status: 'final',
};

/**
 * A laboratory that measures nothing. Everything it says follows from the requisition: the same order gets
 * the same values on every machine, and they could be those of one person. It keeps nothing and waits for nothing;
 * time is given to it.
 */
export function simulatedLabNetwork(): LabNetwork {
  return {
    requestTests: async ({ orderId, lab }) => ({ sampleId: sampleIdOf(orderId, lab) }),
    withdrawTests: async () => {},
    reports: async (placed) => [reportOf(placed, placed.wish ?? USUAL)],
  };
}

/**
 * Two letters and 18 digits, which bars are short of: among a million orders two are alike with a chance of one in two
 * million. A laboratory's samples are told apart by nothing else.
 */
function sampleIdOf(orderId: string, lab: string): string {
  const digest = createHash('sha256').update(`${orderId}\n${lab}`).digest();
  return `${lab.slice(0, 2).toUpperCase()}${String(digest.readBigUInt64BE(0) % SAMPLES).padStart(18, '0')}`;
}

function reportOf(placed: PlacedRequisition, wish: ReportWish): LabReport {
  const { measured, missing } = measuringOf(placed, wish);
  const order = orderedOf(distinct(expectationsOf(placed)));
  const asked: Asked = {
    orderId: placed.orderId,
    donor: donorOf(placed),
    order,
    wanted: wantedOf(placed, wish, order),
  };
  const specimen = specimenOf(asked);
  const corrected = wish.status === 'corrected' ? correctionOf(asked, { measured, specimen }) : undefined;
  const found: Found = {
    asked,
    wish,
    specimen: corrected?.specimen ?? specimen,
    corrected: corrected?.names ?? new Set(),
    // What nothing could show is said by the laboratory all the same, so that the whole is as it was wished.
    flagged: flaggedOf(measured, { asked, wish, specimen: corrected?.specimen ?? specimen }),
  };
  return {
    status: wish.status,
    reportedAt: placed.reportedAt,
    collectedAt: placed.collectedAt.toISOString(),
    receivedAt: placed.receivedAt.toISOString(),
    laboratory: placed.lab,
    clia: null,
    results: measured.map((one, index) => resultOf(one, index, found)),
    missing: missing.map(missingOf),
  };
}

const YEAR_MS = 365.2425 * 24 * 3600 * 1000;
const SOME_AGE = 40;

function donorOf({ patient, collectedAt }: PlacedRequisition): Donor {
  const born = Date.parse(patient.dob);
  const age = Number.isNaN(born) ? SOME_AGE : Math.floor((collectedAt.getTime() - born) / YEAR_MS);
  return { age: Math.max(age, 0), isFemale: patient.gender === 'female' };
}

interface Found {
  readonly asked: Asked;
  readonly wish: ReportWish;
  readonly specimen: Specimen;
  /** What a correction changed, by name. */
  readonly corrected: ReadonlySet<string>;
  readonly flagged: string | undefined;
}

type Word = ReportedResult['interpretation'];

function wordOf(
  expected: ExpectedResult,
  { asked, wish, specimen }: Pick<Found, 'asked' | 'wish' | 'specimen'>,
): Word {
  if (wish.interpretation === 'unknown') return 'unknown';
  const wanted: Wanted = asked.wanted.get(nameOf(expected)) ?? 'normal';
  const value = specimen.get(nameOf(expected));
  if (wanted === 'far') return 'critical';
  return value === undefined ? wanted : wordFor(expected, value);
}

function flaggedOf(
  measured: readonly Expectation[],
  found: Pick<Found, 'asked' | 'wish' | 'specimen'>,
): string | undefined {
  const { interpretation } = found.wish;
  if (interpretation === 'unknown' || interpretation === 'normal') return undefined;
  if (measured.some(({ expected }) => wordOf(expected, found) === interpretation)) return undefined;
  const [first] = measured;
  return first && nameOf(first.expected);
}

function resultOf({ expected, markerId }: Expectation, index: number, found: Found): ReportedResult {
  const { asked, wish, specimen, corrected, flagged } = found;
  const name = nameOf(expected);
  const type = wish.resultTypes?.[index % wish.resultTypes.length] ?? usualType(expected);
  const word = flagged === name ? wish.interpretation : wordOf(expected, found);
  const notes = [flagged === name ? FLAGGED : '', corrected.has(name) ? CORRECTED : ''].filter(Boolean);
  return {
    expected,
    markerId,
    type,
    ...saidOf(type, { orderId: asked.orderId, expected, value: specimen.get(name), word }),
    ...(corrected.has(name) ? { status: 'corrected' as const } : {}),
    notes: notes.length > 0 ? notes.join(' ') : null,
  };
}

const FLAGGED = 'Flagged by the laboratory after review.';
const CORRECTED = 'Corrected by the laboratory; replaces what was reported before.';

const missingOf = ({ expected, markerId }: Expectation): MissingResult => ({
  expected,
  markerId,
  failureType: 'quantity_not_sufficient_failure',
  note: 'Specimen quantity not sufficient',
});
