import type {
  ExpectedResult,
  LabReport,
  ReceivedObservation,
  ReceivedReport,
  ReportedResult,
  RequestedTest,
} from '../../../adapters/lab-network/port.ts';
import { ageAt, infantAgeAt } from '../../../people/schema.ts';
import { EMPTY_RANGE, parseReferenceRange } from '../reference-range.ts';
import type { ReferenceRangePatient } from '../reference-range-section.ts';
import {
  createObservationMatcher,
  type ObservationMatch,
  type MatchedObservation,
} from './match-observations.ts';
import {
  toSupportingNote,
  findSupportingObservations,
  listFailedDrawNotes,
  listPendingNotes,
  listTestNotes,
} from './report-notes.ts';
import { interpretFlags, describeSusceptibility } from './flags.ts';
import { linkIsolates } from './link-isolates.ts';
import { interpretResult } from './interpret-result.ts';
import {
  isPending,
  isEmpty,
  isMissing,
  isWithdrawn,
  listReportedMissing,
  listUnmentionedMissing,
  toWithdrawalNote,
  mergePreviousReport,
} from './missing-results.ts';
import { decideLoinc } from './quantity-agreement.ts';
import { isComparable, isSameUnit, toUcum } from './units.ts';
import { parseValue } from './value.ts';

/** What interpreting needs besides the report and the ordered tests. */
interface ReportContext {
  /** `YYYY-MM-DD`; for ranges by age. */
  readonly dob: string | null;
  /** `male` or `female`, for ranges by sex. */
  readonly gender: string | null;
  /**
   * The newest version so far. A laboratory may send only new or corrected results: those that this report does not
   * contain are kept.
   */
  readonly previous?: LabReport | null;
}

/**
 * Interprets a received report for the ordered tests: parses values, units and ranges, interprets flags, and matches
 * each result to its ordered marker. Lists as missing what the laboratory says it will not report and, in a report that
 * is not partial, what was expected and not mentioned. Nothing printed is lost: unexpected results are kept, and
 * `result` is as received.
 */
export function interpretReport(
  report: ReceivedReport,
  tests: readonly RequestedTest[],
  about: ReportContext,
): LabReport {
  const patient = toRangePatient(report, about);
  const isoOf = createIsoFormatter();
  const answeredBy = createObservationMatcher(tests);
  const all = report.observations
    .filter((observation) => !isPending(observation))
    .map((observation) => ({ observation, match: answeredBy(observation) }))
    .filter((told) => !isEmpty(told));
  const asides = findSupportingObservations(all);
  const said = exclude(all, asides);
  const withdrawn = said.filter(isWithdrawn);
  const told = exclude(said, withdrawn);
  const failed = told.filter(isMissing);
  const found = exclude(told, failed);
  const findings = linkIsolates(found.map(({ observation }) => observation));
  const results = found.map(({ observation, match }) => {
    const result = toReportedResult(observation, { match, patient, report, isoOf });
    const microbiology = findings.get(observation);
    return microbiology ? { ...result, microbiology } : result;
  });
  const missing = listReportedMissing(failed, { results, report, tests });
  const known = mergePreviousReport({ results, missing }, about.previous ?? null);
  const silent = report.status === 'partial' ? [] : listUnmentionedMissing(known, { report, tests });
  return {
    status: report.status,
    reportedAt: report.reportedAt,
    laboratory: report.laboratory ?? report.lab,
    clia: report.clia,
    ...(report.director === undefined ? {} : { director: report.director }),
    collectedAt: report.collectedAt?.toISOString() ?? null,
    receivedAt: report.receivedAt?.toISOString() ?? null,
    notes: [
      ...report.notes,
      ...listTestNotes(report),
      ...listPendingNotes(report.observations.filter(isPending)),
      ...asides.map(toSupportingNote),
      ...withdrawn.map(toWithdrawalNote),
      ...listFailedDrawNotes(failed, found),
    ],
    results: known.results,
    missing: [...known.missing, ...silent],
  };
}

const exclude = (
  all: readonly MatchedObservation[],
  some: readonly MatchedObservation[],
): readonly MatchedObservation[] => {
  const gone = new Set(some);
  return gone.size === 0 ? all : all.filter((each) => !gone.has(each));
};

function toRangePatient(report: ReceivedReport, { dob, gender }: ReportContext): ReferenceRangePatient {
  const who = { gender: gender ?? report.patient?.gender ?? null };
  if (dob === null) return who;
  const at = report.collectedAt ?? report.reportedAt;
  const { months, days } = infantAgeAt(at, dob);
  return { ...who, ageYears: ageAt(at, dob), ageMonths: months, ageDays: days };
}

interface ObservationContextOfReport {
  readonly match: ObservationMatch;
  readonly patient: ReferenceRangePatient;
  readonly report: ReceivedReport;
  readonly isoOf: (moment: Date) => string;
}

/** Caches the formatted times: the observations of a report have only one or two different ones. */
function createIsoFormatter(): (moment: Date) => string {
  const known = new Map<number, string>();
  return (moment) => {
    const time = moment.getTime();
    const text = known.get(time) ?? moment.toISOString();
    known.set(time, text);
    return text;
  };
}

