import { z } from 'zod';
import { SUMMED_RESOURCES } from '../records/records.ts';
import { PROVIDERS, SOURCE_TYPES } from '../source.ts';
import { SAMPLED_PATHS } from '../taking-in/taking-in.ts';

const Name = z.string().max(200);

/** Where pushed data come from. */
export const PushSource = z
  .object({
    provider: z.enum(PROVIDERS).default('manual').describe('The slug of the provider.'),
    type: z.enum(SOURCE_TYPES).default('unknown').describe('The kind of device or app.'),
    app_id: Name.nullish(),
    device: z
      .object({
        id: Name.nullish().describe('As the provider calls it.'),
        manufacturer: Name.nullish(),
        model: Name.nullish(),
        version: Name.nullish(),
      })
      .meta({ id: 'PushDevice' })
      .nullish(),
    workout: z
      .object({ external_id: Name.min(1), sport: Name.min(1).describe('Its slug.') })
      .meta({ id: 'PushWorkout' })
      .nullish()
      .describe('The workout in which samples were taken, by the external_id of its summary.'),
  })
  .meta({ id: 'PushSource' });
export type PushSource = z.output<typeof PushSource>;

/** The most items of one request. */
export const ITEMS_MAX = 10_000;
/** The most bytes of one request, unpacked. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;

const item = (description: string) => z.array(z.unknown().meta({ type: 'object', description })).min(1);
const source = PushSource.nullish().describe('Where the items come from that do not say it themselves.');

export const PushSamples = z
  .object({
    source,
    data: item(
      'A sample as it is read, of which timestamp and value are needed, and a type where the resource has ' +
        'types. A unit, where there is one, must be that of the resource; end is that of a time; source is that of ' +
        'this sample.',
    ),
  })
  .meta({ id: 'PushTimeseries' });

export const PushSummaries = z
  .object({
    source,
    data: item(
      'A summary as it is read; what may be null may be left out. external_id is the app’s own name of it, which ' +
        'makes it the same one when it comes again; without one it is its day or its beginning. source is that of ' +
        'this summary, raw what it was made of. A workout may have a stream: an object of columns of one length as ' +
        'they are read, of which time is needed, at most 200000 points; without one the stream that it has stays.',
    ),
  })
  .meta({ id: 'PushSummaries' });

export type PushSamples = z.output<typeof PushSamples>;
export type PushSummaries = z.output<typeof PushSummaries>;

export const SamplesParams = z.object({ user_id: z.guid(), timeseries_resource: z.enum(SAMPLED_PATHS) });
export const SummariesParams = z.object({
  summary_resource: z.enum(SUMMED_RESOURCES),
  user_id: z.guid(),
});

/** What became of what was pushed. */
export const Pushed = z
  .object({
    received: z.int().describe('Items of the request.'),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int().describe('Items that said what was known, or that came again in the same request.'),
    streams: z
      .object({ created: z.int(), updated: z.int(), unchanged: z.int() })
      .meta({ id: 'PushedStreams' })
      .optional()
      .describe(
        'Of the streams that workouts brought, which are counted apart; absent where there were none.',
      ),
    refused: z
      .array(
        z
          .object({
            index: z.int().describe('The place of the item, from 0.'),
            loc: z.array(z.union([z.string(), z.int()])),
            msg: z.string(),
            type: z.string(),
          })
          .meta({ id: 'PushRefusal' }),
      )
      .describe('The first 1000 faults of items that were not kept.'),
    refused_count: z.int().describe('All faults.'),
  })
  .meta({ id: 'Pushed' });
export type Pushed = z.output<typeof Pushed>;
export type PushRefusal = Pushed['refused'][number];
