import { z } from 'zod';
import { hasCheckDigit } from '../seed/loinc.ts';
import { COLLECTION_METHODS, QUESTION_TYPES, SAMPLE_TYPES } from '../seed/vocabulary.ts';

/** A row of an import file: its location, and its cells by column. Empty cells are omitted. */
export interface CatalogImportRow {
  /** For example `line 4` or `markers[2].results[0]`. */
  readonly place: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

/** NUL and halves of a character, which JSON can escape and the database cannot store. */
const NOT_TEXT = /[\0\p{Surrogate}]/u;

const text = (max: number) =>
  z
    .string('expected text')
    .min(1, 'expected text')
    .max(max, `expected at most ${max} characters`)
    .refine((given) => !NOT_TEXT.test(given), 'expected text without NUL and unpaired surrogates');
const pattern = (form: RegExp, expected: string) =>
  z.string(`expected ${expected}`).regex(form, `expected ${expected}`);
const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, `expected one of ${words.join(', ')}`);

const flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')],
  'expected true or false',
);

const NUMBER = /^-?\d+(\.\d+)?$/;
const numericText = z.string().regex(NUMBER).transform(Number);
const number = z.union([z.number(), numericText], 'expected a number');
const wholeNumber = ({ min, max }: { min: number; max: number }) => {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z
    .union([z.number(), numericText], expected)
    .pipe(z.int(expected).min(min, expected).max(max, expected));
};

/** Several values in one cell are separated by `|`. */
const list = <Item extends z.ZodType<unknown, string>>(item: Item, expected: string) =>
  z
    .union(
      [z.array(z.string()), z.string().transform((cell) => cell.split('|').map((word) => word.trim()))],
      `expected ${expected}`,
    )
    .pipe(z.array(item).max(200, 'expected at most 200'));

const LabSlug = pattern(
  /^[a-z0-9]+(_[a-z0-9]+)*$/,
  'lowercase letters, digits and single _, such as own_lab',
);
const Slug = pattern(
  /^[a-z0-9]+(-[a-z0-9]+)*$/,
  'lowercase letters, digits and single -, such as own-test',
).max(200);
const Code = text(100);
const PRICE = 'expected US dollars from 0 to 99999.99, such as 12.50';
const Price = z
  .union([z.number(), numericText], PRICE)
  .refine((dollars) => dollars >= 0 && dollars <= 99_999.99 && isCents(dollars * 100), PRICE);
const isCents = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;
const Days = wholeNumber({ min: 0, max: 365 });

const ofMarker = { lab: LabSlug, marker: Code };

const Lab = z.strictObject({
  lab: LabSlug,
  name: text(200),
  first_line_address: text(200),
  city: text(100),
  zipcode: pattern(/^\d{5}$/, 'five digits'),
  collection_methods: list(
    oneOf(COLLECTION_METHODS),
    `some of ${COLLECTION_METHODS.join(', ')}, separated by |`,
  ),
  sample_types: list(oneOf(SAMPLE_TYPES), `some of ${SAMPLE_TYPES.join(', ')}, separated by |`),
  clia: pattern(/^\d{2}D\d{7}$/, 'a CLIA number such as 05D0642827').optional(),
  director: text(200).optional(),
});

const Marker = z.strictObject({
  ...ofMarker,
  type: oneOf(['biomarker', 'panel']),
  name: text(200),
  slug: Slug.optional(),
  description: text(2000).optional(),
  unit: text(50).optional(),
  price: Price.optional(),
  a_la_carte_enabled: flag.default(true),
  is_orderable: flag.default(true),
  common_tat_days: Days.optional(),
  worst_case_tat_days: Days.optional(),
  synonyms: list(text(200), 'words, separated by |').default([]),
  cpt_codes: list(
    pattern(/^[0-9A-Z]{5}$/, 'CPT codes of five digits or capital letters'),
    'CPT codes, separated by |',
  ).default([]),
});

const Loinc = pattern(/^\d{1,7}-\d$/, 'a LOINC code such as 2345-7').refine(
  hasCheckDigit,
  'expected a LOINC code with a valid check digit',
);

const Result = z.strictObject({
  ...ofMarker,
  code: Code,
  type: oneOf(['numeric', 'coded', 'text']),
  name: text(200),
  slug: Slug.optional(),
  loinc: Loinc.optional(),
  loinc_name: text(300).optional(),
  required: flag.default(true),
  unit: text(50).optional(),
  reference_range: text(100).optional(),
  decimals: wholeNumber({ min: 0, max: 6 }).optional(),
  critical_low: number.optional(),
  critical_high: number.optional(),
  normal_text: text(200).optional(),
  abnormal_text: text(200).optional(),
});

const Question = z.strictObject({
  ...ofMarker,
  code: Code,
  type: oneOf(QUESTION_TYPES),
  name: text(500),
  required: flag.default(true),
  constraint: pattern(/^\d+\.\.\d+$/, 'bounds such as 1..60').optional(),
  default: text(200).optional(),
});

const Answer = z.strictObject({ ...ofMarker, question: Code, code: Code, name: text(500) });

/** The record types, by the value of the column `record`. */
export const RECORDS = { lab: Lab, marker: Marker, result: Result, question: Question, answer: Answer };
export type ImportRecordName = keyof typeof RECORDS;

/** A parsed row with its location. */
export type ParsedImportRow<Name extends ImportRecordName> = z.output<(typeof RECORDS)[Name]> & {
  readonly place: string;
};

export const isRecordName = (word: unknown): word is ImportRecordName =>
  typeof word === 'string' && Object.hasOwn(RECORDS, word);

/** All columns of all record types. */
export const COLUMNS: readonly string[] = [
  ...new Set(['record', ...Object.values(RECORDS).flatMap((record) => Object.keys(record.shape))]),
];
