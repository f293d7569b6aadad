/**
 * Reads every report in a folder that has a truth file next to it, and prints how much is right.
 * `npm run eval:reports -- FOLDER [--show] [--heads] [--only WORD]`; --show prints every difference, --heads only
 * differences in headers.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openLoincIndex } from '../../packages/report-reader/src/coding/coding.ts';
import { readReport } from '../../packages/report-reader/src/reading/read.ts';
import { loadPages } from '../../packages/report-reader/src/files/load-pages.ts';
import {
  EMPTY_SCORE,
  type ResultDifference,
  type ResultScore,
  addScores,
  compareResults,
} from './compare.ts';
import {
  type HeaderDifference,
  HEADER_FIELDS,
  addHeaderScores,
  compareHeaders,
  headerSigns,
  headerTable,
  emptyHeaderScore,
} from './compare-headers.ts';
import { openProgress } from '../progress/progress.ts';
import { describeDuration } from '../progress/time-left.ts';
import { type EvalCase, listCases } from './truth.ts';

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
      'Expected one folder of reports, each with a truth file next to it: npm run eval:reports -- FOLDER',
    );
  return { folder, showAll: values.show, showHeads: values.show || values.heads, only: values.only };
}

/** Exits with 2 if the arguments are not valid. */
function readArgumentsOrExit() {
  try {
    return readArguments();
  } catch (error) {
    console.error(messageOf(error));
    process.exit(2);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const { folder, showAll, showHeads, only } = readArgumentsOrExit();

/** Reads a report as a parsing job does: text or images, then results, then LOINC codes. */
async function readCase({ files }: EvalCase) {
  const given = await Promise.all(files.map(async (file) => ({ type: '', bytes: await readFile(file) })));
  const pages = await loadPages(given, () => {});
  const report = readReport(pages.map(({ page }) => page));
  const codings = index.codeLines(report.results, { language: report.language });
  return { report, codings };
}

const percent = (part: number, of: number): string =>
  (of === 0 ? '-' : ((100 * part) / of).toFixed(1)).padStart(6);

interface CaseCost {
  readonly heads: string;
  readonly ms: number;
}

function scoreRow(name: string, score: ResultScore, { heads, ms }: CaseCost): string {
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
    String(score.wrongWithoutWarning).padStart(4),
    percent(score.warnedButRight, score.found),
    heads.padStart(7),
    `${ms.toFixed(0)} ms`.padStart(8),
  ];
  return cells.join(' ');
}

const differenceLines = (differences: readonly ResultDifference[]): string[] =>
  differences.map(({ what, truth, read }) => `    ${what.padEnd(7)} ${truth}  =>  ${read}`);

const headerLines = (differences: readonly HeaderDifference[]): string[] =>
  differences.map(
    ({ field, outcome, truth, read }) => `    ${field.padEnd(15)} ${outcome.padEnd(8)} ${truth}  =>  ${read}`,
  );

const index = await openLoincIndex({
  folder: new URL('../../packages/report-reader/data/loinc/', import.meta.url),
});
const cases = (await listCases(folder)).filter((one) => one.name.includes(only));
const progress = openProgress(cases, { announcesSteps: false, reportEverySeconds: 10 });
progress.print(
  `${'report'.padEnd(34)} lines recall  prec.     F1  value   unit  range   flag  right    all  loinc   in 5  w/o  warned   heads     time`,
);
let sum = EMPTY_SCORE;
let heads = emptyHeaderScore();
let totalMs = 0;
let read = 0;
const failed: string[] = [];
for (const one of cases) {
  progress.begin(one.name);
  try {
    const started = performance.now();
    const { report, codings } = await readCase(one);
    const ms = performance.now() - started;
    const { score, differences } = compareResults(one.truth.results, report.results, codings);
    const head = compareHeaders(one.truth.metadata, report.metadata);
    sum = addScores(sum, score);
    heads = addHeaderScores(heads, head.score);
    totalMs += ms;
    read += 1;
    progress.print(scoreRow(one.name, score, { heads: headerSigns(head.score), ms }));
    if (showAll) for (const each of differenceLines(differences)) progress.print(each);
    if (showHeads) for (const each of headerLines(head.differences)) progress.print(each);
  } catch (error) {
    failed.push(one.name);
    progress.print(`${one.name} failed: ${messageOf(error)}`);
  }
}
const seconds = progress.close();
console.log(scoreRow(`${read} reports`, sum, { heads: '', ms: totalMs / (read || 1) }));
console.log(
  `right: lines found with the exact value, of all lines; all: also with unit, range and flag; loinc: right as first match, of found lines whose truth has a code; in 5: right among the first five; w/o: wrong values without a warning; warned: right lines marked for review; heads: ${HEADER_FIELDS.join(', ')}: + right, ~ in part, X wrong, - not read, ? read but not in the truth, . in neither; peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`,
);
for (const row of headerTable(heads)) console.log(row);
console.log(`${read} of ${cases.length} reports read in ${describeDuration(seconds)}`);
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
