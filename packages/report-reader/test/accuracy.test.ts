import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readPdfWords } from '../src/reading/pdf-words.ts';
import { readReport } from '../src/reading/read.ts';
import {
  type ResultScore,
  EMPTY_SCORE,
  addScores,
  compareResults,
} from '../../../tools/eval-reports/compare.ts';
import { type TrueResult, listCases } from '../../../tools/eval-reports/truth.ts';
import { DRAWN, DRAWN_SECOND, DRAWN_THIRD } from './drawn.ts';
import { DEVELOPED, HELD_OUT, WRITTEN_LAST, generateCase } from './reports.ts';

async function scoreOf(pdf: Uint8Array, truth: readonly TrueResult[]): Promise<ResultScore> {
  return compareResults(truth, readReport(await readPdfWords(pdf, { maxPages: 30 })).results).score;
}

async function scoreOfLayouts(layouts: readonly string[], seed: number): Promise<ResultScore> {
  let sum = EMPTY_SCORE;
  for (const layout of layouts) {
    const { pdf, truth } = await generateCase(layout, seed);
    sum = addScores(sum, await scoreOf(pdf, truth.results));
  }
  return sum;
}

/** Shares in percent, rounded down to tenths; a regression shows as a smaller number. */
function sharesOf(score: ResultScore) {
  const share = (part: number, of: number) => Math.floor((1000 * part) / of) / 10;
  const fields = (['value', 'unit', 'range', 'flag'] as const).map((field) =>
    share(score[field], score.found),
  );
  return {
    recall: share(score.found, score.truth),
    precision: share(score.found, score.read),
    worstField: Math.min(...fields),
    wrongWithoutWarning: share(score.wrongWithoutWarning, score.found),
  };
}

const atLeast = (least: number) => expect.toSatisfy((share: number) => share >= least, `at least ${least}`);
const atMost = (most: number) => expect.toSatisfy((share: number) => share <= most, `at most ${most}`);

/** A test reads dozens of reports, each in a tenth of a second on an idle machine. */
const TIMEOUT_MS = 120_000;

/** Every second layout: the whole set is measured by tools/eval-reports. */
const EVERY_SECOND_LAYOUT = DEVELOPED.filter((_, index) => index % 2 === 0);

it('generates the same report for the same seed', async () => {
  const [one, two] = [await generateCase('cards', 5), await generateCase('cards', 5)];
  expect(one.truth).toEqual(two.truth);
});

it('reads the layouts that it was developed with', { timeout: TIMEOUT_MS }, async () => {
  expect(sharesOf(await scoreOfLayouts(EVERY_SECOND_LAYOUT, 7))).toEqual({
    recall: atLeast(99.5),
    precision: atLeast(99.5),
    worstField: atLeast(99.3),
    wrongWithoutWarning: atMost(0.2),
  });
});

it('reads held-out layouts', { timeout: TIMEOUT_MS }, async () => {
  expect(sharesOf(await scoreOfLayouts([...HELD_OUT, ...WRITTEN_LAST], 7))).toEqual({
    recall: atLeast(99),
    precision: atLeast(99),
    worstField: atLeast(99),
    wrongWithoutWarning: atMost(0.2),
  });
});

it('reads transcribed reports of many countries', { timeout: TIMEOUT_MS }, async () => {
  expect(sharesOf(await scoreOfLayouts([...DRAWN, ...DRAWN_SECOND, ...DRAWN_THIRD], 1))).toEqual({
    recall: atLeast(99.5),
    precision: atLeast(99.5),
    worstField: atLeast(99),
    wrongWithoutWarning: atMost(0.2),
  });
});

async function scoreOfFolder(folder: string): Promise<ResultScore> {
  let sum = EMPTY_SCORE;
  for (const { files, truth } of await listCases(folder)) {
    const [file = ''] = files;
    if (file.endsWith('.pdf')) sum = addScores(sum, await scoreOf(await readFile(file), truth.results));
  }
  return sum;
}

it(
  'reads reports printed by other programs, with ligatures and bar charts',
  { timeout: TIMEOUT_MS },
  async () => {
    const folder = new URL('printed/', import.meta.url).pathname;
    expect(sharesOf(await scoreOfFolder(folder))).toEqual({
      recall: 100,
      precision: 100,
      worstField: 100,
      wrongWithoutWarning: 0,
    });
  },
);

/** The supplied examples are next to the repository, not in it. */
const SUPPLIED_FOLDER = new URL('../../../shared/data/lab-reports/', import.meta.url).pathname;

it.skipIf(!existsSync(SUPPLIED_FOLDER))('reads the supplied reports', { timeout: TIMEOUT_MS }, async () => {
  expect(sharesOf(await scoreOfFolder(SUPPLIED_FOLDER))).toEqual({
    recall: atLeast(99.5),
    precision: atLeast(99.5),
    worstField: atLeast(99),
    wrongWithoutWarning: atMost(0.2),
  });
});
