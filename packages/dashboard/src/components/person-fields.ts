import type { FieldSpec } from './fields.tsx';

/** What the API demands of people and addresses in the United States, said before a request is sent. */
const checkZip = (value: string): string | undefined =>
  /^\d{5}(?:-\d{4})?$/.test(value) ? undefined : 'A ZIP code has five digits';

const PHONE_DIGITS = { min: 7, max: 15 };

function checkPhone(value: string): string | undefined {
  const digits = value.replaceAll(/\D/g, '').length;
  const isRight = digits >= PHONE_DIGITS.min && digits <= PHONE_DIGITS.max && /^\+?[\d ().-]+$/.test(value);
  return isRight ? undefined : 'Write the number with its area code, such as +1 602 555 0123';
}

const checkEmail = (value: string): string | undefined =>
  /^\S+@\S+\.\S+$/.test(value) ? undefined : 'This is not an e-mail address';

function checkBirthDate(value: string): string | undefined {
  const time = Date.parse(value);
  if (Number.isNaN(time)) return 'This is not a date';
  return time > Date.now() ? 'A birth date is in the past' : undefined;
}

// prettier-ignore
const STATES = 'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY PR VI GU AS MP';

const STATE_OPTIONS = STATES.split(' ').map((value) => ({ value, label: value }));

const words = (value: string) => ({ value, label: sentence(value) });

/** `white_caucasian` becomes "White caucasian". */
export const sentence = (name: string): string => {
  const text = name.replaceAll(/[_-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const GENDERS = ['female', 'male', 'other', 'unknown'].map(words);

// prettier-ignore
export const PERSON_FIELDS: readonly FieldSpec[] = [
  { name: 'first_name', label: 'First name', isRequired: true },
  { name: 'last_name', label: 'Last name', isRequired: true },
  { name: 'dob', label: 'Birth date', kind: 'date', isRequired: true, check: checkBirthDate },
  { name: 'gender', label: 'Gender', kind: 'select', options: GENDERS, isRequired: true },
  { name: 'phone_number', label: 'Phone', kind: 'tel', isRequired: true, check: checkPhone },
  { name: 'email', label: 'E-mail', kind: 'email', isRequired: true, check: checkEmail },
];

/** Below a name, such as `address` or `insured.address`. */
export const addressFields = (below: string): readonly FieldSpec[] => [
  { name: `${below}.first_line`, label: 'Street and number', isRequired: true },
  { name: `${below}.second_line`, label: 'Apartment, floor' },
  { name: `${below}.city`, label: 'City', isRequired: true },
  { name: `${below}.state`, label: 'State', kind: 'select', options: STATE_OPTIONS, isRequired: true },
  { name: `${below}.zip`, label: 'ZIP code', isRequired: true, check: checkZip },
  {
    name: `${below}.country`,
    label: 'Country',
    kind: 'select',
    options: [{ value: 'US', label: 'United States' }],
    isRequired: true,
  },
];

// prettier-ignore
export const MORE_ABOUT_PERSON: readonly FieldSpec[] = [
  { name: 'race', label: 'Race', kind: 'select', options: ['african_american_or_black', 'asian', 'indigenous_native_american_alaska_native', 'other', 'pacific_islander_or_hawaiian', 'white_caucasian'].map(words) },
  { name: 'ethnicity', label: 'Ethnicity', kind: 'select', options: ['hispanic', 'non_hispanic', 'ashkenazi_jewish', 'other'].map(words) },
];
