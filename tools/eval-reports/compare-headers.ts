import { readDate } from '../../packages/report-reader/src/reading/dates.ts';
import { normalizeWords } from '../../packages/report-reader/src/reading/text-normalization.ts';
import type { ParsedMetadata } from '../../packages/report-reader/src/reading/report-model.ts';

/** Header fields that are compared. The patient's number is not read, so it is not compared. */
export const HEADER_FIELDS = [
  'patient_name',
  'dob',
  'sex',
  'lab_name',
  'date_collected',
  'date_reported',
] as const;
type HeaderField = (typeof HEADER_FIELDS)[number];

/**
 * `exact`: as printed, ignoring case, punctuation and titles. `whole`: the same words in another order. `part`: one of
 * the two lacks words of the other. `unasked`: read, although the truth has no value.
 */
const OUTCOMES = ['exact', 'whole', 'part', 'wrong', 'missing', 'unasked'] as const;
type HeaderOutcome = (typeof OUTCOMES)[number];

type HeaderScore = Record<HeaderField, Record<HeaderOutcome, number>>;

export interface HeaderDifference {
  readonly field: HeaderField;
  readonly outcome: HeaderOutcome;
  readonly truth: string;
  readonly read: string;
}

/** The header in a report's truth file: fields as printed, and dates also in ISO format if known. */
type TrueHeader = Readonly<Record<string, unknown>>;

export const emptyHeaderScore = (): HeaderScore => ({
  patient_name: emptyOutcomes(),
  dob: emptyOutcomes(),
  sex: emptyOutcomes(),
  lab_name: emptyOutcomes(),
  date_collected: emptyOutcomes(),
  date_reported: emptyOutcomes(),
});

const emptyOutcomes = (): Record<HeaderOutcome, number> => ({
  exact: 0,
  whole: 0,
  part: 0,
  wrong: 0,
  missing: 0,
  unasked: 0,
});

/** Compares the header that was read with the truth. A truth without a header is not scored. */
export function compareHeaders(
  truth: TrueHeader,
  read: ParsedMetadata,
): { score: HeaderScore; differences: HeaderDifference[] } {
  const score = emptyHeaderScore();
  const differences: HeaderDifference[] = [];
  if (Object.keys(truth).length === 0) return { score, differences };
  for (const field of HEADER_FIELDS) {
    const printed = textAt(truth, field);
    const found = readValueOf(field, read);
    const outcome = bestOutcome(
      [printed, ...alternativesAt(truth, field)].map((wanted) =>
        outcomeOf(field, { truth, printed: wanted, found }),
      ),
    );
    if (!outcome) continue;
    score[field][outcome] += 1;
    if (outcome !== 'exact') differences.push({ field, outcome, truth: printed ?? '', read: found ?? '' });
  }
  return { score, differences };
}

const textAt = (truth: TrueHeader, key: string): string | null => {
  const value = truth[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
};

/** Other accepted values: `lab_name_alt`. */
function alternativesAt(truth: TrueHeader, field: HeaderField): string[] {
  const others = truth[`${field}_alt`];
  return (Array.isArray(others) ? others : [others]).filter((other) => typeof other === 'string');
}

const bestOutcome = (outcomes: readonly (HeaderOutcome | undefined)[]): HeaderOutcome | undefined =>
  OUTCOMES.find((outcome) => outcomes.includes(outcome));

function readValueOf(field: HeaderField, read: ParsedMetadata): string | null {
  const { patientFirstName, patientLastName } = read;
  const name = [patientLastName, patientFirstName].map((part) => part ?? '').join(', ');
  switch (field) {
    case 'patient_name':
      return name === ', ' ? null : name;
    case 'dob':
      return read.dob;
    case 'sex':
      return read.gender === 'other' ? null : read.gender;
    case 'lab_name':
      return read.labName;
    case 'date_collected':
      return read.dateCollected;
    case 'date_reported':
      return read.dateReported;
  }
}

interface HeaderComparison {
  readonly truth: TrueHeader;
  readonly printed: string | null;
  readonly found: string | null;
}

function outcomeOf(
  field: HeaderField,
  { truth, printed, found }: HeaderComparison,
): HeaderOutcome | undefined {
  if (printed === null) return found === null ? undefined : 'unasked';
  if (field === 'sex' && sexOf(printed) === null) return found === null ? undefined : 'unasked';
  if (found === null) return 'missing';
  if (field === 'patient_name') return namesOutcome(printed, found);
  if (field === 'lab_name') return wordsOutcome(wordsOf(printed), wordsOf(found));
  if (field === 'sex') return sexOf(printed) === found ? 'exact' : 'wrong';
  return sameDate(textAt(truth, `${field}_iso`), printed, found) ? 'exact' : 'wrong';
}

const TITLES =
  /^(?:mr|mrs|ms|miss|mx|master|baby|dr|med|prof|herrn?|frau|fr|hr|sr|sra|srta|don|dona|sig|ra|sigra|dott|ssa|m|mme|mlle|monsieur|madame|mademoiselle|smt|shri|kumari|dhr|mevr|mw|pan|pani)$/;

const wordsOf = (text: string): string[] => normalizeWords(text).split(' ');

function namesOutcome(printed: string, found: string): HeaderOutcome {
  const [last = '', first = ''] = found.split(', ');
  const wanted = nameWords(withoutNotes(printed));
  const forms = [[last, first].join(' '), [first, last].join(' ')].map((form) => nameWords(form).join(' '));
  const hasComma = printed.includes(',');
  if (forms.slice(0, hasComma ? 1 : 2).includes(wanted.join(' '))) return 'exact';
  return wordsOutcome(wanted, nameWords(found));
}

const nameWords = (text: string): string[] => wordsOf(text).filter((word) => !TITLES.test(word));

/** "(F)" and "(née Martin)" are not part of the name. */
const withoutNotes = (text: string): string => text.replaceAll(/\([^)]*\)/g, ' ');

