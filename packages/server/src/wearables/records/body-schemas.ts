import { z } from 'zod';
import { type SummaryResource, SUMMARIES } from '../../readings/readings.ts';
import { flatSourceFields, commonSummaryFields } from '../../readings/schema.ts';
import { toLenientFields } from './lenient.ts';

export type SummaryBody = Readonly<Record<string, unknown>>;

/** Fields of a summary that are derived from its row, and are not part of the ingested body. */
// prettier-ignore
const ROW_FIELDS = new Set([
  ...Object.keys(commonSummaryFields), ...Object.keys(flatSourceFields),
  'date', 'calendar_date', 'source_id', 'priority_id', 'source_device_model', 'sleep_stream', 'replaces',
]);

type BodyFields = Record<string, z.ZodType>;

const withOptionalLists = (fields: BodyFields): BodyFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field instanceof z.ZodArray ? field.default([]) : field,
    ]),
  );

/** Resource-specific adjustments. */
const OVERRIDES: { readonly [R in SummaryResource]?: (fields: BodyFields) => BodyFields } = {
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
  menstrual_cycle: (fields) => ({ ...withOptionalLists(fields), is_predicted: z.boolean().default(false) }),
};

export const SUMMARY_RESOURCES = Object.keys(SUMMARIES).filter(
  (name): name is SummaryResource => name !== 'workout_stream',
);

const bodySchemas = new Map(
  SUMMARY_RESOURCES.map((resource) => [resource as string, createBodySchema(resource)]),
);

function createBodySchema(resource: SummaryResource): z.ZodType<SummaryBody> {
  const shape: z.ZodRawShape = SUMMARIES[resource].view.shape;
  const given = Object.fromEntries(Object.entries(shape).filter(([name]) => !ROW_FIELDS.has(name)));
  const fields = toLenientFields(given);
  return z.object(OVERRIDES[resource]?.(fields) ?? fields);
}

/** The schema of a resource's body; undefined for an unknown resource. It drops unknown fields. */
export const findBodySchema = (resource: string): z.ZodType<SummaryBody> | undefined =>
  bodySchemas.get(resource);
