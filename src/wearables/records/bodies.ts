import { z } from 'zod';
import type { SummedResource } from '../readings.ts';
import { flatSource, ofUser } from '../source.ts';
import { SUMMARIES } from '../summaries/summaries.ts';
import { lenientFields } from './lenient.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Fields of a summary that follow from its row: who brings it does not say them. */
// prettier-ignore
const OF_THE_ROW = new Set([
  ...Object.keys(ofUser), ...Object.keys(flatSource),
  'date', 'calendar_date', 'source_id', 'priority_id', 'source_device_model', 'sleep_stream',
]);

type Fields = Record<string, z.ZodType>;

const listsMayBeLeftOut = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field instanceof z.ZodArray ? field.default([]) : field,
    ]),
  );

/** What a resource wants read in its own way. */
const OWN: { readonly [R in SummedResource]?: (fields: Fields) => Fields } = {
  sleep: ({ type, ...fields }) => ({ ...fields, ...(type && { type: type.default('unknown') }) }),
  sleep_cycle: (fields) => ({ ...fields, sleep_id: z.guid().optional() }),
  workouts: (fields) => ({
    ...fields,
    provider_id: z.string().optional(),
    sport: z.object({ id: z.int().default(0), name: z.string(), slug: z.string() }),
  }),
  meal: ({ data, ...fields }) => ({
    ...fields,
    provider_id: z.string().optional(),
    ...(data && { data: data.default({}) }),
  }),
  menstrual_cycle: (fields) => ({ ...listsMayBeLeftOut(fields), is_predicted: z.boolean().default(false) }),
};

export const SUMMED_RESOURCES = Object.keys(SUMMARIES).filter(
  (name): name is SummedResource => name !== 'workout_stream',
);

const schemas = new Map(SUMMED_RESOURCES.map((resource) => [resource as string, bodyOf(resource)]));

function bodyOf(resource: SummedResource): z.ZodType<Body> {
  const shape: z.ZodRawShape = SUMMARIES[resource].view.shape;
  const given = Object.fromEntries(Object.entries(shape).filter(([name]) => !OF_THE_ROW.has(name)));
  const fields = lenientFields(given);
  return z.object(OWN[resource]?.(fields) ?? fields);
}

/** How the body of a resource is read; undefined for what is no resource. Unknown fields are left behind. */
export const bodySchema = (resource: string): z.ZodType<Body> | undefined => schemas.get(resource);
