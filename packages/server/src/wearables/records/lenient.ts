import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { UNSTORABLE_TEXT } from '../../platform/unstorable-text.ts';

/**
 * Converts a response schema to an ingestion schema: nullable fields are optional, open enums are closed, and
 * timestamps are normalized to UTC, so that equal timestamps are equal strings.
 */
export function toLenientSchema(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable)
    return toLenientSchema(asSchema(schema.unwrap())).nullable().default(null);
  if (schema instanceof z.ZodObject) return z.object(toLenientFields(schema.shape));
  if (schema instanceof z.ZodArray) return z.array(toLenientSchema(asSchema(schema.element)));
  if (schema instanceof z.ZodRecord)
    return z.record(z.string().max(200), toLenientSchema(asSchema(schema.valueType))).transform(sortKeys);
  if (schema instanceof z.ZodISODateTime) return schema.pipe(UtcTimestamp);
  return schema instanceof z.ZodString ? toWordSchema(schema) : schema;
}

/** Sorts the keys of maps: some languages serialize them in random order, and equal data must have equal digests. */
const sortKeys = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Closes an open enum: a new value has to be added to the contract first. */
function toWordSchema(schema: z.ZodString): z.ZodType {
  const listed = getEnumValues(schema);
  if (listed) return z.enum(listed);
  return schema.refine(
    (text) => !UNSTORABLE_TEXT.test(text),
    'expected a string without NUL and unpaired surrogates',
  );
}

/** The values of an open enum; undefined for other schemas. */
export function getEnumValues(schema: z.ZodType): string[] | undefined {
  const listed = schema.meta()?.['enum'];
  return Array.isArray(listed) ? listed.map(String) : undefined;
}

export const toLenientFields = (shape: z.ZodRawShape): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, toLenientSchema(asSchema(field))]));

const UtcTimestamp = z.string().transform((text, context) => {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return isoTimestamp(moment);
  context.addIssue({ code: 'custom', message: 'expected a valid timestamp' });
  return z.NEVER;
});

/** Narrows zod's internal schema type, which its accessors return. */
export const asSchema = (schema: z.core.$ZodType | undefined): z.ZodType => {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('Not a schema');
};
