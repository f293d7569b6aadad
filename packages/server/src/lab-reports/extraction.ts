import { z } from 'zod';
import { LabReportResult, ReportMetadata, type ParsedLabReport } from './schema.ts';

/** A rectangle on a page, from the top left corner of the page, in the unit of its width and height. */
const LabReportBox = z
  .object({ x0: z.number(), y0: z.number(), x1: z.number(), y1: z.number() })
  .meta({ id: 'LabReportBox' });

/** The boxes of the parts of a line. A part that is not printed has no box. */
export const LabReportLineBoxes = z
  .object({
    name: LabReportBox.optional(),
    value: LabReportBox.optional(),
    unit: LabReportBox.optional(),
    range: LabReportBox.optional(),
    flag: LabReportBox.optional(),
  })
  .meta({ id: 'LabReportLineBoxes' });

const OpenBound = z.enum(['min', 'max']);

/** One extracted line. `place` is null for a line that a reviewer added. */
export const ExtractedReportLine = z.object({
  result: LabReportResult,
  place: z.object({ page: z.int(), boxes: LabReportLineBoxes }).nullable(),
  /** The exclusive bounds of the reference range, such as 200 in "< 200". Absent in old extractions. */
  openBounds: z.array(OpenBound).optional(),
});
export type OpenBound = z.output<typeof OpenBound>;

/** Everything extracted from a report, as it is stored. */
export const ReportExtraction = z.object({
  metadata: ReportMetadata,
  lines: z.array(ExtractedReportLine),
  /** The size of every page, in the unit of the boxes. */
  pages: z.array(z.object({ width: z.number(), height: z.number() })),
});
export type ReportExtraction = z.output<typeof ReportExtraction>;
export type ExtractedReportLine = z.output<typeof ExtractedReportLine>;

/** The part of an extraction that the API returns. */
export const toReportView = ({ metadata, lines }: ReportExtraction): z.output<typeof ParsedLabReport> => ({
  metadata,
  results: lines.map(({ result }) => result),
});

/** Whether a person should review the extraction. */
export const hasReviewReasons = ({ lines }: ReportExtraction): boolean =>
  lines.some(({ result }) => result.review_reasons.length > 0);
