import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import { UNFIT_TEXT } from '../../platform/unfit-text.ts';

/**
 * The shape of an answer as it is read when it comes in: what may be null may be left out, lists of words are closed, and
 * moments are in UTC afterwards, so that the same moment is the same text whoever wrote it.
 */
export function lenient(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) return lenient(part(schema.unwrap())).nullable().default(null);
  if (schema instanceof z.ZodObject) return z.object(lenientFields(schema.shape));
  if (schema instanceof z.ZodArray) return z.array(lenient(part(schema.element)));
  if (schema instanceof z.ZodRecord)
    return z.record(z.string().max(200), lenient(part(schema.valueType))).transform(byName);
  if (schema instanceof z.ZodISODateTime) return schema.pipe(InUtc);
  return schema instanceof z.ZodString ? words(schema) : schema;
}

/** Maps have no order, and some languages write them in another one each time: the same again is the same text. */
const byName = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** One of the list, where the documents have a list: a new word is for them to bring first. */
function words(schema: z.ZodString): z.ZodType {
  const listed = wordsOf(schema);
  if (listed) return z.enum(listed);
  return schema.refine((text) => !UNFIT_TEXT.test(text), 'expected a text without NUL or half characters');
}

/** The words of an open list. */
export function wordsOf(schema: z.ZodType): string[] | undefined {
  const listed = schema.meta()?.['enum'];
  return Array.isArray(listed) ? listed.map(String) : undefined;
}

export const lenientFields = (shape: z.ZodRawShape): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, lenient(part(field))]));

const InUtc = z.string().transform((text, context) => {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return isoMoment(moment);
  context.addIssue({ code: 'custom', message: 'expected a moment that there is' });
  return z.NEVER;
});

/** A part of a schema is a schema; its type says less. */
export const part = (schema: z.core.$ZodType | undefined): z.ZodType => {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('Not a schema');
};
