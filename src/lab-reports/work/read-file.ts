import { packageRoot } from '../../platform/config.ts';
import { openLoincIndex, type LoincCoding, type LoincIndex } from '../coding/coding.ts';
import { mergeExtractorLines, needsSecondReading, wordsInOrder } from '../extractor/merge-lines.ts';
import { InvalidImageError } from '../ocr/ocr.ts';
import type { ExtractedReportLine, ReportExtraction } from '../extraction.ts';
import type { ExtractorLine as SaidLine, PageWord } from '../../adapters/report-extractor/port.ts';
import { readReport } from '../reading/read.ts';
import type { ParsedResult, ParsedMetadata, ParsedReport } from '../reading/report-model.ts';
import type { ReportFile } from './check-types.ts';
import { loadPages, type LoadedPage } from './load-pages.ts';
import { PAGES_MAX, type ReadOutcome } from './protocol.ts';
import { toLineResult } from './result-of-line.ts';

export interface ReadFilesOptions {
  /** Called before each page, from 1; the parent then restarts the page timeout. */
  readonly onPage: (page: number) => void;
  /** Path of the operator's Loinc.csv. */
  readonly loincCsv: string | null;
  /** External extractor that reads lines from words; called for reports that are hard to read. */
  readonly askExtractor?: (words: readonly PageWord[]) => Promise<readonly SaidLine[]>;
}

/**
 * Mean OCR confidence below which pages are rejected. Measured on scans degraded step by step: all with four of five
 * values right were above it; below it, one in eight values was right.
 */
const MIN_CONFIDENCE = 0.8;
/** An image with fewer letters is not a badly photographed page but no page at all. */
const MIN_LETTERS_TO_JUDGE = 100;

/**
 * Reads the files of one report: a PDF, or images of its pages in order. One pipeline for all sources: words of every
 * page, then lines, then LOINC codes. Never throws for a bad file; returns the failure reason.
 */
export async function readFiles(
  files: readonly ReportFile[],
  options: ReadFilesOptions,
): Promise<ReadOutcome> {
  try {
    return await readPages(await loadPages(files, options.onPage), options);
  } catch (error) {
    return { failed: isInvalidFileError(error) ? 'invalid_input' : 'processing_error' };
  }
}

/** Whether a PDF or image reader threw because the file is invalid; pdf.js errors are recognized by name. */
const isInvalidFileError = (error: unknown): boolean =>
  error instanceof InvalidImageError ||
  (error instanceof Error && /PDF|Password|Format|XRef|Missing|UnknownError/.test(error.name));

async function readPages(pages: readonly LoadedPage[], options: ReadFilesOptions): Promise<ReadOutcome> {
  if (pages.length > PAGES_MAX) return { failed: 'too_many_pages' };
  const first = readReport(pages.map(({ page }) => page));
  if (!first.canRead) return { failed: 'not_english' };
  if (isBlurred(pages)) return { failed: 'low_quality' };
  const report = await withSecondReading(first, pages, options);
  if (report.results.length === 0) return { failed: 'invalid_input' };
  return { read: await toExtraction(report, pages, options) };
}

async function withSecondReading(
  report: ParsedReport,
  seen: readonly LoadedPage[],
  { askExtractor }: ReadFilesOptions,
): Promise<ParsedReport> {
  if (!askExtractor) return report;
  const pages = seen.map(({ page }) => page);
  const words = wordsInOrder(pages);
  return needsSecondReading(report, words)
    ? mergeExtractorLines(report, { said: await askExtractor(words), pages })
    : report;
}

/** Whether the OCR confidence is too low. Pages without words do not count. */
function isBlurred(pages: readonly LoadedPage[]): boolean {
  const written = pages.filter(({ page }) => page.source === 'ocr' && page.words.length > 0);
  const sum = written.reduce((total, { confidence }) => total + confidence, 0);
  const letters = written
    .flatMap(({ page }) => page.words)
    .reduce((total, { text }) => total + text.length, 0);
  return letters >= MIN_LETTERS_TO_JUDGE && sum / written.length < MIN_CONFIDENCE;
}

async function toExtraction(
  { metadata, results, language }: ParsedReport,
  pages: readonly LoadedPage[],
  { loincCsv }: ReadFilesOptions,
): Promise<ReportExtraction> {
  const index = await loadLoincIndex(loincCsv);
  const codings = index.codeLines(results, { language });
  return {
    metadata: toMetadata(metadata),
    lines: results.map((line, at) => toExtractedLine(line, codings[at], pages)),
    pages: pages.map(({ width, height }) => ({ width, height })),
  };
}

const indexes = new Map<string | null, Promise<LoincIndex>>();

/** Loaded once per process, which only ever uses one table. */
function loadLoincIndex(loincCsv: string | null): Promise<LoincIndex> {
  const folder = new URL('data/loinc/', packageRoot(import.meta.url));
  const index =
    indexes.get(loincCsv) ?? openLoincIndex({ folder, ...(loincCsv === null ? {} : { loincCsv }) });
  indexes.set(loincCsv, index);
  return index;
}

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

function toExtractedLine(
  line: ParsedResult,
  coding: LoincCoding | undefined,
  pages: readonly LoadedPage[],
): ExtractedReportLine {
  const seen = pages[line.page - 1];
  const boxes = Object.entries(line.boxes).map(([name, box]) => [name, seen ? seen.toOriginal(box) : box]);
  return {
    result: {
      ...toLineResult(line),
      loinc_matches: coding?.matches ?? [],
      loinc_match_status: coding?.status ?? 'no_match',
    },
    place: { page: line.page, boxes: Object.fromEntries(boxes) },
    openBounds: [...(line.openBounds ?? [])],
  };
}
