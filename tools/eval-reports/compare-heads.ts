import { readDate } from '../../src/lab-reports/reading/dates.ts';
import { bare } from '../../src/lab-reports/reading/plain.ts';
import type { ReadMetadata } from '../../src/lab-reports/reading/word.ts';

/** What of a head is compared. A patient's number is not, for it is not read. */
export const HEAD_FIELDS = [
  'patient_name',
  'dob',
  'sex',
  'lab_name',
  'date_collected',
  'date_reported',
] as const;
export type HeadName = (typeof HEAD_FIELDS)[number];

/**
 * `exact`: as it is printed, but for case, punctuation and titles. `whole`: the same words in another order. `part`:
 * one of both lacks words of the other. `unasked`: read, though the truth has none.
 */
export const OUTCOMES = ['exact', 'whole', 'part', 'wrong', 'missing', 'unasked'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type HeadScore = Record<HeadName, Record<Outcome, number>>;

export interface HeadDifference {
  readonly field: HeadName;
  readonly outcome: Outcome;
  readonly truth: string;
  readonly read: string;
}

/** What the truth of a report says of its head: as printed, and dates once more as ISO where it can. */
export type TrueHead = Readonly<Record<string, unknown>>;

export const noHeads = (): HeadScore => ({
  patient_name: noOutcomes(),
  dob: noOutcomes(),
  sex: noOutcomes(),
  lab_name: noOutcomes(),
  date_collected: noOutcomes(),
  date_reported: noOutcomes(),
});

const noOutcomes = (): Record<Outcome, number> => ({
  exact: 0,
  whole: 0,
  part: 0,
  wrong: 0,
  missing: 0,
  unasked: 0,
});

/** How the head of a report compares with its truth; a truth without any head says nothing. */
export function compareHeads(
  truth: TrueHead,
  read: ReadMetadata,
): { score: HeadScore; differences: HeadDifference[] } {
  const score = noHeads();
  const differences: HeadDifference[] = [];
  if (Object.keys(truth).length === 0) return { score, differences };
  for (const field of HEAD_FIELDS) {
    const printed = textAt(truth, field);
    const found = foundFor(field, read);
    const outcome = best(
      [printed, ...othersAt(truth, field)].map((wanted) =>
        outcomeOf(field, { truth, printed: wanted, found }),
      ),
    );
    if (!outcome) continue;
    score[field][outcome] += 1;
    if (outcome !== 'exact') differences.push({ field, outcome, truth: printed ?? '', read: found ?? '' });
  }
  return { score, differences };
}

const textAt = (truth: TrueHead, key: string): string | null => {
  const value = truth[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
};

/** What would be right as well: `lab_name_alt`. */
function othersAt(truth: TrueHead, field: HeadName): string[] {
  const others = truth[`${field}_alt`];
  return (Array.isArray(others) ? others : [others]).filter((other) => typeof other === 'string');
}

const best = (outcomes: readonly (Outcome | undefined)[]): Outcome | undefined =>
  OUTCOMES.find((outcome) => outcomes.includes(outcome));

function foundFor(field: HeadName, read: ReadMetadata): string | null {
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

interface Compared {
  readonly truth: TrueHead;
  readonly printed: string | null;
  readonly found: string | null;
}

function outcomeOf(field: HeadName, { truth, printed, found }: Compared): Outcome | undefined {
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

const wordsOf = (text: string): string[] => bare(text).split(' ');

function namesOutcome(printed: string, found: string): Outcome {
  const [last = '', first = ''] = found.split(', ');
  const wanted = named(withoutNotes(printed));
  const forms = [[last, first].join(' '), [first, last].join(' ')].map((form) => named(form).join(' '));
  const hasComma = printed.includes(',');
  if (forms.slice(0, hasComma ? 1 : 2).includes(wanted.join(' '))) return 'exact';
  return wordsOutcome(wanted, named(found));
}

const named = (text: string): string[] => wordsOf(text).filter((word) => !TITLES.test(word));

/** "(F)" and "(née Martin)" are no part of the name. */
const withoutNotes = (text: string): string => text.replaceAll(/\([^)]*\)/g, ' ');

function wordsOutcome(wanted: readonly string[], found: readonly string[]): Outcome {
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

/** The same day; and the same minute where both say one. Without ISO either order of day and month will do. */
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

export function addHeads(left: HeadScore, right: HeadScore): HeadScore {
  const sum = noHeads();
  for (const field of HEAD_FIELDS)
    for (const outcome of OUTCOMES) sum[field][outcome] = left[field][outcome] + right[field][outcome];
  return sum;
}

/** A letter for each field of a report: right, whole, part, wrong, not read, read though not there. */
const SIGNS: Readonly<Record<Outcome, string>> = {
  exact: '+',
  whole: '+',
  part: '~',
  wrong: 'X',
  missing: '-',
  unasked: '?',
};

export function headSigns(score: HeadScore): string {
  return HEAD_FIELDS.map((field) => {
    const outcome = OUTCOMES.find((one) => score[field][one] > 0);
    return outcome ? SIGNS[outcome] : '.';
  }).join('');
}

/** The sum of many heads, a line for each field. */
export function headTable(score: HeadScore): string[] {
  const head = ['head'.padEnd(16), ...OUTCOMES.map((outcome) => outcome.padStart(8))].join('');
  return [
    head,
    ...HEAD_FIELDS.map((field) =>
      [field.padEnd(16), ...OUTCOMES.map((outcome) => String(score[field][outcome]).padStart(8))].join(''),
    ),
  ];
}
