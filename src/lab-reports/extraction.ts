import { z } from 'zod';
import { LabReportResult, ReportMetadata, type ParsedLabReport } from './schema.ts';

/** A rectangle on a page: from its top left corner, in the unit that width and height of the page are in. */
export const Box = z
  .object({ x0: z.number(), y0: z.number(), x1: z.number(), y1: z.number() })
  .meta({ id: 'LabReportBox' });

/** Where the parts of a line stand; what is not printed has none. */
export const LineBoxes = z
  .object({
    name: Box.optional(),
    value: Box.optional(),
    unit: Box.optional(),
    range: Box.optional(),
    flag: Box.optional(),
  })
  .meta({ id: 'LabReportLineBoxes' });

const OpenBound = z.enum(['min', 'max']);

/** One line as it was read. A line that a reviewer adds has no place. */
export const ExtractedLine = z.object({
  result: LabReportResult,
  place: z.object({ page: z.int(), boxes: LineBoxes }).nullable(),
  /** The bounds of its range that lie outside, as 200 of "< 200"; what was read long ago does not say. */
  openBounds: z.array(OpenBound).optional(),
});
export type OpenBound = z.output<typeof OpenBound>;

/** Everything that was read of a report, as it is stored. */
export const Extraction = z.object({
  metadata: ReportMetadata,
  lines: z.array(ExtractedLine),
  /** The size of every page, in the unit of the boxes. */
  pages: z.array(z.object({ width: z.number(), height: z.number() })),
});
export type Extraction = z.output<typeof Extraction>;
export type ExtractedLine = z.output<typeof ExtractedLine>;

/** What callers see of it. */
export const reportOf = ({ metadata, lines }: Extraction): z.output<typeof ParsedLabReport> => ({
  metadata,
  results: lines.map(({ result }) => result),
});

/** Whether a person should look at it. */
export const isDoubtful = ({ lines }: Extraction): boolean =>
  lines.some(({ result }) => result.review_reasons.length > 0);
