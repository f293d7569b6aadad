import { z } from 'zod';
import {
  ACCOUNT_STATUSES,
  BILLINGS,
  COLLECTION_METHODS,
  DELEGATED_FLOWS,
  LAB_SLUGS,
  QUESTION_TYPES,
  SAMPLE_TYPES,
  US_STATES,
} from './vocabulary.ts';

const Id = z.int().positive();
const Text = z.string().trim().min(1);
const Slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const Key = z.string().regex(/^[a-z0-9]+(_[a-z0-9]+)*$/);
const Price = z.string().regex(/^\d+\.\d{2}$/);

export const SeedLab = z.strictObject({
  id: Id,
  slug: z.enum(LAB_SLUGS),
  name: Text,
  first_line_address: Text,
  city: Text,
  zipcode: z.string().regex(/^\d{5}$/),
  collection_methods: z.array(z.enum(COLLECTION_METHODS)).min(1),
  sample_types: z.array(z.enum(SAMPLE_TYPES)).min(1),
  /** Fictional: no state has the code 00. */
  clia: z.string().regex(/^00D\d{7}$/),
  /** Fictional, and says so. */
  director: z.string().regex(/ \(fictional\)$/),
  /** The address is fictional: never send anything there. */
  address_is_made: z.literal(true),
});
export type SeedLab = z.infer<typeof SeedLab>;

/** An official LOINC code with its official display name; only `slug` is our own. */
export const SeedLoinc = z.strictObject({
  id: Id,
  code: z.string().regex(/^\d{1,7}-\d$/),
  name: Text,
  slug: Slug,
  unit: Text.nullable(),
});
export type SeedLoinc = z.infer<typeof SeedLoinc>;

/** A range of plausible values, both ends inclusive. */
export const SeedValueBand = z.tuple([z.number().nonnegative(), z.number().nonnegative()]);
export type SeedValueBand = z.infer<typeof SeedValueBand>;

/** The reference range of healthy adults of either sex; `<5.7` is an exclusive max of 5.7. */
export const NumericReference = z.strictObject({
  min: z.number().nullable(),
  max: z.number().nullable(),
  min_inclusive: z.boolean(),
  max_inclusive: z.boolean(),
  text: Text,
});
export type NumericReference = z.infer<typeof NumericReference>;

/** The ranges from which the simulated laboratory draws values. It never uses a null band. */
export const SeedValueBands = z.strictObject({
  normal: SeedValueBand,
  abnormal_low: SeedValueBand.nullable(),
  abnormal_high: SeedValueBand.nullable(),
  critical_low: SeedValueBand.nullable(),
  critical_high: SeedValueBand.nullable(),
});
export type SeedValueBands = z.infer<typeof SeedValueBands>;

export const NumericMeasure = z.strictObject({
  kind: z.literal('numeric'),
  unit: Text,
  decimals: z.int().min(0).max(3),
  reference: NumericReference,
  bands: SeedValueBands,
  /** Below this value laboratories report `<0.10` instead of a number. */
  reportable_min: z.number().positive().nullable(),
});
export type NumericMeasure = z.infer<typeof NumericMeasure>;

const answers = {
  reference: z.strictObject({ text: Text.nullable() }),
  answers: z.strictObject({ normal: z.array(Text).min(1), abnormal: z.array(Text), critical: z.array(Text) }),
};
const CodedMeasure = z.strictObject({ kind: z.literal('coded'), ...answers });
type CodedMeasure = z.infer<typeof CodedMeasure>;
const TextMeasure = z.strictObject({ kind: z.literal('text'), ...answers });
type TextMeasure = z.infer<typeof TextMeasure>;

/** A number, a coded word, or free text. */
export const SeedMeasure = z.discriminatedUnion('kind', [NumericMeasure, CodedMeasure, TextMeasure]);
export type SeedMeasure = z.infer<typeof SeedMeasure>;

/** A measurable quantity, independent of laboratories. */
export const SeedAnalyte = z.strictObject({
  key: Key,
  name: Text,
  slug: Slug,
  synonyms: z.array(Text),
  loinc: SeedLoinc.nullable(),
  measure: SeedMeasure,
});
export type SeedAnalyte = z.infer<typeof SeedAnalyte>;

const SeedAnswer = z.strictObject({ id: Id, code: Text, value: Text });
type SeedAnswer = z.infer<typeof SeedAnswer>;

export const SeedQuestion = z.strictObject({
  id: Id,
  required: z.boolean(),
  code: Text,
  value: Text,
  type: z.enum(QUESTION_TYPES),
  sequence: Id,
  answers: z.array(SeedAnswer),
  /** `low..high`: bounds of a number, of the length of a text, or of the number of chosen answers. */
  constraint: z
    .string()
    .regex(/^\d+\.\.\d+$/)
    .nullable(),
  default: z.string().nullable(),
});
export type SeedQuestion = z.infer<typeof SeedQuestion>;

export const SeedAoe = z.strictObject({ questions: z.array(SeedQuestion).min(1) });
export type SeedAoe = z.infer<typeof SeedAoe>;

export const SeedExpectedResultRow = z.strictObject({
  id: Id,
  analyte: Key,
  provider_id: Text,
  required: z.boolean(),
});
export type SeedExpectedResultRow = z.infer<typeof SeedExpectedResultRow>;

export const SeedMarkerRow = z.strictObject({
  id: Id,
  provider_id: Text,
  type: z.enum(['biomarker', 'panel']),
  name: Text,
  slug: Slug,
  description: Text.nullable(),
  unit: Text.nullable(),
  price: Price,
  a_la_carte_enabled: z.boolean(),
  is_orderable: z.boolean(),
  common_tat_days: Id,
  worst_case_tat_days: Id,
  synonyms: z.array(Text),
  aoe: SeedAoe.nullable(),
  expected_results: z.array(SeedExpectedResultRow).min(1),
});
export type SeedMarkerRow = z.infer<typeof SeedMarkerRow>;

export const SeedLabTestRow = z.strictObject({
  slug: Slug,
  name: Text,
  description: Text,
  lab: z.enum(LAB_SLUGS),
  method: z.enum(COLLECTION_METHODS),
  sample_type: z.enum(SAMPLE_TYPES),
  fasting: z.boolean(),
  /** A kit that the patient registers with its sample id. */
  registrable: z.boolean(),
  price: z.number().nonnegative(),
  provider_ids: z.array(Text).min(1),
});
export type SeedLabTestRow = z.infer<typeof SeedLabTestRow>;

/** A lab account of a new sandbox team. The file lists the oldest first. */
export const SeedLabAccount = z.strictObject({
  key: Key,
  lab: z.enum(LAB_SLUGS),
  status: z.enum(ACCOUNT_STATUSES),
  delegated_flow: z.enum(DELEGATED_FLOWS),
  provider_account_id: Text,
  account_name: Text,
  default_clinical_notes: z.string().max(1000).nullable(),
  business_units: z.array(Text).nullable(),
  allowed_billing: z.partialRecord(z.enum(BILLINGS), z.array(z.enum(US_STATES)).min(1)),
});
export type SeedLabAccount = z.infer<typeof SeedLabAccount>;