function toReportedResult(
  observation: ReceivedObservation,
  { match, patient, report, isoOf }: ObservationContextOfReport,
): ReportedResult {
  const { expected, expectingTests } = match;
  const value = parseValue(observation, expected);
  const unit = observation.unit ?? value.unit;
  const printedRange = parseReferenceRange(observation.referenceRange, patient);
  const range = isIncomparableUnit(printedRange.unit, unit) ? EMPTY_RANGE : printedRange;
  const flags = observation.flags.length > 0 ? observation.flags : value.flags;
  const { isCatalogUnit, differs } = compareWithCatalogUnit(match, unit, value.type);
  const result = toPrintedResult(observation);
  // Written field by field: spreading objects into it makes this several times slower.
  const { isAbove, isBelow, interpretation, sourceInterpretation } = interpretResult({
    result,
    value,
    range,
    rangeText: observation.referenceRange,
    flags: interpretFlags(flags),
    expected,
    isCatalogUnit,
  });
  const { coded, doubts } = decideCode({ ...observation, unit }, match, value.type);
  const read: ReportedResult = {
    expected: coded,
    markerId: expectingTests[0]?.markerId ?? null,
    type: value.type,
    result,
    value: value.value,
    unit,
    ucum: toUcum(unit),
    referenceRange: observation.referenceRange,
    bounds: range.isTiter || (range.min === null && range.max === null) ? null : toBounds(range),
    isAbove,
    isBelow,
    interpretation,
    sourceInterpretation,
    flags,
    status: observation.status === 'cancelled' ? 'final' : observation.status,
    notes: joinNotes(observation, [
      ...listSusceptibilityNotes(flags, result),
      ...(differs ? [`Reported in ${unit}, usually in ${expected.unit}; not converted.`] : []),
      ...doubts,
      ...(range === printedRange ? [] : [`Its reference range is in ${printedRange.unit}; not compared.`]),
    ]),
    performingLaboratory: observation.performingLaboratory ?? report.laboratory,
    observedAt: observation.observedAt && isoOf(observation.observedAt),
  };
  return differs || expectingTests.length > 1 ? withRareFields(read, { differs, expectingTests }) : read;
}

/** Whether the unit is that of the catalog, and whether it is known to be another one. */
function compareWithCatalogUnit(
  { expected, wasExpected }: ObservationMatch,
  unit: string | null,
  type: ReportedResult['type'],
): { isCatalogUnit: boolean; differs: boolean } {
  const isSame = wasExpected ? isSameUnit(unit, expected.unit) : null;
  return {
    isCatalogUnit: isSame === true || (unit === null && expected.unit === null),
    differs: isSame === false && (type === 'numeric' || type === 'range'),
  };
}

/** The expected result with the LOINC code of this result, and what is doubtful about the two. */
function decideCode(
  observation: ReceivedObservation,
  { expected, doubt: doubtOfMatch }: ObservationMatch,
  type: ReportedResult['type'],
): { coded: ExpectedResult; doubts: readonly string[] } {
  const { loinc, doubt } = decideLoinc(observation, expected, type);
  return {
    coded: loinc === expected.loinc ? expected : { ...expected, loinc, loincSlug: null },
    doubts: [doubtOfMatch, doubt].filter((one) => one != null),
  };
}

/** Adds fields that few results have. */
const withRareFields = (
  read: ReportedResult,
  { differs, expectingTests }: Pick<ObservationMatch, 'expectingTests'> & { differs: boolean },
): ReportedResult => ({
  ...read,
  ...(expectingTests.length > 1 ? { markerIds: expectingTests.map(({ markerId }) => markerId) } : {}),
  ...(differs ? { unitDiffers: true } : {}),
});

const toBounds = ({ min, minInside, max, maxInside }: ReturnType<typeof parseReferenceRange>) => ({
  min,
  minInside,
  max,
  maxInside,
});

/** The value as received; where it is empty, the notes are the result. */
const toPrintedResult = ({ value, notes }: ReceivedObservation): string => {
  const printed = value?.trim() ?? '';
  return printed === '' ? notes.join('\n') : printed;
};

/** Omitted where the result is that word itself. */
function listSusceptibilityNotes(flags: readonly string[], result: string): string[] {
  const remark = describeSusceptibility(flags);
  const isSaid = remark?.toLowerCase().endsWith(` ${result.trim().toLowerCase()}`);
  return remark === undefined || isSaid ? [] : [remark];
}

/** A range without a unit has the unit of the result, and vice versa. */
const isIncomparableUnit = (range: string | null, unit: string | null): boolean =>
  range !== null && unit !== null && range !== unit && !isComparable(range, unit);

function joinNotes({ notes }: ReceivedObservation, own: readonly string[]): string | null {
  const unsaid = own.filter((one) => !notes.some((note) => note.includes(one)));
  const all = unsaid.length === 0 ? notes : [...notes, ...unsaid];
  return all.length > 0 ? all.join('\n') : null;
}
