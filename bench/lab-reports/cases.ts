import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openLoincIndex } from '../../packages/report-reader/src/coding/coding.ts';
import { readPdfWords } from '../../packages/report-reader/src/reading/pdf-words.ts';
import { readReport } from '../../packages/report-reader/src/reading/read.ts';
import type { ReportPage } from '../../packages/report-reader/src/reading/report-model.ts';
import { DEVELOPED, generateCase } from '../../packages/report-reader/test/reports.ts';
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

interface ReportFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly pages: number;
}

/** Text reports in a folder; none if pdftotext is not installed. */
const reportStage = defineStage<readonly ReportFile[]>({
  name: 'report-text',
  expectedSeconds: { full: 10, quick: 2 },
  open: async (cleanups: CleanupTasks, size: BenchSize) =>
    spawnSync(PROGRAM, ['-v']).error ? [] : filesIn(await openFolder('text', cleanups, size), REPORTS[size]),
});

/**
 * Pages of text reports per second in this process, compared with `pdftotext -layout` including its start.
 * `report-text` reads the words with their positions, `report-lines` also the results, `report-codes` also their LOINC
 * codes.
 */
export const reportText = defineCase<readonly ReportFile[], { rounds: number }>({
  name: 'report-text',
  group: {
    heading: 'Text report pages per second: this reader and pdftotext',
    columns: ['pages/s', 'pdftotext'],
  },
  // At most three times the time of pdftotext per page, even with LOINC codes.
  goal: 0.333,
  stage: reportStage,
  sizes: { full: { rounds: 5 }, quick: { rounds: 1 } },
  expectedSeconds: { full: 60, quick: 3 },
  run: async (files, context) => {
    if (files.length > 0) return measure(files, context);
    context.skip(`${PROGRAM} (of poppler-utils) is not installed`);
  },
});

async function filesIn(folder: string, count: number): Promise<ReportFile[]> {
  const files: ReportFile[] = [];
  for (const layout of DEVELOPED.slice(0, count)) {
    const { pdf: bytes } = await generateCase(layout, 1);
    const path = join(folder, `${layout}.pdf`);
    await writeFile(path, bytes);
    files.push({ path, bytes, pages: (await readWords({ bytes })).length });
  }
  return files;
}

const readWords = ({ bytes }: Pick<ReportFile, 'bytes'>): Promise<ReportPage[]> =>
  readPdfWords(bytes, { maxPages: PAGES_MAX });
const readResults = async (file: ReportFile): Promise<unknown> => readReport(await readWords(file));
const runPdftotext = ({ path }: ReportFile): Promise<unknown> =>
  promisify(execFile)(PROGRAM, ['-layout', path, '-']);

/** Reads the results of a file with their LOINC codes. */
async function createCoder(): Promise<(file: ReportFile) => Promise<unknown>> {
  const index = await openLoincIndex({
    folder: new URL('../../packages/report-reader/data/loinc/', import.meta.url),
  });
  return async (file) => {
    const { results, language } = readReport(await readWords(file));
    return index.codeLines(results, { language });
  };
}

async function measure(
  files: readonly ReportFile[],
  { parameters, goal, report, advance }: BenchCaseContext<{ rounds: number }>,
): Promise<void> {
  const codes = await createCoder();
  const pages = files.reduce((sum, file) => sum + file.pages, 0);
  const perSecond = async (read: (file: ReportFile) => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    for (const file of files) await read(file);
    return (1000 * pages) / (performance.now() - from);
  };
  for (const read of [readWords, readResults, codes, runPdftotext]) await perSecond(read);
  const rounds: Record<'words' | 'lines' | 'codes' | 'bare', number[]> = {
    words: [],
    lines: [],
    codes: [],
    bare: [],
  };
  for (let round = 0; round < parameters.rounds; round += 1) {
    rounds.words.push(await perSecond(readWords));
    rounds.bare.push(await perSecond(runPdftotext));
    rounds.lines.push(await perSecond(readResults));
    rounds.codes.push(await perSecond(codes));
    advance(round + 1, parameters.rounds);
  }
  report(ratioOf('report-text', { ours: rounds.words, bare: rounds.bare, goal }));
  report(ratioOf('report-lines', { ours: rounds.lines, bare: rounds.bare, goal }));
  report(ratioOf('report-codes', { ours: rounds.codes, bare: rounds.bare, goal }));
}
