import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateCase } from '../test/reports.ts';

const COMMAND = fileURLToPath(new URL('command.ts', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-report-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: string[]) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
    const child = execFile(
      process.execPath,
      ['--import', 'tsx', COMMAND, ...args],
      { maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => done({ code: child.exitCode, stdout, stderr }),
    );
  });

describe('aliquot-report-reader', () => {
  it('prints the lines of a PDF with their codes and places', async () => {
    const { pdf, truth } = await generateCase('urineDip', 1);
    const path = join(folder, 'report.pdf');
    await writeFile(path, pdf);
    const { code, stdout, stderr } = await run(path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { lines, pages } = JSON.parse(stdout) as {
      lines: { testName: string; boxes: object; loinc: object }[];
      pages: object[];
    };
    expect(lines.map(({ testName }) => testName)).toEqual(truth.results.map(({ name }) => name));
    expect(lines[0]).toMatchObject({
      boxes: { value: { x0: expect.any(Number) } },
      loinc: { matches: expect.any(Array) },
    });
    expect(pages).toHaveLength(1);
  });

  it.each([
    ['a file of another type', ['text.txt'], 1, /text\.txt: Unsupported file type/],
    ['a missing Loinc.csv', ['--loinc', 'missing.csv', 'text.txt'], 1, /missing\.csv/],
    ['no file', [], 2, /Usage/],
  ])('says what is wrong with %s', async (_what, args, code, said) => {
    await writeFile(join(folder, 'text.txt'), 'Glucose 90 mg/dL');
    const result = await run(...args.map((arg) => (arg.startsWith('--') ? arg : join(folder, arg))));
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(said) });
    expect(result.stderr).not.toContain('    at ');
  });
});
