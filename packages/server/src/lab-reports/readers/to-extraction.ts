import type { z } from 'zod';
import type { ParsedMetadata, ReadLine, ReportReading } from 'aliquot-report-reader';
import type { ExtractedReportLine, ReportExtraction } from '../extraction.ts';
import type { LabReportResult } from '../schema.ts';

type LineResult = z.output<typeof LabReportResult>;

const SAMPLES = ['urine', 'serum_plasma_blood', 'capillary_blood', 'stool', 'saliva', 'other'] as const;

/** Converts what the report reader read to the form in which it is stored and returned by the API. */
export const toExtraction = ({ metadata, lines, pages }: ReportReading): ReportExtraction => ({
  metadata: toMetadata(metadata),
  lines: lines.map(toExtractedLine),
  pages: [...pages],
});

const toMetadata = (metadata: ParsedMetadata): ReportExtraction['metadata'] => ({
  patient_first_name: metadata.patientFirstName,
  patient_last_name: metadata.patientLastName,
  dob: metadata.dob,
  gender: metadata.gender,
  lab_name: metadata.labName,
  date_reported: metadata.dateReported,
  date_collected: metadata.dateCollected,
  specimen_number: metadata.specimenNumber,
});

const toExtractedLine = (line: ReadLine): ExtractedReportLine => ({
  result: toLineResult(line),
  place: { page: line.page, boxes: line.boxes },
  openBounds: [...(line.openBounds ?? [])],
});

const toLineResult = (line: ReadLine): LineResult => ({
  test_name: line.testName,
  value: line.printedValue,
  type: line.type,
  units: line.unit,
  min_reference_range: line.min,
  max_reference_range: line.max,
  is_below_min_range: line.isBelowMin,
  is_above_max_range: line.isAboveMax,
  interpretation: line.interpretation,
  sample_type: SAMPLES.find((sample) => sample === line.specimen) ?? 'unknown',
  measurement_kind: line.measurementKind,
  sensitivity: line.sensitivity,
  source_panel_name: line.panel,
  loinc_matches: line.loinc?.matches ?? [],
  loinc_match_status: line.loinc?.status ?? 'no_match',
  review_reasons: [...line.reviewReasons],
});
