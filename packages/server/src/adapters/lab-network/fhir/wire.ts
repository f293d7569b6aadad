import { z } from 'zod';
import { DomainError, invalidField } from '../../../platform/errors.ts';
import { DecimalLiteral } from '../../../platform/precise-json.ts';

/** A location in the request, for example `['body', 'entry', 3, 'resource']`. */
export type FhirPath = readonly (string | number)[];

const Text = z.string().max(100_000);
const Short = z.string().max(2000);
/** R4 dates have year, month or day precision; times have a zone. */
const DateTime = z
  .string()
  .regex(/^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?)?)?$/, {
    error: 'expected a FHIR date, or a date and time with its zone',
  })
  .refine((text) => !Number.isNaN(Date.parse(text)), { error: 'expected a valid date' })
  .transform((text) => new Date(text));

const listOf = <T extends z.ZodType>(of: T) => z.array(of).max(5000).default([]);

export const Extension = z.object({ url: Short, valueString: Text.optional() });
const extensionFields = { extension: listOf(Extension) };

const Coding = z.object({
  system: Short.optional(),
  code: Short.optional(),
  display: Text.optional(),
});
export const CodeableConcept = z.object({ coding: listOf(Coding), text: Text.optional() });
export type CodeableConcept = z.output<typeof CodeableConcept>;

export const FhirIdentifier = z.object({
  system: Short.optional(),
  value: Short.optional(),
  type: CodeableConcept.optional(),
});
export type FhirIdentifier = z.output<typeof FhirIdentifier>;

export const FhirReference = z.object({
  reference: Short.optional(),
  display: Text.optional(),
  identifier: FhirIdentifier.optional(),
});
export type FhirReference = z.output<typeof FhirReference>;

/** Longer than every number that is measured. */
const NUMBER_LENGTH_MAX = 64;

/** A number as it is written, because FHIR decimals keep their precision: `5.10` is not `5.1`. */
const Decimal = z
  .custom<number | DecimalLiteral>((value) => typeof value === 'number' || value instanceof DecimalLiteral, {
    error: 'expected a number',
  })
  .transform(String)
  .refine((text) => text.length <= NUMBER_LENGTH_MAX, {
    error: `expected a number of at most ${NUMBER_LENGTH_MAX} characters`,
    abort: true,
  })
  .refine((text) => Number.isFinite(Number(text)), { error: 'expected a number up to 1e308' });
const Integer = Decimal.refine((text) => Number.isInteger(Number(text)), {
  error: 'expected a whole number',
});

const Period = z.object({ start: DateTime.optional(), end: DateTime.optional() });

export const FhirQuantity = z.object({
  ...extensionFields,
  value: Decimal.optional(),
  comparator: z.enum(['<', '<=', '>=', '>']).optional(),
  unit: Short.optional(),
  code: Short.optional(),
});
export type FhirQuantity = z.output<typeof FhirQuantity>;

const Range = z.object({ ...extensionFields, low: FhirQuantity.optional(), high: FhirQuantity.optional() });
const Ratio = z.object({
  ...extensionFields,
  numerator: FhirQuantity.optional(),
  denominator: FhirQuantity.optional(),
});
/** A document; `data` is limited by the size of the message. */
const Attachment = z.object({
  title: Short.optional(),
  data: z.string().optional(),
  url: Short.optional(),
});

const Note = z.object({ text: Text });

/** The supported kinds of value. */
const valueFields = {
  valueQuantity: FhirQuantity.optional(),
  valueCodeableConcept: CodeableConcept.optional(),
  valueString: Text.optional(),
  valueBoolean: z.boolean().optional(),
  valueInteger: Integer.optional(),
  valueRange: Range.optional(),
  valueRatio: Ratio.optional(),
  valueTime: Short.optional(),
  valueDateTime: Short.optional(),
  valuePeriod: z.object({ start: Short.optional(), end: Short.optional() }).optional(),
  valueSampledData: z.undefined({ error: 'sampled data are not supported: expected one value' }).optional(),
  dataAbsentReason: CodeableConcept.optional(),
};
export const FhirValue = z.object(valueFields);
export type FhirValue = z.output<typeof FhirValue>;

