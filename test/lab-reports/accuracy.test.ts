import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { wordsOfPdf } from '../../src/lab-reports/reading/pdf-words.ts';
import { readReport } from '../../src/lab-reports/reading/read.ts';
import { type Score, NOTHING, add, compare } from '../../tools/eval-reports/compare.ts';
import { type TrueLine, casesOf } from '../../tools/eval-reports/truth.ts';
import { DRAWN, DRAWN_SECOND, DRAWN_THIRD } from './drawn.ts';
import { DEVELOPED, HELD_OUT, WRITTEN_LAST, makeCase } from './reports.ts';

async function scoreOf(pdf: Uint8Array, truth: readonly TrueLine[]): Promise<Score> {
  return compare(truth, readReport(await wordsOfPdf(pdf, { maxPages: 30 })).results).score;
}

async function scoreOfLayouts(layouts: readonly string[], seed: number): Promise<Score> {
  let sum = NOTHING;
  for (const layout of layouts) {
    const { pdf, truth } = await makeCase(layout, seed);
    sum = add(sum, await scoreOf(pdf, truth.results));
  }
  return sum;
}

/** Shares in per cent, rounded down to tenths; a regression shows as a smaller number. */
function sharesOf(score: Score) {
  const share = (part: number, of: number) => Math.floor((1000 * part) / of) / 10;
  const fields = (['value', 'unit', 'range', 'flag'] as const).map((field) =>
    share(score[field], score.found),
  );
  return {
    recall: share(score.found, score.truth),
    precision: share(score.found, score.read),
    worstField: Math.min(...fields),
    wrongWithoutWarning: share(score.wrongUnwarned, score.found),
  };
}

const atLeast = (least: number) => expect.toSatisfy((share: number) => share >= least, `at least ${least}`);
const atMost = (most: number) => expect.toSatisfy((share: number) => share <= most, `at most ${most}`);

/** A test reads dozens of reports, each of them in a tenth of a second where nothing else runs. */
const PATIENCE_MS = 120_000;

/** Every second layout: the whole set is measured by tools/eval-reports. */
const SOME = DEVELOPED.filter((_, index) => index % 2 === 0);

it('makes the same report for the same seed', async () => {
  const [one, two] = [await makeCase('cards', 5), await makeCase('cards', 5)];
  expect(one.truth).toEqual(two.truth);
});

it('reads the layouts it was made with', { timeout: PATIENCE_MS }, async () => {
  expect(sharesOf(await scoreOfLayouts(SOME, 7))).toEqual({
    recall: atLeast(99.5),
    precision: atLeast(99.5),
    worstField: atLeast(99.3),
    wrongWithoutWarning: atMost(0.2),
  });
});

it('reads layouts it was only measured with', { timeout: PATIENCE_MS }, async () => {
  expect(sharesOf(await scoreOfLayouts([...HELD_OUT, ...WRITTEN_LAST], 7))).toEqual({
    recall: atLeast(99),
    precision: atLeast(99),
    worstField: atLeast(99),
    wrongWithoutWarning: atMost(0.2),
  });
});

it('reads reports that are drawn as those of many countries look', { timeout: PATIENCE_MS }, async () => {
  expect(sharesOf(await scoreOfLayouts([...DRAWN, ...DRAWN_SECOND, ...DRAWN_THIRD], 1))).toEqual({
    recall: atLeast(99.5),
    precision: atLeast(99.5),
    worstField: atLeast(99),
    wrongWithoutWarning: atMost(0.2),
  });
});

async function scoreOfFolder(folder: string): Promise<Score> {
  let sum = NOTHING;
  for (const { files, truth } of await casesOf(folder)) {
    const [file = ''] = files;
    if (file.endsWith('.pdf')) sum = add(sum, await scoreOf(await readFile(file), truth.results));
  }
  return sum;
}

it(
  'reads what other programs have printed, ligatures and bars of signs',
  { timeout: PATIENCE_MS },
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

/** The supplied examples lie beside the repository, not in it. */
const SUPPLIED = new URL('../../../shared/data/lab-reports/', import.meta.url).pathname;

it.skipIf(!existsSync(SUPPLIED))('reads the supplied reports', { timeout: PATIENCE_MS }, async () => {
  expect(sharesOf(await scoreOfFolder(SUPPLIED))).toEqual({
    recall: atLeast(99.5),
    precision: atLeast(99.5),
    worstField: atLeast(99),
    wrongWithoutWarning: atMost(0.2),
  });
});
