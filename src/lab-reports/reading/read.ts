import { assemble } from './assemble.ts';
import { withCentredCells } from './centred-cells.ts';
import type { Column } from './columns.ts';
import { withCriticalSigns } from './critical-signs.ts';
import { datingOf } from './dating.ts';
import { doubtful } from './doubt.ts';
import { finish } from './finish.ts';
import { stripsOf } from './gutters.ts';
import { languageOf, lettersKnown } from './language.ts';
import { withLostNegations } from './lost-negations.ts';
import { metadataOf } from './metadata.ts';
import { namesSeveral } from './head/several-people.ts';
import { habitOf } from './numbers.ts';
import { newReading, type Reading } from './reading-state.ts';
import { regionsOf } from './regions.ts';
import { withoutRepeatedHeads } from './repeated-heads.ts';
import { textOf } from './rows.ts';
import { withoutSummary } from './summaries.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import type { Page, ReadLine, ReadMetadata, ReadReport, Word } from './word.ts';

/**
 * Reads a report from the words of its pages, however they were got. Pure: no file, no clock, no network. Never
 * throws on any words; what it cannot make sense of it leaves out or marks.
 */
export function readReport(pages: readonly Page[]): ReadReport {
  const texts = pages.flatMap((page) => page.words.map((word) => word.text));
  const sign = habitOf(texts);
  const language = languageOf(texts);
  const isOfSeveral = namesSeveral(pages, language);
  const metadata = withoutPerson(metadataOf(pages, language), isOfSeveral);
  const dating = datingOf(pages, { language, metadata });
  const reading: Reading = newReading(metadata.labName);
  let carried: readonly Column[] = [];
  const moments: string[] = [];
  for (const page of withoutRepeatedHeads(pages).map(withCentredCells)) {
    let columns: readonly Column[] = carried;
    reading.carriedName = lastLineOf(reading);
    reading.pending = [];
    for (const { rows, isApart, columns: own } of stripsOf(page)) {
      const regions = regionsOf(rows, { sign, dating, carried: isApart ? (own ?? []) : columns });
      for (const region of regions) assemble(reading, region, sign);
      for (const { columns: dated } of regions) moments.push(...dated.flatMap(({ moment }) => moment ?? []));
      const taught = regions.slice(own ? 1 : 0).findLast((region) => region.hasHeader);
      columns = taught?.columns ?? columns;
    }
    carried = columns;
  }
  const patient = { gender: metadata.gender, ageYears: metadata.ageYears };
  const lines = reading.drafts.map((draft) => finish(draft, { sign, patient }));
  const results = doubtful(withLostNegations(withoutSummary(withCriticalSigns(lines)), pages));
  const canRead = lettersKnown(texts);
  return {
    metadata: withSample(metadata, moments),
    results: isOfSeveral ? results.map(ofSeveral) : results,
    language,
    canRead,
    doubts: canRead ? [] : ['letters_not_known'],
  };
}

/** Which of several people is meant, nobody can tell; nor whose ranges hold for a line. */
const withoutPerson = (metadata: ReadMetadata, isOfSeveral: boolean): ReadMetadata =>
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

const ofSeveral = (line: ReadLine): ReadLine => ({
  ...line,
  reviewReasons: [...line.reviewReasons, 'several_patients'],
});

/** In a table of several days the newest one's sample is that of the report, where its head does not say when that was. */
function withSample(metadata: ReadMetadata, moments: readonly string[]): ReadMetadata {
  const newest = moments.toSorted().at(-1) ?? '';
  const isBefore =
    metadata.dateReported === null || newest.slice(0, 10) <= metadata.dateReported.slice(0, 10);
  if (metadata.dateCollected !== null || newest === '' || !isBefore) return metadata;
  return { ...metadata, dateCollected: newest };
}

/** What stands last on a page, where it may be a name; a foot of the page in small print does not count. */
function lastLineOf({ pending, drafts }: Reading): Word[] | null {
  const last = pending.at(-1);
  const draft = drafts.at(-1);
  const isNear = last && draft && draft.row.page === last.row.page && last.row.box.y0 > draft.lastRow.box.y1;
  return isNear && namesAnalyte(textOf(last.words)) ? last.words : null;
}
