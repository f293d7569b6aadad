import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openLoincIndex } from '../../src/lab-reports/coding/coding.ts';
import { wordsOfPdf } from '../../src/lab-reports/reading/pdf-words.ts';
import { readReport } from '../../src/lab-reports/reading/read.ts';
import type { Page } from '../../src/lab-reports/reading/word.ts';
import { DEVELOPED, makeCase } from '../../test/lab-reports/reports.ts';
import { ratioOf, type Result } from '../result.ts';

/** At most three times the time of pdftotext for a page, also with the codes of its lines. */
const GOAL = 0.333;
const REPORTS = 20;
const ROUNDS = 5;
const PAGES_MAX = 30;
const PROGRAM = 'pdftotext';

interface MadeFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly pages: number;
}

/**
 * Pages of text reports a second in this process, beside `pdftotext -layout` with its start: `report-text` the words
 * with their places, `report-lines` the results as well, `report-codes` with their LOINC codes too. Nothing where that
 * program is not installed.
 */
export async function reportText(): Promise<Result[]> {
  if (spawnSync(PROGRAM, ['-v']).error) {
    console.log(`report-text: skipped, for ${PROGRAM} (of poppler-utils) is not installed`);
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-bench-text-'));
  try {
    return await measure(await filesIn(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function filesIn(folder: string): Promise<MadeFile[]> {
  const files: MadeFile[] = [];
  for (const layout of DEVELOPED.slice(0, REPORTS)) {
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

async function measure(files: readonly MadeFile[]): Promise<Result[]> {
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
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.words.push(await perSecond(words));
    rounds.bare.push(await perSecond(bare));
    rounds.lines.push(await perSecond(lines));
    rounds.codes.push(await perSecond(codes));
  }
  return [
    ratioOf('report-text', { ours: rounds.words, bare: rounds.bare, goal: GOAL }),
    ratioOf('report-lines', { ours: rounds.lines, bare: rounds.bare, goal: GOAL }),
    ratioOf('report-codes', { ours: rounds.codes, bare: rounds.bare, goal: GOAL }),
  ];
}
