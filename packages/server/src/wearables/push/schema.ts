import { z } from 'zod';
import { SUMMARY_RESOURCES } from '../records/records.ts';
import { PROVIDERS, SOURCE_TYPES } from '../../readings/schema.ts';
import { TIMESERIES_PATHS } from '../ingestion/ingestion.ts';
import { PHONE_ALIASES, phoneFields } from '../phone/phone.ts';

const NameText = z.string().max(200);

/** The source of pushed data. */
export const PushSource = z
  .object({
    provider: z.enum(PROVIDERS).default('manual').describe('The slug of the provider.'),
    type: z.enum(SOURCE_TYPES).default('unknown').describe('The kind of device or app.'),
    app_id: NameText.nullish().describe('The id of the app.'),
    device: z
      .object({
        id: NameText.nullish().describe('The id of the device at the provider.'),
        manufacturer: NameText.nullish().describe('The manufacturer of the device.'),
        model: NameText.nullish().describe('The model of the device.'),
        version: NameText.nullish().describe('The software version of the device.'),
      })
      .meta({ id: 'PushDevice' })
      .nullish()
      .describe('The device that measured.'),
    workout: z
      .object({
        external_id: NameText.min(1).describe('The external_id of the workout summary.'),
        sport: NameText.min(1).describe('The slug of the sport.'),
      })
      .meta({ id: 'PushWorkout' })
      .nullish()
      .describe('The workout during which the samples were measured.'),
  })
  .meta({ id: 'PushSource' });
export type PushSource = z.output<typeof PushSource>;

/** The maximum number of items in one request. */
export const ITEMS_MAX = 10_000;
/** The maximum size of one request, uncompressed. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;

const itemArray = (description: string) => z.array(z.unknown().meta({ type: 'object', description }));
/** The mobile SDKs send bodies and profiles as one object, and an empty list where a history is empty. */
const phoneObject = z.record(z.string(), z.unknown());

const hasItems = ({ stage, data }: { stage?: string | null | undefined; data: unknown }) =>
  stage != null || (Array.isArray(data) && data.length > 0);
const itemsExpected = { path: ['data'], message: 'expected at least one item' };
const source = PushSource.nullish().describe('The source of all items without a source of their own.');

export const PushSamples = z
  .object({
    source,
    ...phoneFields,
    data: itemArray(
      'A sample as in the read response. Required: timestamp, value, and type if the resource has types. Optional: ' +
        'unit, which must be that of the resource; end, for interval samples; source, to override the source of ' +
        'the request.',
    ).describe('The samples to store.'),
  })
  .refine(hasItems, itemsExpected)
  .meta({ id: 'PushTimeseries' });

export const PushSummaries = z
  .object({
    source,
    ...phoneFields,
    data: z
      .union([
        itemArray(
          'A summary as in the read response; nullable fields may be left out. external_id identifies the summary when ' +
            'it is pushed again; the default is its day or its start. source overrides the source of the request, and ' +
            'raw is the original payload. A workout may have a stream: an object of columns of equal length as in the ' +
            'read response, with time required and at most 200000 points; without one, an existing stream is kept.',
        ),
        phoneObject,
      ])
      .describe('The summaries to store.'),
  })
  .refine(hasItems, itemsExpected)
  .meta({ id: 'PushSummaries' });

/** The items of a team. */
export interface PushItems {
  readonly source?: PushSource | null | undefined;
  readonly data: readonly unknown[];
}

export const SamplesParams = z.object({
  user_id: z.guid(),
  timeseries_resource: z.enum([...TIMESERIES_PATHS, ...PHONE_ALIASES]),
});
export const SummariesParams = z.object({
  summary_resource: z.enum(SUMMARY_RESOURCES),
  user_id: z.guid(),
});

/** The result of a push. */
export const PushResult = z
  .object({
    received: z.int().describe('The number of items in the request.'),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int().describe('Items that were already known, or repeated in the same request.'),
    streams: z
      .object({ created: z.int(), updated: z.int(), unchanged: z.int() })
      .meta({ id: 'PushedStreams' })
      .optional()
      .describe(
        'Counts of workout streams, which are not part of the other counts; absent if there were none.',
      ),
    refused: z
      .array(
        z
          .object({
            index: z.int().describe('The zero-based index of the item.'),
            loc: z.array(z.union([z.string(), z.int()])),
            msg: z.string(),
            type: z.string(),
          })
          .meta({ id: 'PushRefusal' }),
      )
      .describe('The faults of rejected items; the first 1000.'),
    refused_count: z.int().describe('The total number of faults.'),
  })
  .meta({ id: 'Pushed' });
export type PushResult = z.output<typeof PushResult>;
export type PushRefusal = PushResult['refused'][number];
