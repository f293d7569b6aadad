import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openLoincIndex } from '../../src/lab-reports/coding/coding.ts';
import { wordsOfPdf } from '../../src/lab-reports/reading/pdf-words.ts';
import { readReport } from '../../src/lab-reports/reading/read.ts';
import type { Page } from '../../src/lab-reports/reading/word.ts';
import { DEVELOPED, makeCase } from '../../test/lab-reports/reports.ts';
import {
  defineCase,
  defineStage,
  type BenchCaseContext,
  type BenchSize,
} from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { openFolder } from '../folder.ts';
import { ratioOf } from '../result.ts';

const REPORTS = { full: 20, quick: 3 } as const;
const PAGES_MAX = 30;
const PROGRAM = 'pdftotext';

interface MadeFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly pages: number;
}

/** Text reports in a folder; none where the program to compare with is not installed. */
const reportStage = defineStage<readonly MadeFile[]>({
  name: 'report-text',
  expectedSeconds: { full: 10, quick: 2 },
  open: async (cleanups: CleanupTasks, size: BenchSize) =>
    spawnSync(PROGRAM, ['-v']).error ? [] : filesIn(await openFolder('text', cleanups, size), REPORTS[size]),
});

/**
 * Pages of text reports a second in this process, beside `pdftotext -layout` with its start: `report-text` the words
 * with their places, `report-lines` the results as well, `report-codes` with their LOINC codes too.
 */
export const reportText = defineCase<readonly MadeFile[], { rounds: number }>({
  name: 'report-text',
  group: {
    heading: 'Pages of text reports a second, and those of pdftotext',
    columns: ['pages/s', 'pdftotext'],
  },
  // At most three times the time of pdftotext for a page, also with the codes of its lines.
  goal: 0.333,
  stage: reportStage,
  sizes: { full: { rounds: 5 }, quick: { rounds: 1 } },
  expectedSeconds: { full: 60, quick: 3 },
  run: async (files, context) => {
    if (files.length > 0) return measure(files, context);
    context.skip(`${PROGRAM} (of poppler-utils) is not installed`);
  },
});

async function filesIn(folder: string, count: number): Promise<MadeFile[]> {
  const files: MadeFile[] = [];
  for (const layout of DEVELOPED.slice(0, count)) {
    const { pdf: bytes } = await makeCase(layout, 1);
    const path = join(folder, `${layout}.pdf`);
    await writeFile(path, bytes);
    files.push({ path, bytes, pages: (await words({ bytes })).length });
  }
  return files;
}

const words = ({ bytes }: Pick<MadeFile, 'bytes'>): Promise<Page[]> =>
  wordsOfPdf(bytes, { maxPages: PAGES_MAX });
const lines = async (file: MadeFile): Promise<unknown> => readReport(await words(file));
const bare = ({ path }: MadeFile): Promise<unknown> => promisify(execFile)(PROGRAM, ['-layout', path, '-']);

/** The results of a file with their codes. */
async function coder(): Promise<(file: MadeFile) => Promise<unknown>> {
  const index = await openLoincIndex({ folder: new URL('../../data/loinc/', import.meta.url) });
  return async (file) => {
    const { results, language } = readReport(await words(file));
    return index.codeLines(results, { language });
  };
}

async function measure(
  files: readonly MadeFile[],
  { parameters, goal, report, advance }: BenchCaseContext<{ rounds: number }>,
): Promise<void> {
  const codes = await coder();
  const pages = files.reduce((sum, file) => sum + file.pages, 0);
  const perSecond = async (read: (file: MadeFile) => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    for (const file of files) await read(file);
    return (1000 * pages) / (performance.now() - from);
  };
  for (const read of [words, lines, codes, bare]) await perSecond(read);
  const rounds: Record<'words' | 'lines' | 'codes' | 'bare', number[]> = {
    words: [],
    lines: [],
    codes: [],
    bare: [],
  };
  for (let round = 0; round < parameters.rounds; round += 1) {
    rounds.words.push(await perSecond(words));
    rounds.bare.push(await perSecond(bare));
    rounds.lines.push(await perSecond(lines));
    rounds.codes.push(await perSecond(codes));
    advance(round + 1, parameters.rounds);
  }
  report(ratioOf('report-text', { ours: rounds.words, bare: rounds.bare, goal }));
  report(ratioOf('report-lines', { ours: rounds.lines, bare: rounds.bare, goal }));
  report(ratioOf('report-codes', { ours: rounds.codes, bare: rounds.bare, goal }));
}
