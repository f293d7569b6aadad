import { packageRoot } from '../../platform/config.ts';
import { openLoincIndex, type LoincCoding, type LoincIndex } from '../coding/coding.ts';
import { fillIn, isHard, wordsInOrder } from '../extractor/fill-in.ts';
import { BadPicture } from '../ocr/ocr.ts';
import type { ExtractedLine, Extraction } from '../extraction.ts';
import type { ExtractedLine as SaidLine, PageWord } from '../../adapters/report-extractor/port.ts';
import { readReport } from '../reading/read.ts';
import type { ReadLine, ReadMetadata, ReadReport } from '../reading/word.ts';
import type { GivenFile } from './check-types.ts';
import { pagesOf, type SeenPage } from './pages-of-files.ts';
import { PAGES_MAX, type Outcome } from './protocol.ts';
import { resultOf } from './result-of-line.ts';

export interface ReadingOptions {
  /** Told before each page, from 1: whoever watches gives every page its own time. */
  readonly tellPage: (page: number) => void;
  /** The user's own Loinc.csv. */
  readonly loincCsv: string | null;
  /** Somebody outside who reads lines from words; asked about what is hard to read. */
  readonly askExtractor?: (words: readonly PageWord[]) => Promise<readonly SaidLine[]>;
}

/**
 * Pages that are read less surely than this, on the average, are not to be trusted: of scans that were made worse step
 * by step all with four of five values right were above it, and of those below one in eight was right.
 */
const LEAST_CONFIDENCE = 0.8;
/** A picture with fewer letters is no page that was photographed badly, but a cat. */
const LEAST_LETTERS = 100;

/**
 * Reads the files of one report: a PDF, or pictures of its pages in order. One path for all: words of every page,
 * whatever made them, then lines, then codes. A file that cannot be read says so and does not throw.
 */
export async function readFiles(files: readonly GivenFile[], options: ReadingOptions): Promise<Outcome> {
  try {
    return await readPages(await pagesOf(files, options.tellPage), options);
  } catch (error) {
    return { failed: isFaultOfFile(error) ? 'invalid_input' : 'processing_error' };
  }
}

/** What the readers of PDFs and pictures throw for a file that is broken, by its name where they have no better. */
const isFaultOfFile = (error: unknown): boolean =>
  error instanceof BadPicture ||
  (error instanceof Error && /PDF|Password|Format|XRef|Missing|UnknownError/.test(error.name));

async function readPages(pages: readonly SeenPage[], options: ReadingOptions): Promise<Outcome> {
  if (pages.length > PAGES_MAX) return { failed: 'too_many_pages' };
  const first = readReport(pages.map(({ page }) => page));
  if (!first.canRead) return { failed: 'not_english' };
  if (isBlurred(pages)) return { failed: 'low_quality' };
  const report = await secondReading(first, pages, options);
  if (report.results.length === 0) return { failed: 'invalid_input' };
  return { read: await extractionOf(report, pages, options) };
}

async function secondReading(
  report: ReadReport,
  seen: readonly SeenPage[],
  { askExtractor }: ReadingOptions,
): Promise<ReadReport> {
  if (!askExtractor) return report;
  const pages = seen.map(({ page }) => page);
  const words = wordsInOrder(pages);
  return isHard(report, words) ? fillIn(report, { said: await askExtractor(words), pages }) : report;
}

/** Whether what was read from pictures is too unsure; pages without words say nothing either way. */
function isBlurred(pages: readonly SeenPage[]): boolean {
  const written = pages.filter(({ page }) => page.source === 'ocr' && page.words.length > 0);
  const sum = written.reduce((total, { confidence }) => total + confidence, 0);
  const letters = written
    .flatMap(({ page }) => page.words)
    .reduce((total, { text }) => total + text.length, 0);
  return letters >= LEAST_LETTERS && sum / written.length < LEAST_CONFIDENCE;
}

async function extractionOf(
  { metadata, results, language }: ReadReport,
  pages: readonly SeenPage[],
  { loincCsv }: ReadingOptions,
): Promise<Extraction> {
  const index = await indexWith(loincCsv);
  const codings = index.codeLines(results, { language });
  return {
    metadata: metadataOf(metadata),
    lines: results.map((line, at) => lineOf(line, codings[at], pages)),
    pages: pages.map(({ width, height }) => ({ width, height })),
  };
}

const indexes = new Map<string | null, Promise<LoincIndex>>();

/** Once for a process, which is only ever asked with one. */
function indexWith(loincCsv: string | null): Promise<LoincIndex> {
  const folder = new URL('data/loinc/', packageRoot(import.meta.url));
  const index =
    indexes.get(loincCsv) ?? openLoincIndex({ folder, ...(loincCsv === null ? {} : { loincCsv }) });
  indexes.set(loincCsv, index);
  return index;
}

const metadataOf = (metadata: ReadMetadata): Extraction['metadata'] => ({
  patient_first_name: metadata.patientFirstName,
  patient_last_name: metadata.patientLastName,
  dob: metadata.dob,
  gender: metadata.gender,
  lab_name: metadata.labName,
  date_reported: metadata.dateReported,
  date_collected: metadata.dateCollected,
  specimen_number: metadata.specimenNumber,
});

function lineOf(line: ReadLine, coding: LoincCoding | undefined, pages: readonly SeenPage[]): ExtractedLine {
  const seen = pages[line.page - 1];
  const boxes = Object.entries(line.boxes).map(([name, box]) => [name, seen ? seen.placed(box) : box]);
  return {
    result: {
      ...resultOf(line),
      loinc_matches: coding?.matches ?? [],
      loinc_match_status: coding?.status ?? 'no_match',
    },
    place: { page: line.page, boxes: Object.fromEntries(boxes) },
    openBounds: [...(line.openBounds ?? [])],
  };
}
