import { z } from 'zod';
import { Interpretation } from '../ordering/orders/schema.ts';
import { uploadedFiles } from '../platform/http/multipart.ts';
import { PageCursor } from '../platform/http/page.ts';
import { Timestamp } from '../platform/timestamp.ts';

export const ParsingJobStatus = z
  .enum(['upload_pending', 'started', 'pending_review', 'completed', 'failed'])
  .meta({ id: 'ParsingJobStatus' });

export const ParsingJobFailureReason = z
  .enum(['invalid_input', 'low_quality', 'not_english', 'too_many_pages', 'processing_error'])
  .meta({ id: 'ParsingJobFailureReason' });

/** The header of a report. Dates are as printed. */
export const ReportMetadata = z
  .object({
    patient_first_name: z.string().nullable().describe('First name of the patient.'),
    patient_last_name: z.string().nullable().describe('Last name of the patient.'),
    dob: z.string().nullable().describe('Date of birth of the patient.'),
    gender: z.enum(['male', 'female', 'other']).describe('`other` if the report does not state it.'),
    lab_name: z.string().nullable().describe('Name of the laboratory.'),
    date_reported: z.string().nullable().describe('When the laboratory issued the report.'),
    date_collected: z.string().nullable().describe('When the specimen was collected.'),
    specimen_number: z.string().nullable().describe('Specimen or accession number.'),
  })
  .meta({ id: 'ResultMetadata' });

const LoincMatch = z
  .object({
    loinc_code: z.string().describe('The LOINC code, such as 2345-7.'),
    loinc_name: z.string().describe('The LOINC long common name.'),
    display_name: z.string().describe('The name to show to users.'),
    aliases: z.array(z.string()).describe('Other names of the test.'),
    confidence_score: z.number().describe('Confidence of the match, 0 to 1.'),
  })
  .meta({ id: 'LoincMatch' });

const LabReportResultType = z
  .enum(['numeric', 'range', 'comment', 'boolean', 'duration', 'percentage', 'ratio'])
  .meta({ id: 'LabReportResultType' });

// prettier-ignore
const SAMPLE_TYPES = [
  'urine', 'serum_plasma_blood', 'capillary_blood', 'stool', 'saliva', 'other', 'unknown',
] as const;

/** One result line of a report. */
export const LabReportResult = z
  .object({
    test_name: z.string().describe('The name of the test as printed.'),
    value: z.string().describe('The value as printed.'),
    type: LabReportResultType.nullable().describe('What kind of value it is.'),
    units: z.string().nullable().describe('The unit as printed.'),
    min_reference_range: z.number().nullable().describe('Lower bound of the reference range, in `units`.'),
    max_reference_range: z.number().nullable().describe('Upper bound of the reference range, in `units`.'),
    is_below_min_range: z.boolean().nullable().describe('null if the value cannot be compared.'),
    is_above_max_range: z.boolean().nullable().describe('null if the value cannot be compared.'),
    interpretation: Interpretation.nullable().describe('What the value means, by its range or flag.'),
    sample_type: z.enum(SAMPLE_TYPES).describe('The kind of specimen that was tested.'),
    measurement_kind: z
      .enum(['direct', 'calculated', 'ratio', 'unknown'])
      .describe('Whether the value was measured or calculated from others.'),
    sensitivity: z
      .enum(['sensitive', 'insensitive', 'unknown'])
      .describe('Antibiotic susceptibility, for susceptibility tests.'),
    source_panel_name: z.string().nullable().describe('Heading of the panel that contains the line.'),
    loinc_matches: z.array(LoincMatch).nullable().describe('Candidate LOINC codes, best first.'),
    loinc_match_status: z
      .enum(['auto_match', 'needs_review', 'no_match'])
      .nullable()
      .describe('`auto_match`: confidence of at least 0.9. `needs_review`: a person should choose the code.'),
    review_reasons: z.array(z.string()).describe('Why this line may be wrong; empty if nothing is in doubt.'),
  })
  .meta({ id: 'LabReportResult' });

export const ParsedLabReport = z
  .object({ metadata: ReportMetadata, results: z.array(LabReportResult) })
  .meta({ id: 'ParsedLabReportData' });

export const ParsingJobView = z
  .object({
    id: z.guid(),
    job_id: z.guid().describe('The same as `id`, for older clients.'),
    status: ParsingJobStatus,
    failure_reason: ParsingJobFailureReason.nullable(),
    data: ParsedLabReport.nullable().describe('The parsed report; null until it is read.'),
    needs_human_review: z.boolean(),
    is_reviewed: z.boolean(),
  })
  .meta({ id: 'ParsingJob' });
export type ParsingJobView = z.output<typeof ParsingJobView>;

/** An upload. The field `file` may be repeated, one image per page. */
export const CreateParsingJobBody = z
  .object({
    file: uploadedFiles().describe(
      'One PDF, or up to 8 JPEG or PNG images as the pages of one report, in order.',
    ),
    user_id: z.guid().describe('The user whose report it is.'),
    needs_human_review: z
      .boolean()
      .default(false)
      .describe('Whether a person must review the job before it completes; false by default.'),
  })
  .meta({ id: 'CreateLabReportParserJobBody' });

const IN_REVIEW_MAX = 100;
export const InReviewQuery = z.object({
  limit: z.int().min(1).max(IN_REVIEW_MAX).default(50),
  next_cursor: z.string().max(500).nullish(),
});
export type InReviewQuery = z.output<typeof InReviewQuery>;

export const UserReportsParams = z.object({ user_id: z.guid() });
export const UserReportsQuery = z.object({
  limit: z.int().min(1).max(IN_REVIEW_MAX).default(50),
  next_cursor: PageCursor,
});

const UserReport = z
  .object({
    id: z.guid(),
    status: ParsingJobStatus,
    failure_reason: ParsingJobFailureReason.nullable(),
    pages: z.int(),
    needs_human_review: z.boolean().describe('The upload asked for a review.'),
    is_reviewed: z.boolean(),
    created_at: Timestamp.describe('When it was uploaded.'),
    updated_at: Timestamp,
  })
  .meta({ id: 'UserLabReport' });

export const UserReportsList = z.object({
  data: z.array(UserReport).describe('Newest first, without what was read.'),
  next_cursor: z.string().nullable(),
});

/** A job in a list, without what was read: that may be long, and is of the patient. */
const InReviewJob = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    client_user_id: z.string(),
    pages: z.int(),
    needs_human_review: z.boolean().describe('The upload asked for a review; otherwise a line is in doubt.'),
    created_at: Timestamp.describe('When it was uploaded.'),
    updated_at: Timestamp.describe('Since when it waits for a review.'),
  })
  .meta({ id: 'ParsingJobInReview' });

export const InReviewList = z
  .object({
    data: z.array(InReviewJob),
    next_cursor: z.string().nullable().describe('Pass it to get the next page; null on the last page.'),
  })
  .meta({ id: 'ParsingJobsInReview' });
