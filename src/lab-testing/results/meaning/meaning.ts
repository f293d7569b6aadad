import type {
  ExpectedResult,
  LabReport,
  ReceivedObservation,
  ReceivedReport,
  ReportedResult,
  RequestedTest,
} from '../../../adapters/lab-network/port.ts';
import { ageAt, infantAgeAt } from '../../../people/schema.ts';
import { NO_RANGE, readRange } from '../reference-range.ts';
import type { Patient } from '../reference-range-section.ts';
import { answering, type Answered, type Told } from './answers.ts';
import { asideOf, asidesIn, failedDrawsIn, testNotesIn } from './asides.ts';
import { readFlags, susceptibilityIn } from './flags.ts';
import { judge } from './interpret.ts';
import {
  isAnnounced,
  isEmpty,
  isMissing,
  isWithdrawn,
  missingOf,
  silentlyMissing,
  withdrawalOf,
  withEarlier,
} from './missing.ts';
import { isComparable, isSameUnit, ucumOf } from './units.ts';
import { readValue } from './value.ts';

export interface About {
  /** `YYYY-MM-DD`; for ranges by age. */
  readonly dob: string | null;
  /** `male` or `female`, for ranges by sex. */
  readonly gender: string | null;
  /**
   * The newest version so far. A laboratory may send only what is new or corrected: what this report does not tell of
   * stays as it was.
   */
  readonly before?: LabReport | null;
}

/**
 * What a received report means for the tests that were ordered: values, units, ranges and flags judged, each result
 * with the ordered marker that it answers; what the laboratory says will not come; and in a report that is not partial
 * what was expected and never came. Nothing that was printed is lost: what was not expected is kept, and `result` is as
 * it came.
 */
export function readReport(report: ReceivedReport, tests: readonly RequestedTest[], about: About): LabReport {
  const patient = patientOf(report, about);
  const isoOf = isoReader();
  const answeredBy = answering(tests);
  const all = report.observations
    .filter((observation) => !isAnnounced(observation))
    .map((observation) => ({ observation, answered: answeredBy(observation) }))
    .filter((told) => !isEmpty(told));
  const asides = asidesIn(all);
  const said = without(all, asides);
  const withdrawn = said.filter(isWithdrawn);
  const told = without(said, withdrawn);
  const failed = told.filter(isMissing);
  const found = without(told, failed);
  const results = found.map(({ observation, answered }) =>
    resultOf(observation, { answered, patient, report, isoOf }),
  );
  const missing = missingOf(failed, { results, report, tests });
  const known = withEarlier({ results, missing }, about.before ?? null);
  const silent = report.status === 'partial' ? [] : silentlyMissing(known, { report, tests });
  return {
    status: report.status,
    reportedAt: report.reportedAt,
    laboratory: report.laboratory ?? report.lab,
    clia: report.clia,
    collectedAt: report.collectedAt?.toISOString() ?? null,
    receivedAt: report.receivedAt?.toISOString() ?? null,
    notes: [
      ...report.notes,
      ...testNotesIn(report),
      ...asides.map(asideOf),
      ...withdrawn.map(withdrawalOf),
      ...failedDrawsIn(failed, found),
    ],
    results: known.results,
    missing: [...known.missing, ...silent],
  };
}

const without = (all: readonly Told[], some: readonly Told[]): readonly Told[] => {
  const gone = new Set(some);
  return gone.size === 0 ? all : all.filter((each) => !gone.has(each));
};

function patientOf(report: ReceivedReport, { dob, gender }: About): Patient {
  const who = { gender: gender ?? report.patient?.gender ?? null };
  if (dob === null) return who;
  const at = report.collectedAt ?? report.reportedAt;
  const { months, days } = infantAgeAt(at, dob);
  return { ...who, ageYears: ageAt(at, dob), ageMonths: months, ageDays: days };
}

interface Circumstances {
  readonly answered: Answered;
  readonly patient: Patient;
  readonly report: ReceivedReport;
  readonly isoOf: (moment: Date) => string;
}

/** The moments of a report's observations are one or two. */
function isoReader(): (moment: Date) => string {
  const known = new Map<number, string>();
  return (moment) => {
    const time = moment.getTime();
    const text = known.get(time) ?? moment.toISOString();
    known.set(time, text);
    return text;
  };
}