function wordsOutcome(wanted: readonly string[], found: readonly string[]): HeaderOutcome {
  if (wanted.join(' ') === found.join(' ')) return 'exact';
  if (wanted.toSorted().join(' ') === found.toSorted().join(' ')) return 'whole';
  const isPart = (some: readonly string[], all: readonly string[]) =>
    some.every((word) => all.includes(word));
  return isPart(wanted, found) || isPart(found, wanted) ? 'part' : 'wrong';
}

const FEMALE = /^(?:f|w|v|k|female|fem\w*|weib\w*|frau|mujer|femme|donna|mulher|vrouw|kvinn?[ae]|kobieta)$/;
const MALE = /^(?:m|h|male|masc?\w*|mann?|mannl\w*|hombre|varon|homme|uomo|maschi\w*|homem|mezczyzna)$/;

function sexOf(printed: string): 'female' | 'male' | null {
  const [word = ''] = wordsOf(printed);
  if (FEMALE.test(word)) return 'female';
  return MALE.test(word) ? 'male' : null;
}

/** Same day, and same minute if both have a time. Without an ISO date, either order of day and month is accepted. */
function sameDate(iso: string | null, printed: string, found: string): boolean {
  const [day, time] = found.split('T');
  if (iso !== null) {
    const [wantedDay, wantedTime] = iso.split(/[T ]/);
    return day === wantedDay && (!time || !wantedTime || wantedTime.startsWith(time));
  }
  return (['dmy', 'mdy'] as const).some((order) => {
    const date = readDate(printed, order)?.date;
    return date !== undefined && day === [date.year, date.month, date.day].map(twoDigits).join('-');
  });
}

const twoDigits = (part: number): string => String(part).padStart(2, '0');

export function addHeaderScores(left: HeaderScore, right: HeaderScore): HeaderScore {
  const sum = emptyHeaderScore();
  for (const field of HEADER_FIELDS)
    for (const outcome of OUTCOMES) sum[field][outcome] = left[field][outcome] + right[field][outcome];
  return sum;
}

/** One sign per field of a report: right, in part, wrong, not read, read but not in the truth. */
const SIGNS: Readonly<Record<HeaderOutcome, string>> = {
  exact: '+',
  whole: '+',
  part: '~',
  wrong: 'X',
  missing: '-',
  unasked: '?',
};

export function headerSigns(score: HeaderScore): string {
  return HEADER_FIELDS.map((field) => {
    const outcome = OUTCOMES.find((one) => score[field][one] > 0);
    return outcome ? SIGNS[outcome] : '.';
  }).join('');
}

/** The sum over many headers, one line per field. */
export function headerTable(score: HeaderScore): string[] {
  const head = ['header'.padEnd(16), ...OUTCOMES.map((outcome) => outcome.padStart(8))].join('');
  return [
    head,
    ...HEADER_FIELDS.map((field) =>
      [field.padEnd(16), ...OUTCOMES.map((outcome) => String(score[field][outcome]).padStart(8))].join(''),
    ),
  ];
}
