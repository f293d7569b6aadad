/**
 * Reads every report of a folder that has its truth beside it, and prints how much of it is right.
 * `npm run eval:reports -- FOLDER [--show] [--heads] [--only WORD]`; --show prints every difference, --heads those of
 * the heads.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openLoincIndex } from '../../src/lab-reports/coding/coding.ts';
import { readReport } from '../../src/lab-reports/reading/read.ts';
import { pagesOf } from '../../src/lab-reports/work/pages-of-files.ts';
import { NOTHING, type Difference, type Score, add, compare } from './compare.ts';
import {
  type HeadDifference,
  HEAD_FIELDS,
  addHeads,
  compareHeads,
  headSigns,
  headTable,
  noHeads,
} from './compare-heads.ts';
import { openProgress } from '../progress/progress.ts';
import { describeDuration } from '../progress/time-left.ts';
import { type Case, casesOf } from './truth.ts';

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      show: { type: 'boolean', default: false },
      heads: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1)
    throw new Error(
      'Expected one folder of reports, each with its truth beside it: npm run eval:reports -- FOLDER',
    );
  return { folder, showAll: values.show, showHeads: values.show || values.heads, only: values.only };
}

/** A run without usable arguments ends here. */
function givenArguments() {
  try {
    return readArguments();
  } catch (error) {
    console.error(messageOf(error));
    process.exit(2);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const { folder, showAll, showHeads, only } = givenArguments();

/** All that a report says, as a job of the service reads it: text or pictures, then lines, then codes. */
async function reading({ files }: Case) {
  const given = await Promise.all(files.map(async (file) => ({ type: '', bytes: await readFile(file) })));
  const pages = await pagesOf(given, () => {});
  const report = readReport(pages.map(({ page }) => page));
  const codings = index.codeLines(report.results, { language: report.language });
  return { report, codings };
}

const percent = (part: number, of: number): string =>
  (of === 0 ? '-' : ((100 * part) / of).toFixed(1)).padStart(6);

interface Cost {
  readonly heads: string;
  readonly ms: number;
}

function line(name: string, score: Score, { heads, ms }: Cost): string {
  const precision = score.found / (score.read || 1);
  const recall = score.found / (score.truth || 1);
  const f1 = (2 * precision * recall) / (precision + recall || 1);
  const cells = [
    name.slice(0, 34).padEnd(34),
    String(score.truth).padStart(5),
    percent(score.found, score.truth),
    percent(score.found, score.read),
    percent(f1, 1),
    ...(['value', 'unit', 'range', 'flag'] as const).map((key) => percent(score[key], score.found)),
    percent(score.value, score.truth),
    percent(score.whole, score.truth),
    percent(score.loincFirst, score.coded),
    percent(score.loincAmong, score.coded),
    String(score.wrongUnwarned).padStart(4),
    percent(score.warnedThoughRight, score.found),
    heads.padStart(7),
    `${ms.toFixed(0)} ms`.padStart(8),
  ];
  return cells.join(' ');
}

const differenceLines = (differences: readonly Difference[]): string[] =>
  differences.map(({ what, truth, read }) => `    ${what.padEnd(7)} ${truth}  =>  ${read}`);

const headLines = (differences: readonly HeadDifference[]): string[] =>
  differences.map(
    ({ field, outcome, truth, read }) => `    ${field.padEnd(15)} ${outcome.padEnd(8)} ${truth}  =>  ${read}`,
  );

const index = await openLoincIndex({ folder: new URL('../../data/loinc/', import.meta.url) });
const cases = (await casesOf(folder)).filter((one) => one.name.includes(only));
const progress = openProgress(cases, { announcesSteps: false, reportEverySeconds: 10 });
progress.print(
  `${'report'.padEnd(34)} lines recall  prec.     F1  value   unit  range   flag  right    all  loinc   in 5  w/o  warned   heads     time`,
);
let sum = NOTHING;
let heads = noHeads();
let totalMs = 0;
let read = 0;
const failed: string[] = [];
for (const one of cases) {
  progress.begin(one.name);
  try {
    const started = performance.now();
    const { report, codings } = await reading(one);
    const ms = performance.now() - started;
    const { score, differences } = compare(one.truth.results, report.results, codings);
    const head = compareHeads(one.truth.metadata, report.metadata);
    sum = add(sum, score);
    heads = addHeads(heads, head.score);
    totalMs += ms;
    read += 1;
    progress.print(line(one.name, score, { heads: headSigns(head.score), ms }));
    if (showAll) for (const each of differenceLines(differences)) progress.print(each);
    if (showHeads) for (const each of headLines(head.differences)) progress.print(each);
  } catch (error) {
    failed.push(one.name);
    progress.print(`${one.name} failed: ${messageOf(error)}`);
  }
}
const seconds = progress.close();
console.log(line(`${read} reports`, sum, { heads: '', ms: totalMs / (read || 1) }));
console.log(
  `right: of all lines, those found with the exact value; all: with unit, range and flag too; loinc: the first match, of found lines whose truth has a code; in 5: one of the first five; w/o: wrong value without warning; warned: right lines marked for review; heads: ${HEAD_FIELDS.join(', ')}: + right, ~ in part, X wrong, - not read, ? read though the truth has none, . neither; most memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`,
);
for (const row of headTable(heads)) console.log(row);
console.log(`${read} of ${cases.length} reports read in ${describeDuration(seconds)}`);
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