function resultOf(
  observation: ReceivedObservation,
  { answered, patient, report, isoOf }: Circumstances,
): ReportedResult {
  const { expected, tests, wasExpected } = answered;
  const value = readValue(observation, expected);
  const unit = observation.unit ?? value.unit;
  const printedRange = readRange(observation.referenceRange, patient);
  const isOtherSize = isOfOtherSize(printedRange.unit, unit);
  const range = isOtherSize ? NO_RANGE : printedRange;
  const flags = observation.flags.length > 0 ? observation.flags : value.flags;
  const sameUnit = wasExpected ? isSameUnit(unit, expected.unit) : null;
  const differs = sameUnit === false && (value.type === 'numeric' || value.type === 'range');
  const result = printedOf(observation);
  // Field by field, because with others spread into it a result takes several times as long to put together.
  const { isAbove, isBelow, interpretation, sourceInterpretation } = judge({
    result,
    value,
    range,
    rangeText: observation.referenceRange,
    flags: readFlags(flags),
    expected,
    isCatalogUnit: sameUnit === true || (unit === null && expected.unit === null),
  });
  const read: ReportedResult = {
    expected: withLoincOf(observation, expected),
    markerId: tests[0]?.markerId ?? null,
    type: value.type,
    result,
    value: value.value,
    unit,
    ucum: ucumOf(unit),
    referenceRange: observation.referenceRange,
    bounds: range.isTiter || (range.min === null && range.max === null) ? null : boundsOf(range),
    isAbove,
    isBelow,
    interpretation,
    sourceInterpretation,
    flags,
    status: observation.status === 'cancelled' ? 'final' : observation.status,
    notes: notesOf(observation, [
      ...susceptibilityOf(flags, result),
      ...(differs ? [`Reported in ${unit}, usually in ${expected.unit}; not converted.`] : []),
      ...(isOtherSize ? [`Its reference range is in ${printedRange.unit}; not compared.`] : []),
    ]),
    performingLaboratory: observation.performingLaboratory ?? report.laboratory,
    observedAt: observation.observedAt && isoOf(observation.observedAt),
  };
  return differs || tests.length > 1 ? withRare(read, { differs, tests }) : read;
}

/** With what few results have to say. */
const withRare = (
  read: ReportedResult,
  { differs, tests }: Pick<Answered, 'tests'> & { differs: boolean },
): ReportedResult => ({
  ...read,
  ...(tests.length > 1 ? { markerIds: tests.map(({ markerId }) => markerId) } : {}),
  ...(differs ? { unitDiffers: true } : {}),
});

const boundsOf = ({ min, minInside, max, maxInside }: ReturnType<typeof readRange>) => ({
  min,
  minInside,
  max,
  maxInside,
});

/** As it came; where nothing came in the place of a result, the remarks are the result. */
const printedOf = ({ value, notes }: ReceivedObservation): string => {
  const printed = value?.trim() ?? '';
  return printed === '' ? notes.join('\n') : printed;
};

/** A result may be the word itself. */
function susceptibilityOf(flags: readonly string[], result: string): string[] {
  const remark = susceptibilityIn(flags);
  const isSaid = remark?.toLowerCase().endsWith(` ${result.trim().toLowerCase()}`);
  return remark === undefined || isSaid ? [] : [remark];
}

/** A range without a unit is in that of the result, and a result without one in that of its range. */
const isOfOtherSize = (range: string | null, unit: string | null): boolean =>
  range !== null && unit !== null && range !== unit && !isComparable(range, unit);

function notesOf({ notes }: ReceivedObservation, own: readonly string[]): string | null {
  const unsaid = own.filter((one) => !notes.some((note) => note.includes(one)));
  const all = unsaid.length === 0 ? notes : [...notes, ...unsaid];
  return all.length > 0 ? all.join('\n') : null;
}

/** That of the message before that of the catalogue: the laboratory knows by which method it measured. */
const withLoincOf = ({ loinc }: ReceivedObservation, expected: ExpectedResult): ExpectedResult =>
  loinc === null || loinc === expected.loinc ? expected : { ...expected, loinc, loincSlug: null };
