import type { ReceivedPatient } from '../../adapters/lab-network/port.ts';
import {
  compareFirstNames,
  compareLastNames,
  editDistance,
  listSpellings,
  type DemographicVerdict,
} from './compare-names.ts';

/** The compared demographics of an order's patient. */
export interface OrderPatient {
  readonly firstName: string;
  readonly lastName: string;
  /** `YYYY-MM-DD`. */
  readonly dob: string;
  readonly gender: string;
}

type DemographicPart = 'last_name' | 'first_name' | 'dob' | 'gender';

/** Points per part; four equal parts score 100. docs/reference/result-matching.md contains this table. */
// prettier-ignore
const DEMOGRAPHIC_POINTS: Readonly<Record<DemographicPart, Readonly<Record<DemographicVerdict, number>>>> = {
  last_name:  { same: 30, similar: 20, unknown: 0, different: 0 },
  first_name: { same: 25, similar: 17, unknown: 0, different: 0 },
  dob:        { same: 35, similar: 10, unknown: 0, different: 0 },
  gender:     { same: 10, similar: 10, unknown: 6, different: 0 },
};

/** Minimum score for an automatic match by sample id and demographics. */
export const SAFE_WITH_ID_SCORE = 80;
/** Minimum scores of candidates found by demographics alone: nearly certain, likely, possible. */
export const HIGH_SCORE = 90;
export const MEDIUM_SCORE = 70;
export const LOW_SCORE = 50;

export interface DemographicAgreement {
  readonly score: number;
  readonly parts: Readonly<Record<DemographicPart, DemographicVerdict>>;
  /** The verdict of each part, without patient data. */
  readonly reasons: readonly string[];
}

/** Compares the demographics of a report and an order. First and last name may be swapped. */
export function compareDemographics(
  ours: OrderPatient | null,
  theirs: ReceivedPatient | null,
): DemographicAgreement {
  const straight = compareParts(ours, theirs);
  const crossed = compareParts(
    ours,
    theirs && { ...theirs, firstName: theirs.lastName, lastName: theirs.firstName },
  );
  const isCrossed =
    straight.last_name === 'different' && crossed.last_name === 'same' && crossed.first_name === 'same';
  // Swapped names count as one mistake, not as two equal names.
  const parts: DemographicAgreement['parts'] = isCrossed ? { ...crossed, last_name: 'similar' } : straight;
  const reasons = DEMOGRAPHIC_PARTS.map((part) => `${PART_LABELS[part]} ${parts[part]}`);
  return {
    score: DEMOGRAPHIC_PARTS.reduce((sum, part) => sum + DEMOGRAPHIC_POINTS[part][parts[part]], 0),
    parts,
    reasons: isCrossed ? ['first and last name exchanged', ...reasons] : reasons,
  };
}

const DEMOGRAPHIC_PARTS: readonly DemographicPart[] = ['last_name', 'first_name', 'dob', 'gender'];
const PART_LABELS: Readonly<Record<DemographicPart, string>> = {
  last_name: 'last name',
  first_name: 'first name',
  dob: 'date of birth',
  gender: 'gender',
};

function compareParts(
  ours: OrderPatient | null,
  theirs: ReceivedPatient | null,
): DemographicAgreement['parts'] {
  return {
    last_name: compareSpellings(compareLastNames, ours?.lastName, theirs?.lastName),
    first_name: compareSpellings(compareFirstNames, ours?.firstName, theirs?.firstName),
    dob: compareDob(ours?.dob ?? null, theirs?.dob ?? null),
    gender: compareGender(ours?.gender ?? null, theirs?.gender ?? null),
  };
}

type NameComparison = (ours: readonly string[], theirs: readonly string[]) => DemographicVerdict;
type OptionalName = string | null | undefined;

const BEST_FIRST: readonly DemographicVerdict[] = ['same', 'similar', 'different', 'unknown'];

/** The best verdict of all spellings of both names. */
function compareSpellings(
  compare: NameComparison,
  ours: OptionalName,
  theirs: OptionalName,
): DemographicVerdict {
  const known = listSpellings(theirs);
  const verdicts = listSpellings(ours).flatMap((one) => known.map((other) => compare(one, other)));
  return BEST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'unknown';
}

const digits = (day: string) => day.replaceAll('-', '');

/** Similar: one wrong digit, two adjacent digits swapped, or day and month swapped. */
function compareDob(ours: string | null, theirs: string | null): DemographicVerdict {
  if (!ours || !theirs) return 'unknown';
  if (ours === theirs) return 'same';
  const [year, month, day] = theirs.split('-');
  if (ours === `${year}-${day}-${month}`) return 'similar';
  return editDistance(digits(ours), digits(theirs)) === 1 ? 'similar' : 'different';
}

const COMPARABLE_GENDERS = new Set(['male', 'female']);

function compareGender(ours: string | null, theirs: string | null): DemographicVerdict {
  if (!ours || !theirs || !COMPARABLE_GENDERS.has(ours) || !COMPARABLE_GENDERS.has(theirs)) return 'unknown';
  return ours === theirs ? 'same' : 'different';
}

/**
 * Whether a report that names an order belongs to its patient. Names and date of birth must not contradict. If the
 * report lacks the names or the date of birth, it must name the order twice: by our id and by its sample id.
 */
export function isSafe({ score, parts }: DemographicAgreement, isNamedTwice: boolean): boolean {
  const { last_name: last, first_name: first, dob } = parts;
  if ([last, first, dob].includes('different')) return false;
  if (score >= SAFE_WITH_ID_SCORE) return true;
  const isNameless = last === 'unknown' && first === 'unknown';
  const isNamed = last === 'same' && first === 'same';
  if (!isNamedTwice || parts.gender === 'different') return false;
  return dob === 'unknown' ? isNamed || isNameless : dob === 'same' && isNameless;
}

/** Whether names and date of birth are equal, so that no other patient can match better. */
export const isExact = ({ parts }: DemographicAgreement): boolean =>
  parts.last_name === 'same' && parts.first_name === 'same' && parts.dob === 'same';
