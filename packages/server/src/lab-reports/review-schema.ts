import { z } from 'zod';
import { LabReportLineBoxes } from './extraction.ts';
import { LabReportResult, ReportMetadata } from './schema.ts';
import { Timestamp } from '../platform/timestamp.ts';

const CORRECTIONS_MAX = 2000;

/** The fields of a line that a reviewer can set. */
const ReviewLineFields = LabReportResult.omit({ review_reasons: true })
  .extend({
    test_name: z.string().trim().min(1).max(500).describe('The name of the test as printed.'),
    value: z.string().trim().max(2000).describe('The value as printed.'),
  })
  .partial()
  .meta({ id: 'LabReportLineFields' });

const ReviewLineIndex = z.int().min(0).describe('Index in data.results before this review, from 0.');

/** One correction: changes a line, removes a line that is not on the page, or adds a line that was missed. */
const ReviewCorrection = z
  .union([
    z
      .object({ line: ReviewLineIndex, set: ReviewLineFields.describe('The fields to change; others stay.') })
      .refine(({ set }) => Object.keys(set).length > 0, {
        path: ['set'],
        error: 'empty: set at least one field of the line',
      }),
    z.object({ line: ReviewLineIndex, remove: z.literal(true).describe('Removes the line.') }),
    z.object({
      add: ReviewLineFields.required({ test_name: true, value: true }).describe('The line to add.'),
    }),
  ])
  .meta({ id: 'LabReportCorrection' });

/**
 * A review confirms everything that it does not correct. Unknown fields are therefore rejected, not ignored as
 * elsewhere: one may be a misspelled correction. `reviewJob` rejects them, after it has found the job.
 */
export const ReviewParsingJobBody = z
  .looseObject({
    corrections: z
      .array(ReviewCorrection)
      .max(CORRECTIONS_MAX)
      .default([])
      .describe('Lines without a correction are confirmed. Unknown fields are rejected with 422.'),
    metadata: ReportMetadata.partial()
      .strict()
      .default({})
      .describe('Corrected metadata of the report; omitted fields keep their values.'),
    reviewer: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('Your own reference for the reviewer, such as a name or an id; null by default.'),
  })
  .meta({ id: 'ReviewLabReportBody' });
export type ReviewParsingJobBody = z.output<typeof ReviewParsingJobBody>;

export const ReviewChange = z
  .object({
    where: z
      .string()
      .describe('The changed field, such as metadata.dob or results.3.value; results.3 is a whole line.'),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'LabReportChange' });
export type ReviewChange = z.output<typeof ReviewChange>;

export const LabReportReviewView = z
  .object({
    job_id: z.guid(),
    reviewed_at: Timestamp,
    key_id: z.guid().describe('The API key that submitted the review.'),
    reviewer: z.string().nullable(),
    changes: z.array(ReviewChange),
  })
  .meta({ id: 'LabReportReview' });

export const LabReportPageView = z
  .object({
    job_id: z.guid(),
    page: z.int(),
    pages: z.int(),
    width: z.number().nullable().describe('In the unit of the boxes; null until the page is read.'),
    height: z.number().nullable(),
    lines: z.array(
      z.object({ line: z.int().describe('Index in data.results, from 0.'), boxes: LabReportLineBoxes }),
    ),
  })
  .meta({ id: 'LabReportPage' });
