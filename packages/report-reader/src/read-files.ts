import { rethrowMemoryFailure } from './memory-failure.ts';
import { packageFolder } from './package-folder.ts';
import { openLoincIndex, type LoincCoding, type LoincIndex } from './coding/coding.ts';
import { mergeExtractorLines, needsSecondReading, wordsInOrder } from './second-reading/merge-lines.ts';
import { InvalidImageError } from './ocr/ocr.ts';
import type { ExtractorLine, PageWord } from './second-reading/extractor.ts';
import {
  measurementKindOf,
  sensitivityOf,
  type MeasurementKind,
  type Sensitivity,
} from './reading/line-kinds.ts';
import { readReport } from './reading/read.ts';
import type { ParsedResult, ParsedMetadata, ParsedReport } from './reading/report-model.ts';
import type { ReportFile } from './files/check-types.ts';
import { loadPages, type LoadedPage } from './files/load-pages.ts';
import { PAGES_MAX } from './files/limits.ts';

/** Why a report was not read. */
export type ReadFailure =
  'invalid_input' | 'low_quality' | 'not_english' | 'too_many_pages' | 'processing_error';

/** One line of a report. Its boxes are on the page as it was sent. */
export interface ReadLine extends ParsedResult {
  readonly measurementKind: MeasurementKind;
  readonly sensitivity: Sensitivity;
  readonly loinc: LoincCoding | null;
}

export interface ReportReading {
  readonly metadata: ParsedMetadata;
  readonly lines: readonly ReadLine[];
  /** The size of every page, in the unit of the boxes: points for a PDF, pixels for an image. */
  readonly pages: readonly { readonly width: number; readonly height: number }[];
}

export type FileReading = { readonly failed: ReadFailure } | { readonly read: ReportReading };

export interface ReadFilesOptions {
  /** Called before each page, from 1. */
  readonly onPage: (page: number) => void;
  /** Path of the reader's own Loinc.csv; null for the codes of this package. */
  readonly loincCsv: string | null;
  /** External extractor that reads lines from words; called for reports that are hard to read. */
  readonly askExtractor?: (words: readonly PageWord[]) => Promise<readonly ExtractorLine[]>;
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
 * Throws if the system refuses memory.
 */
export async function readFiles(
  files: readonly ReportFile[],
  options: ReadFilesOptions,
): Promise<FileReading> {
  try {
    return await readPages(await loadPages(files, options.onPage), options);
  } catch (error) {
    rethrowMemoryFailure(error);
    return { failed: isInvalidFileError(error) ? 'invalid_input' : 'processing_error' };
  }
}

/** Whether a PDF or image reader threw because the file is invalid; pdf.js errors are recognized by name. */
const isInvalidFileError = (error: unknown): boolean =>
  error instanceof InvalidImageError ||
  (error instanceof Error && /PDF|Password|Format|XRef|Missing|UnknownError/.test(error.name));

async function readPages(pages: readonly LoadedPage[], options: ReadFilesOptions): Promise<FileReading> {
  if (pages.length > PAGES_MAX) return { failed: 'too_many_pages' };
  const first = readReport(pages.map(({ page }) => page));
  if (!first.canRead) return { failed: 'not_english' };
  if (isBlurred(pages)) return { failed: 'low_quality' };
  const report = await withSecondReading(first, pages, options);
  if (report.results.length === 0) return { failed: 'invalid_input' };
  return { read: await toReading(report, pages, options) };
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

async function toReading(
  { metadata, results, language }: ParsedReport,
  pages: readonly LoadedPage[],
  { loincCsv }: ReadFilesOptions,
): Promise<ReportReading> {
  const index = await loadLoincIndex(loincCsv);
  const codings = index.codeLines(results, { language });
  return {
    metadata,
    lines: results.map((line, at) => ({
      ...toOriginalPage(line, pages),
      measurementKind: measurementKindOf(line),
      sensitivity: sensitivityOf(line.printedValue),
      loinc: codings[at] ?? null,
    })),
    pages: pages.map(({ width, height }) => ({ width, height })),
  };
}

const indexes = new Map<string | null, Promise<LoincIndex>>();

/** Loaded once per process, which only ever uses one table. */
function loadLoincIndex(loincCsv: string | null): Promise<LoincIndex> {
  const folder = new URL('data/loinc/', packageFolder());
  const index =
    indexes.get(loincCsv) ?? openLoincIndex({ folder, ...(loincCsv === null ? {} : { loincCsv }) });
  indexes.set(loincCsv, index);
  return index;
}

/** OCR turned, leveled and cropped its pages; the boxes of the result are on the page as it was sent. */
function toOriginalPage(line: ParsedResult, pages: readonly LoadedPage[]): ParsedResult {
  const page = pages[line.page - 1];
  if (!page) return line;
  const boxes = Object.entries(line.boxes).map(([name, box]) => [name, page.toOriginal(box)]);
  return { ...line, boxes: Object.fromEntries(boxes) };
}
