import type { ReceivedPatient } from '../../adapters/lab-network/port.ts';
import { compareFirst, compareLast, distance, wordsOf, type Verdict } from './names.ts';

/** Whom an order is for, as far as it is compared. */
export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  /** `YYYY-MM-DD`. */
  readonly dob: string;
  readonly gender: string;
}

type Part = 'last_name' | 'first_name' | 'dob' | 'gender';

/** What each part is worth: all four the same make 100. docs/results.md prints this table. */
// prettier-ignore
export const POINTS: Readonly<Record<Part, Readonly<Record<Verdict, number>>>> = {
  last_name:  { same: 30, similar: 20, unknown: 0, different: 0 },
  first_name: { same: 25, similar: 17, unknown: 0, different: 0 },
  dob:        { same: 35, similar: 10, unknown: 0, different: 0 },
  gender:     { same: 10, similar: 10, unknown: 6, different: 0 },
};

/** From here on a sample id and the demographics together are safe. */
export const SAFE_WITH_ID = 80;
/** From here on the demographics alone name a candidate: as good as certain, likely, possible. */
export const HIGH = 90;
export const MEDIUM = 70;
export const LOW = 50;

export interface Agreement {
  readonly score: number;
  readonly parts: Readonly<Record<Part, Verdict>>;
  /** What was found, part by part, without saying what the parts are. */
  readonly reasons: readonly string[];
}

/** How well the demographics of a report agree with those of an order. First and last name may stand exchanged. */
export function compare(ours: Person | null, theirs: ReceivedPatient | null): Agreement {
  const straight = partsOf(ours, theirs);
  const crossed = partsOf(
    ours,
    theirs && { ...theirs, firstName: theirs.lastName, lastName: theirs.firstName },
  );
  const isCrossed =
    straight.last_name === 'different' && crossed.last_name === 'same' && crossed.first_name === 'same';
  // Exchanged names are one slip, not two the same names.
  const parts: Agreement['parts'] = isCrossed ? { ...crossed, last_name: 'similar' } : straight;
  const reasons = PARTS.map((part) => `${WORDS[part]} ${parts[part]}`);
  return {
    score: PARTS.reduce((sum, part) => sum + POINTS[part][parts[part]], 0),
    parts,
    reasons: isCrossed ? ['first and last name exchanged', ...reasons] : reasons,
  };
}

const PARTS: readonly Part[] = ['last_name', 'first_name', 'dob', 'gender'];
const WORDS: Readonly<Record<Part, string>> = {
  last_name: 'last name',
  first_name: 'first name',
  dob: 'date of birth',
  gender: 'gender',
};

function partsOf(ours: Person | null, theirs: ReceivedPatient | null): Agreement['parts'] {
  return {
    last_name: compareLast(wordsOf(ours?.lastName), wordsOf(theirs?.lastName)),
    first_name: compareFirst(wordsOf(ours?.firstName), wordsOf(theirs?.firstName)),
    dob: compareDob(ours?.dob ?? null, theirs?.dob ?? null),
    gender: compareGender(ours?.gender ?? null, theirs?.gender ?? null),
  };
}

const digits = (day: string) => day.replaceAll('-', '');

/** One digit wrong, two neighbours exchanged, or day and month exchanged is similar. */
function compareDob(ours: string | null, theirs: string | null): Verdict {
  if (!ours || !theirs) return 'unknown';
  if (ours === theirs) return 'same';
  const [year, month, day] = theirs.split('-');
  if (ours === `${year}-${day}-${month}`) return 'similar';
  return distance(digits(ours), digits(theirs)) === 1 ? 'similar' : 'different';
}

const KNOWN = new Set(['male', 'female']);

function compareGender(ours: string | null, theirs: string | null): Verdict {
  if (!ours || !theirs || !KNOWN.has(ours) || !KNOWN.has(theirs)) return 'unknown';
  return ours === theirs ? 'same' : 'different';
}

/**
 * Whether a report that names an order is of the order's patient. Neither name nor the date of birth may contradict.
 * Where the report has none of them, or no date of birth, it has to name the order twice: by our id and by its sample.
 */
export function isSafe({ score, parts }: Agreement, isNamedTwice: boolean): boolean {
  const { last_name: last, first_name: first, dob } = parts;
  if ([last, first, dob].includes('different')) return false;
  if (score >= SAFE_WITH_ID) return true;
  const isNameless = last === 'unknown' && first === 'unknown';
  const isNamed = last === 'same' && first === 'same';
  if (!isNamedTwice || parts.gender === 'different') return false;
  return dob === 'unknown' ? isNamed || isNameless : dob === 'same' && isNameless;
}

/** Whether all of name and date of birth is the same, so that nobody else can fit better. */
export const isExact = ({ parts }: Agreement): boolean =>
  parts.last_name === 'same' && parts.first_name === 'same' && parts.dob === 'same';
