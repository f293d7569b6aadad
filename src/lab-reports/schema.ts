import { z } from 'zod';
import { Interpretation } from '../lab-testing/orders/schema.ts';
import { uploadedFiles } from '../platform/http/multipart.ts';

export const ParsingJobStatus = z
  .enum(['upload_pending', 'started', 'pending_review', 'completed', 'failed'])
  .meta({ id: 'ParsingJobStatus' });

export const ParsingJobFailureReason = z
  .enum(['invalid_input', 'low_quality', 'not_english', 'too_many_pages', 'processing_error'])
  .meta({ id: 'ParsingJobFailureReason' });

/** What the head of a report says. Dates as they were read. */
export const ReportMetadata = z
  .object({
    patient_first_name: z.string().nullable(),
    patient_last_name: z.string().nullable(),
    dob: z.string().nullable(),
    gender: z.enum(['male', 'female', 'other']).describe('`other` where the report does not say.'),
    lab_name: z.string().nullable(),
    date_reported: z.string().nullable(),
    date_collected: z.string().nullable(),
    specimen_number: z.string().nullable(),
  })
  .meta({ id: 'ResultMetadata' });

const LoincMatch = z
  .object({
    loinc_code: z.string(),
    loinc_name: z.string(),
    display_name: z.string(),
    aliases: z.array(z.string()),
    confidence_score: z.number().describe('0 to 1.'),
  })
  .meta({ id: 'LoincMatch' });

export const LabReportResultType = z
  .enum(['numeric', 'range', 'comment', 'boolean', 'duration', 'percentage', 'ratio'])
  .meta({ id: 'LabReportResultType' });

// prettier-ignore
const SAMPLE_TYPES = [
  'urine', 'serum_plasma_blood', 'capillary_blood', 'stool', 'saliva', 'other', 'unknown',
] as const;

/** One line of a report. */
export const LabReportResult = z
  .object({
    test_name: z.string(),
    value: z.string().describe('As it is printed.'),
    type: LabReportResultType.nullable(),
    units: z.string().nullable(),
    min_reference_range: z.number().nullable(),
    max_reference_range: z.number().nullable(),
    is_below_min_range: z.boolean().nullable(),
    is_above_max_range: z.boolean().nullable(),
    interpretation: Interpretation.nullable(),
    sample_type: z.enum(SAMPLE_TYPES),
    measurement_kind: z.enum(['direct', 'calculated', 'ratio', 'unknown']),
    sensitivity: z.enum(['sensitive', 'insensitive', 'unknown']),
    source_panel_name: z.string().nullable(),
    loinc_matches: z.array(LoincMatch).nullable().describe('Best first.'),
    loinc_match_status: z.enum(['auto_match', 'needs_review', 'no_match']).nullable(),
    review_reasons: z
      .array(z.string())
      .describe('Why this line may be wrong; empty where nothing speaks against it.'),
  })
  .meta({ id: 'LabReportResult' });

export const ParsedLabReport = z
  .object({ metadata: ReportMetadata, results: z.array(LabReportResult) })
  .meta({ id: 'ParsedLabReportData' });

export const ParsingJobView = z
  .object({
    id: z.guid(),
    job_id: z.guid().describe('The same as id, which older clients do not know.'),
    status: ParsingJobStatus,
    failure_reason: ParsingJobFailureReason.nullable(),
    data: ParsedLabReport.nullable().describe('What was read, once it was.'),
    needs_human_review: z.boolean(),
    is_reviewed: z.boolean(),
  })
  .meta({ id: 'ParsingJob' });
export type ParsingJobView = z.output<typeof ParsingJobView>;

/** What is handed in; the file itself may come in several parts, a page each. */
export const CreateParsingJob = z
  .object({
    file: uploadedFiles().describe(
      'One PDF, or up to 8 JPEG or PNG images: the pages of one report, in order.',
    ),
    user_id: z.guid(),
    needs_human_review: z.boolean().default(false),
  })
  .meta({ id: 'CreateLabReportParserJobBody' });
