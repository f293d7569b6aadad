import { z } from 'zod';
import { DomainError, invalidField } from '../../../platform/errors.ts';

/** Where something stands in what was sent, as `['body', 'entry', 3, 'resource']`. */
export type Place = readonly (string | number)[];

const Text = z.string().max(100_000);
const Short = z.string().max(2000);
/** R4 knows years, months and days beside moments with a zone. */
const DateTime = z
  .string()
  .regex(/^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?)?)?$/, {
    error: 'expected a FHIR date or a moment with its zone',
  })
  .refine((text) => !Number.isNaN(Date.parse(text)), { error: 'expected a day that there is' })
  .transform((text) => new Date(text));

const list = <T extends z.ZodType>(of: T) => z.array(of).max(5000).default([]);

export const Extension = z.object({ url: Short, valueString: Text.optional() });
const extended = { extension: list(Extension) };

export const Coding = z.object({
  system: Short.optional(),
  code: Short.optional(),
  display: Text.optional(),
});
export const Concept = z.object({ coding: list(Coding), text: Text.optional() });
export type Concept = z.output<typeof Concept>;

export const Identifier = z.object({
  system: Short.optional(),
  value: Short.optional(),
  type: Concept.optional(),
});
export type Identifier = z.output<typeof Identifier>;

export const Reference = z.object({
  reference: Short.optional(),
  display: Text.optional(),
  identifier: Identifier.optional(),
});
export type Reference = z.output<typeof Reference>;

const Period = z.object({ start: DateTime.optional(), end: DateTime.optional() });

export const Quantity = z.object({
  ...extended,
  value: z.number().optional(),
  comparator: z.enum(['<', '<=', '>=', '>']).optional(),
  unit: Short.optional(),
  code: Short.optional(),
});
export type Quantity = z.output<typeof Quantity>;

const Range = z.object({ ...extended, low: Quantity.optional(), high: Quantity.optional() });
const Ratio = z.object({ ...extended, numerator: Quantity.optional(), denominator: Quantity.optional() });
const Note = z.object({ text: Text });

/** The kinds of value that can be told as a laboratory prints it. */
export const value = {
  valueQuantity: Quantity.optional(),
  valueCodeableConcept: Concept.optional(),
  valueString: Text.optional(),
  valueBoolean: z.boolean().optional(),
  valueInteger: z.int().optional(),
  valueRange: Range.optional(),
  valueRatio: Ratio.optional(),
  valueTime: Short.optional(),
  valueDateTime: Short.optional(),
  valuePeriod: z.object({ start: Short.optional(), end: Short.optional() }).optional(),
  valueSampledData: z
    .undefined({ error: 'a series of measurements is not understood; expected one value' })
    .optional(),
  dataAbsentReason: Concept.optional(),
};
export const Valued = z.object(value);
export type Valued = z.output<typeof Valued>;

const judged = {
  interpretation: list(Concept),
  referenceRange: list(
    z.object({
      low: Quantity.optional(),
      high: Quantity.optional(),
      type: Concept.optional(),
      appliesTo: list(Concept),
      age: z.object({ low: Quantity.optional(), high: Quantity.optional() }).optional(),
      text: Text.optional(),
    }),
  ),
};
export type PrintedRange = z.output<typeof judged.referenceRange>[number];

const resource = { id: Short.optional(), contained: list(z.looseObject({ resourceType: z.string() })) };

/** The codes of R4; `unknown` and the entered-in-error are statuses, too. */
// prettier-ignore
const OBSERVATION_STATUSES = ['registered', 'preliminary', 'final', 'amended', 'corrected', 'cancelled', 'entered-in-error', 'unknown'] as const;
// prettier-ignore
const REPORT_STATUSES = ['registered', 'partial', 'preliminary', 'final', 'amended', 'corrected', 'appended', 'cancelled', 'entered-in-error', 'unknown'] as const;

const effective = {
  effectiveDateTime: DateTime.optional(),
  effectivePeriod: Period.optional(),
  effectiveInstant: DateTime.optional(),
  issued: DateTime.optional(),
};

export const Observation = z.object({
  ...resource,
  ...value,
  ...judged,
  ...effective,
  status: z.enum(OBSERVATION_STATUSES),
  code: Concept,
  performer: list(Reference),
  note: list(Note),
  specimen: Reference.optional(),
  hasMember: list(Reference),
  component: list(z.object({ code: Concept, ...value, ...judged })),
});
export type Observation = z.output<typeof Observation>;

export const DiagnosticReport = z.object({
  ...resource,
  ...effective,
  status: z.enum(REPORT_STATUSES),
  code: Concept,
  identifier: list(Identifier),
  basedOn: list(Reference),
  subject: Reference.optional(),
  performer: list(Reference),
  specimen: list(Reference),
  result: list(Reference),
  conclusion: Text.optional(),
});
export type DiagnosticReport = z.output<typeof DiagnosticReport>;

export const Patient = z.object({
  id: Short.optional(),
  identifier: list(Identifier),
  name: list(
    z.object({
      use: Short.optional(),
      family: Short.optional(),
      given: list(Short),
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
  identifier: list(Identifier),
  requisition: Identifier.optional(),
});

export const Specimen = z.object({
  accessionIdentifier: Identifier.optional(),
  identifier: list(Identifier),
  receivedTime: DateTime.optional(),
  collection: z
    .object({ collectedDateTime: DateTime.optional(), collectedPeriod: Period.optional() })
    .optional(),
});

export const Organization = z.object({ identifier: list(Identifier), name: Short.optional() });
export const Account = z.object({ identifier: list(Identifier) });

export const Bundle = z.object({
  resourceType: z.literal('Bundle'),
  id: Short.optional(),
  identifier: Identifier.optional(),
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

/** Parses a part of what was sent, or throws a 422 that names every wrong place in it, from the top. */
export function parsed<S extends z.ZodType>(schema: S, given: unknown, place: Place): z.output<S> {
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

export const fault = (place: Place, message: string): DomainError => invalidField([...place], message);
