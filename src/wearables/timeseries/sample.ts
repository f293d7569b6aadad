import { z } from 'zod';
import { Moment, Source, TimeZoneOffset } from '../source.ts';

/** What a sample says if its row says nothing else: one number. */
export const measured = { value: z.number() };

const common = {
  id: z.int().nullish().meta({ deprecated: true }),
  timezone_offset: TimeZoneOffset,
  type: z.string().nullable(),
  timestamp: Moment,
};

/**
 * A measurement at a moment. `name` is that of its schema, as `GlucoseTimeseries`; `fields` are those beside the
 * common ones or in place of them. Every resource has one unit: who brings another converts.
 */
export function atMoment<F extends z.ZodRawShape = typeof measured>(name: string, unit: string, fields?: F) {
  const sample = z.object({ ...common, unit: z.literal(unit) }).extend(orMeasured(fields));
  return timeseries(name, sample);
}

/** A measurement over a time, of which the timestamp is the start. */
export function overTime<F extends z.ZodRawShape = typeof measured>(name: string, unit: string, fields?: F) {
  const duration = { start: Moment, end: Moment };
  const sample = z.object({ ...common, unit: z.literal(unit), ...duration }).extend(orMeasured(fields));
  return timeseries(name, sample);
}

// Without fields F is what it is by default; the compiler does not follow a default into the body.
const orMeasured = <F extends z.ZodRawShape>(fields: F | undefined): F =>
  fields ?? (measured as unknown as F);

/** Samples go out by their source: many of one resource and one source in one event, or in one group of a page. */
function timeseries<S extends z.ZodObject>(name: string, shape: S) {
  const sample = shape.meta({ id: `ClientFacing${name}` });
  const resource = name.replace(/(Timeseries|Sample)$/, '');
  const group = z.object({ source: Source, data: z.array(sample) });
  const told = group.extend({
    user_id: z.guid(),
    source_id: z.int().describe('The same number for the same source of the same user.'),
  });
  return {
    sample,
    group: group.meta({ id: `Grouped${resource}` }),
    /** In an event, which is read without the address of a page: it says whose they are. */
    told: told.meta({ id: `Told${resource}` }),
  };
}
