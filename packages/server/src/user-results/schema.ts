import { z } from 'zod';
import { PageCursor } from '../platform/http/page.ts';
import { TimestampInput } from '../platform/timestamp-input.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { MARKER_SOURCES_MAX } from './list-markers.ts';

const SOURCES_MAX = 100;

export const UserParams = z.object({ user_id: z.guid() });

export const UserResultsQuery = z.object({
  loinc: z.string().min(1).max(20).nullish().describe('Only values with this LOINC code.'),
  slug: z
    .string()
    .min(1)
    .max(300)
    .nullish()
    .describe('Only values with this slug, for markers without a code.'),
  from: TimestampInput.nullish().describe('Measured at or after this time.'),
  to: TimestampInput.nullish().describe('Measured before this time.'),
  next_cursor: PageCursor,
  limit: z
    .int()
    .min(1)
    .max(SOURCES_MAX)
    .default(50)
    .describe(
      'How many orders and lab reports a page reads. A page can have any number of values, also none.',
    ),
});
export type UserResultsQuery = z.output<typeof UserResultsQuery>;

const SourceFields = {
  source: z
    .enum(['order', 'lab_report'])
    .describe('A laboratory, by an order, or a lab report that was uploaded.'),
  order_id: z.guid().nullable(),
  lab_report_job_id: z.guid().nullable(),
  source_name: z
    .string()
    .nullable()
    .describe('The lab test of the order, or the laboratory on the lab report.'),
  state: z
    .enum(['confirmed', 'preliminary', 'in_review'])
    .describe(
      '`preliminary`: of a partial report. `in_review`: read from a lab report that nobody has reviewed yet.',
    ),
};

const UserResultView = z
  .object({
    ...SourceFields,
    name: z.string(),
    slug: z.string(),
    loinc: z
      .string()
      .nullable()
      .describe('Of a lab report: only a code that is certain or that a reviewer chose.'),
    value: z
      .number()
      .nullable()
      .describe('Null for a result that is no number, also for a bound such as `<5`.'),
    result: z.string().describe('As reported.'),
    unit: z
      .string()
      .nullable()
      .describe('As reported; nothing is converted. Compare only values in one unit.'),
    reference_range: z.string().nullable(),
    min_range_value: z.number().nullable(),
    max_range_value: z.number().nullable(),
    interpretation: z.string(),
    measured_at: Timestamp.describe(
      'Times printed on a lab report have no zone and are taken as UTC; a date alone is its midnight.',
    ),
    measured_at_source: z
      .enum(['observed', 'collected', 'reported', 'uploaded'])
      .describe('What the time is of; `uploaded` if the lab report has no date.'),
  })
  .meta({ id: 'UserResult' });

export const UserResultsView = z
  .object({
    data: z.array(UserResultView).describe('Those of the newest order or lab report first.'),
    next_cursor: z.string().nullable().describe('Null when there are no older orders and lab reports.'),
  })
  .meta({ id: 'UserResultPage' });

const UserMarkerView = z
  .object({
    name: z.string(),
    slug: z.string(),
    loinc: z.string().nullable(),
    unit: z.string().nullable().describe('A marker with values in several units is listed once for each.'),
    count: z.int().describe('How many values there are.'),
    sources: z.array(SourceFields.source),
    newest: UserResultView.describe('The value that was measured last.'),
  })
  .meta({ id: 'UserMarker' });

export const UserMarkersView = z
  .object({
    data: z.array(UserMarkerView).describe('By name.'),
    is_complete: z
      .boolean()
      .describe(
        `False if there are more than ${MARKER_SOURCES_MAX} orders and lab reports; the newest were read.`,
      ),
  })
  .meta({ id: 'UserMarkers' });
