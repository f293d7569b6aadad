import { assembleResults } from './assemble-results.ts';
import { withWholeRanges } from './broken-ranges.ts';
import { withCenteredCells } from './centered-cells.ts';
import type { ReportColumn } from './columns.ts';
import { withContinuedResults } from './continued-pages.ts';
import { withCriticalSigns } from './critical-signs.ts';
import { readDateContext } from './date-context.ts';
import { withStatusBehindValue } from './portal-status.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import { withReviewReasons } from './review-reasons.ts';
import { finishResult } from './finish-result.ts';
import { addInterpretations, withoutInterpretationTables } from './interpretation-tables.ts';
import { withoutFootnotes } from './footnote-names.ts';
import { splitIntoStrips } from './reading-order.ts';
import { detectLanguage, isAlphabetSupported } from './language.ts';
import { withLostNegations } from './lost-negations.ts';
import { readMetadata } from './metadata.ts';
import { hasSeveralPatients } from './header/several-people.ts';
import { detectDecimalSign } from './numbers.ts';
import { createReadingState, type ReadingState } from './reading-state.ts';
import { parseRegions } from './regions.ts';
import { withoutRepeatedHeaders } from './repeated-headers.ts';
import { joinWords } from './rows.ts';
import { withoutSummary } from './summaries.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import type { ReportPage, ParsedResult, ParsedMetadata, ParsedReport, ReportWord } from './report-model.ts';

/**
 * Reads a report from the words of its pages, from a text layer or OCR. Pure: no file, no clock, no network. Never
 * throws for any input; what it does not understand is left out or marked.
 *
 * Stages: words are grouped into rows (rows.ts), rows into strips in reading order (reading-order.ts) and into regions
 * under table headings (columns.ts, regions.ts). Each row is split into atoms (atoms.ts), whose roles are assigned by
 * cost (assign-roles.ts). Rows are assembled into drafts (assemble-results.ts) and drafts turned into results
 * (finish-result.ts), which get their review reasons last (review-reasons.ts). The report header with the patient data
 * is read separately (metadata.ts, header/).
 */
export function readReport(pages: readonly ReportPage[]): ParsedReport {
  const texts = pages.flatMap((page) => page.words.map((word) => word.text));
  const sign = detectDecimalSign(texts);
  const language = detectLanguage(texts);
  const isOfSeveral = hasSeveralPatients(pages, language);
  const metadata = withoutPatient(readMetadata(pages, language), isOfSeveral);
  const dating = readDateContext(pages, { language, metadata });
  const reading: ReadingState = createReadingState(metadata.labName);
  let carried: readonly ReportColumn[] = [];
  const moments: string[] = [];
  const bare = withoutRepeatedHeaders(pages.map(withStatusBehindValue)).map(withCenteredCells);
  const explained = withContinuedResults(bare).map((page) => withoutInterpretationTables(page, sign));
  for (const page of explained.map(({ page: own }) => withWholeRanges(own))) {
    let columns: readonly ReportColumn[] = carried;
    reading.carriedName = findCarriedName(reading);
    reading.pending = [];
    for (const { rows, isApart, columns: own } of splitIntoStrips(page)) {
      const regions = parseRegions(rows, { sign, dating, carried: isApart ? (own ?? []) : columns });
      for (const region of regions) assembleResults(reading, region, sign);
      for (const { columns: dated } of regions)
        moments.push(...dated.flatMap(({ newestDate }) => newestDate ?? []));
      const taught = regions.slice(own ? 1 : 0).findLast((region) => region.hasHeader);
      columns = taught?.columns ?? columns;
    }
    carried = columns;
  }
  addInterpretations(
    reading.drafts,
    explained.flatMap(({ tables }) => tables),
  );
  const patient = { gender: metadata.gender, ageYears: metadata.ageYears };
  const lines = reading.drafts.map((draft) => finishResult(draft, { sign, patient }));
  const results = withReviewReasons(
    withLostNegations(withoutSummary(withCriticalSigns(withoutFootnotes(lines.filter(isResult)))), pages),
  );
  const canRead = isAlphabetSupported(texts);
  return {
    metadata: withCollectionDate(metadata, moments),
    results: isOfSeveral ? results.map(markSeveralPatients) : results,
    language,
    canRead,
    doubts: canRead ? [] : ['letters_not_known'],
  };
}

/** "TEST | OPTIMAL | HIGH RISK" is the heading of a table, although it looks like a finding with a flag. */
const isResult = ({ testName, printedValue }: ParsedResult): boolean =>
  matchColumnRole(testName) !== 'name' ||
  /\d/.test(printedValue) ||
  parseQualitative(printedValue) === 'absent';

/** With several people it is unknown which one is meant, and whose ranges apply. */
const withoutPatient = (metadata: ParsedMetadata, isOfSeveral: boolean): ParsedMetadata =>
  isOfSeveral
    ? {
        ...metadata,
        patientFirstName: null,
        patientLastName: null,
        dob: null,
        ageYears: null,
        gender: 'other',
      }
    : metadata;

const markSeveralPatients = (line: ParsedResult): ParsedResult => ({
  ...line,
  reviewReasons: [...line.reviewReasons, 'several_patients'],
});

/** In a table of several days the newest date is the collection date, if the header has none. */
function withCollectionDate(metadata: ParsedMetadata, moments: readonly string[]): ParsedMetadata {
  const newest = moments.toSorted().at(-1) ?? '';
  const isBefore =
    metadata.dateReported === null || newest.slice(0, 10) <= metadata.dateReported.slice(0, 10);
  if (metadata.dateCollected !== null || newest === '' || !isBefore) return metadata;
  return { ...metadata, dateCollected: newest };
}

/** The last line of a page, if it may be a name; small print in the footer does not count. */
function findCarriedName({ pending, drafts }: ReadingState): ReportWord[] | null {
  const last = pending.at(-1);
  const draft = drafts.at(-1);
  const isNear = last && draft && draft.row.page === last.row.page && last.row.box.y0 > draft.lastRow.box.y1;
  return isNear && hasAnalyteWord(joinWords(last.words)) ? last.words : null;
}
