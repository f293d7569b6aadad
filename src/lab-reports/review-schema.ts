import { z } from 'zod';
import { Box, LineBoxes } from './extraction.ts';
import { LabReportResult, ReportMetadata } from './schema.ts';

const CORRECTIONS_MAX = 2000;

/** What a reviewer says of a line: any of its fields. */
export const LineFields = LabReportResult.omit({ review_reasons: true })
  .extend({ test_name: z.string().trim().min(1).max(500), value: z.string().trim().max(2000) })
  .partial()
  .meta({ id: 'LabReportLineFields' });

const Line = z.int().min(0).describe('Which of data.results, from 0, as they were before this review.');

/** One correction: of a line that is there, of one that is not on the page, or of one that was overlooked. */
export const Correction = z
  .union([
    z.object({ line: Line, set: LineFields }).refine(({ set }) => Object.keys(set).length > 0, {
      path: ['set'],
      error: 'expected a field of a line',
    }),
    z.object({ line: Line, remove: z.literal(true) }),
    z.object({ add: LineFields.required({ test_name: true, value: true }) }),
  ])
  .meta({ id: 'LabReportCorrection' });

/**
 * A review confirms whatever it does not correct, so what nobody knows is refused here (by `reviewJob`, once it is known
 * whose job it is), and not left unread as elsewhere: it may be a correction under another name.
 */
export const ReviewParsingJob = z
  .looseObject({
    corrections: z
      .array(Correction)
      .max(CORRECTIONS_MAX)
      .default([])
      .describe('What is not corrected is confirmed. A field that is not known is refused.'),
    metadata: ReportMetadata.partial().strict().default({}),
    reviewer: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('Who looked, as your records say.'),
  })
  .meta({ id: 'ReviewLabReportBody' });
export type ReviewParsingJob = z.output<typeof ReviewParsingJob>;

export const Change = z
  .object({
    where: z.string().describe('As metadata.dob or results.3.value; a whole line as results.3.'),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'LabReportChange' });
export type Change = z.output<typeof Change>;

export const ReviewView = z
  .object({
    job_id: z.guid(),
    reviewed_at: z.iso.datetime({ offset: true }),
    key_id: z.guid().describe('The key that the review was sent with.'),
    reviewer: z.string().nullable(),
    changes: z.array(Change),
  })
  .meta({ id: 'LabReportReview' });

export const PageView = z
  .object({
    job_id: z.guid(),
    page: z.int(),
    pages: z.int(),
    width: z.number().nullable().describe('In the unit of the boxes; null until the page was read.'),
    height: z.number().nullable(),
    lines: z.array(z.object({ line: z.int().describe('Which of data.results, from 0.'), boxes: LineBoxes })),
  })
  .meta({ id: 'LabReportPage' });

export { Box };