const interpretationFields = {
  interpretation: listOf(CodeableConcept),
  referenceRange: listOf(
    z.object({
      low: FhirQuantity.optional(),
      high: FhirQuantity.optional(),
      type: CodeableConcept.optional(),
      appliesTo: listOf(CodeableConcept),
      age: z.object({ low: FhirQuantity.optional(), high: FhirQuantity.optional() }).optional(),
      text: Text.optional(),
    }),
  ),
};
export type FhirReferenceRange = z.output<typeof interpretationFields.referenceRange>[number];

const resourceFields = {
  id: Short.optional(),
  contained: listOf(z.looseObject({ resourceType: z.string() })),
};

/** The status codes of R4. */
// prettier-ignore
const OBSERVATION_STATUSES = ['registered', 'preliminary', 'final', 'amended', 'corrected', 'cancelled', 'entered-in-error', 'unknown'] as const;
// prettier-ignore
const REPORT_STATUSES = ['registered', 'partial', 'preliminary', 'final', 'amended', 'corrected', 'appended', 'cancelled', 'entered-in-error', 'unknown'] as const;

const effectiveFields = {
  effectiveDateTime: DateTime.optional(),
  effectivePeriod: Period.optional(),
  effectiveInstant: DateTime.optional(),
  issued: DateTime.optional(),
};

export const FhirObservation = z.object({
  ...resourceFields,
  ...valueFields,
  ...interpretationFields,
  ...effectiveFields,
  status: z.enum(OBSERVATION_STATUSES),
  code: CodeableConcept,
  performer: listOf(FhirReference),
  note: listOf(Note),
  specimen: FhirReference.optional(),
  method: CodeableConcept.optional(),
  hasMember: listOf(FhirReference),
  derivedFrom: listOf(FhirReference),
  component: listOf(z.object({ code: CodeableConcept, ...valueFields, ...interpretationFields })),
});
export type FhirObservation = z.output<typeof FhirObservation>;

export const DiagnosticReport = z.object({
  ...resourceFields,
  ...effectiveFields,
  status: z.enum(REPORT_STATUSES),
  code: CodeableConcept,
  identifier: listOf(FhirIdentifier),
  basedOn: listOf(FhirReference),
  subject: FhirReference.optional(),
  performer: listOf(FhirReference),
  specimen: listOf(FhirReference),
  result: listOf(FhirReference),
  conclusion: Text.optional(),
  presentedForm: listOf(Attachment),
});
export type DiagnosticReport = z.output<typeof DiagnosticReport>;

export const Patient = z.object({
  id: Short.optional(),
  identifier: listOf(FhirIdentifier),
  name: listOf(
    z.object({
      use: Short.optional(),
      family: Short.optional(),
      given: listOf(Short),
      text: Short.optional(),
    }),
  ),
  gender: z.enum(['male', 'female', 'other', 'unknown']).optional(),
  birthDate: z
    .string()
    .regex(/^\d{4}(?:-\d{2}(?:-\d{2})?)?$/, { error: 'expected a FHIR date' })
    .optional(),
});

export const ServiceRequest = z.object({
  id: Short.optional(),
  identifier: listOf(FhirIdentifier),
  requisition: FhirIdentifier.optional(),
});

export const Specimen = z.object({
  accessionIdentifier: FhirIdentifier.optional(),
  identifier: listOf(FhirIdentifier),
  type: CodeableConcept.optional(),
  receivedTime: DateTime.optional(),
  collection: z
    .object({ collectedDateTime: DateTime.optional(), collectedPeriod: Period.optional() })
    .optional(),
});

export const Organization = z.object({ identifier: listOf(FhirIdentifier), name: Short.optional() });
export const Account = z.object({ identifier: listOf(FhirIdentifier) });

export const Bundle = z.object({
  resourceType: z.literal('Bundle'),
  id: Short.optional(),
  identifier: FhirIdentifier.optional(),
  type: Short,
  timestamp: DateTime.optional(),
  entry: z
    .array(
      z.object({
        fullUrl: Short.optional(),
        resource: z.looseObject({ resourceType: z.string(), id: Short.optional() }).optional(),
      }),
    )
    .min(1)
    .max(5000),
});

/** Parses a part of the request; throws a 422 with the full location of every error. */
export function parsePart<S extends z.ZodType>(schema: S, given: unknown, place: FhirPath): z.output<S> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  throw new DomainError(
    'invalid',
    read.error.issues.map(({ path, message, code }) => ({
      loc: [...place, ...path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
      msg: message,
      type: code === 'custom' ? 'value_error' : code,
    })),
  );
}

export const createFhirError = (place: FhirPath, message: string): DomainError =>
  invalidField([...place], message);
