import { z } from 'zod';
import { Source, TimeZoneOffset } from '../source.ts';
import { Timestamp } from '../../platform/timestamp.ts';

/** The default field of a sample. */
export const valueField = { value: z.number() };

const commonFields = {
  id: z.int().nullish().meta({ deprecated: true }),
  timezone_offset: TimeZoneOffset,
  type: z.string().nullable(),
  timestamp: Timestamp,
};

/**
 * An instantaneous measurement. `name` is the schema id, such as `GlucoseTimeseries`. `fields` are added to the common
 * fields or replace them. Every resource has one unit; importers convert.
 */
export function instant<F extends z.ZodRawShape = typeof valueField>(name: string, unit: string, fields?: F) {
  const sample = z.object({ ...commonFields, unit: z.literal(unit) }).extend(orValue(fields));
  return createTimeseries(name, sample);
}

/** A measurement over an interval. The timestamp is its start. */
export function interval<F extends z.ZodRawShape = typeof valueField>(
  name: string,
  unit: string,
  fields?: F,
) {
  const duration = { start: Timestamp, end: Timestamp };
  const sample = z.object({ ...commonFields, unit: z.literal(unit), ...duration }).extend(orValue(fields));
  return createTimeseries(name, sample);
}

// Without `fields`, F is its default; the compiler does not narrow this.
const orValue = <F extends z.ZodRawShape>(fields: F | undefined): F => fields ?? (valueField as unknown as F);

/** Samples are grouped by source, both in events and in pages. */
function createTimeseries<S extends z.ZodObject>(name: string, shape: S) {
  const sample = shape.meta({ id: `ClientFacing${name}` });
  const resource = name.replace(/(Timeseries|Sample)$/, '');
  const group = z.object({ source: Source, data: z.array(sample) });
  const told = group.extend({
    user_id: z.guid(),
    source_id: z.int().describe('A stable number of the source.'),
  });
  return {
    sample,
    group: group.meta({ id: `Grouped${resource}` }),
    /** The event payload, which in addition names the user. */
    told: told.meta({ id: `Told${resource}` }),
  };
}
