import { z } from 'zod';
import { DAY, isoDay } from '../platform/clock.ts';
import { invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { US_STATES } from './us-states.ts';

/**
 * Latin letters in ranges, and combining marks: generators of clients for other languages do not know
 * `\p{Script=Latin}`.
 */
const LETTERS = String.raw`A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F\u1E00-\u1EFF`;
const NAME_CHARACTERS = String.raw`[${LETTERS}\u0300-\u036F0-9\-.,'’]`;

/**
 * Names as laboratories accept them. Latin letters may have diacritics: a message to a laboratory whose character set
 * does not have them is transliterated.
 */
export const PersonName = z
  .string()
  .min(1)
  .max(50)
  .regex(
    new RegExp(`^[${LETTERS}0-9]${NAME_CHARACTERS}*(?: ${NAME_CHARACTERS}+)*$`),
    "expected Latin letters, digits, - . , ' with single spaces between words, the first a letter or digit",
  );

/** E.164-like: 7 to 15 digits, with or without a plus, spaces, dots, dashes and parentheses. */
export const PhoneNumber = z
  .string()
  .max(40)
  .regex(/^(?=(?:\D*\d){7,15}\D*$)\+?[\d ().-]+$/, 'expected a phone number, as +14155550132');

/** Every character that a mailbox may have without quotes, and internationalized domains as xn--. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[\w.!#$%&'*+/=?^`{|}~-]*[\w!#$%&'*+/=?^`{|}~-]@(?:[A-Za-z\d][A-Za-z\d-]*\.)+(?:[A-Za-z]{2,}|xn--[A-Za-z\d-]+)$/;

export const Email = z.email({ pattern: EMAIL, error: 'expected an e-mail address' }).max(254);

const EARLIEST_BIRTH = '1900-01-01';

const MIDNIGHT = /^(\d{4}-\d\d-\d\d)T00:00:00(\.0{1,9})?(Z|\+00:00)?$/;

/**
 * A day of birth. `requirePastDob` checks on the tenant's clock that it is in the past. Midnight UTC is accepted too,
 * because older client SDKs send days that way, and orders return them that way.
 */
export const BirthDate = z.preprocess(
  (given) => (typeof given === 'string' ? given.replace(MIDNIGHT, '$1') : given),
  z.iso.date().refine((day) => day >= EARLIEST_BIRTH, `expected a day from ${EARLIEST_BIRTH} on`),
);

export const UsState = z
  .string()
  .refine((code) => US_STATES.has(code), 'expected a US state code of two capital letters, as NY');

export const ZipCode = z.string().regex(/^\d{5}(-\d{4})?$/, 'expected 5 digits or ZIP+4');

export const AccessNotes = z.string().max(1000);

/** One line of text, as in an address: 1 to 200 characters. */
export const SingleLine = z.string().trim().min(1).max(200);

/** A country by its code or its name. */
export const Country = z.string().trim().min(2).max(60);

export const Gender = z.enum(['female', 'male', 'other', 'unknown']).meta({ id: 'Gender' });

export const Race = z
  .enum([
    'african_american_or_black',
    'asian',
    'indigenous_native_american_alaska_native',
    'other',
    'pacific_islander_or_hawaiian',
    'white_caucasian',
  ])
  .meta({ id: 'Race' });

export const Ethnicity = z
  .enum(['hispanic', 'non_hispanic', 'ashkenazi_jewish', 'other'])
  .meta({ id: 'Ethnicity' });

export const SexualOrientation = z
  .enum(['lesbian_gay_or_homosexual', 'heterosexual_or_straight', 'bisexual', 'dont_know', 'other'])
  .meta({ id: 'SexualOrientation' });

export const GenderIdentity = z
  .enum([
    'male',
    'female',
    'female_to_male_ftm_transgender_male_trans_man',
    'male_to_female_mtf_transgender_female_trans_woman',
    'genderqueer',
    'other',
  ])
  .meta({ id: 'GenderIdentity' });

type FieldPath = (string | number)[];

/** Throws a 422 at `loc` unless the day of birth is before today on the tenant's clock. */
export function requirePastDob(work: Pick<Work, 'now'>, dob: string, loc: FieldPath = ['body', 'dob']): void {
  if (dob >= isoDay(work.now)) throw invalidField(loc, 'expected a day in the past');
}

/** The age in whole years. */
export function ageAt(moment: Date, dob: string): number {
  const today = isoDay(moment);
  const years = Number(today.slice(0, 4)) - Number(dob.slice(0, 4));
  return today.slice(5) < dob.slice(5) ? years - 1 : years;
}

/** The age in whole months, and in days, for ranges that depend on an infant's age. */
export function infantAgeAt(moment: Date, dob: string): { months: number; days: number } {
  const today = isoDay(moment);
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
  const [bornYear = 0, bornMonth = 0, bornDay = 0] = dob.split('-').map(Number);
  const months = (year - bornYear) * 12 + month - bornMonth - (day < bornDay ? 1 : 0);
  return { months, days: Math.floor((Date.parse(today) - Date.parse(dob)) / DAY) };
}

/** Ten digits; the last is the Luhn check digit of the prefix 80840 and the first nine. */
export function isNpi(npi: string): boolean {
  if (!/^\d{10}$/.test(npi)) return false;
  const sum = [...`80840${npi}`].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const regionNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const UNITED_STATES = 'United States';
const US_NAMES = new Set(['US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA']);

export const isUnitedStates = (country: string): boolean => US_NAMES.has(country.trim().toUpperCase());

/** The English name of a country code, as `United States` for `US`; other text is returned unchanged. */
export function countryLongName(code: string): string {
  if (isUnitedStates(code)) return UNITED_STATES;
  const upper = code.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(upper) ? (regionNames.of(upper) ?? code) : code;
}
