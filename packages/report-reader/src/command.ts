// `aliquot-report-reader FILE...`: reads one report, a PDF or the images of its pages in order, and prints it as JSON.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { checkLoincCsv } from './coding/read-loinc-csv.ts';
import { checkFiles, disableNetwork, readFiles, type FileCheck, type ReportFile } from './report-reader.ts';

const USAGE = `Usage: aliquot-report-reader [--loinc FILE] FILE...

Reads one laboratory report, a PDF or up to 8 images of its pages in order, and prints its lines as JSON.

  --loinc FILE   codes from this Loinc.csv instead of those of the package
  --help         this text`;

interface Arguments {
  readonly files: readonly string[];
  readonly loincCsv: string | null;
}

/** Exit code: 0 when the report was read, 1 when it could not be read, 2 for a wrong call. */
async function run({ files: paths, loincCsv }: Arguments): Promise<number> {
  if (loincCsv !== null) await checkLoincCsv(loincCsv);
  const files = await Promise.all(paths.map(openFile));
  const check = await checkFiles(files);
  if ('refused' in check) return fail(`${paths.join(', ')}: ${check.refused}`, 1);
  const declared = files.map((file, at) => ({ ...file, type: typeOf(check, at) }));
  const reading = await readFiles(declared, { onPage: () => {}, loincCsv });
  process.stdout.write(`${JSON.stringify('read' in reading ? reading.read : reading, null, 2)}\n`);
  return 'read' in reading ? 0 : 1;
}

/** Declares no type of its own: the first bytes tell it. */
const openFile = async (path: string): Promise<ReportFile> => ({
  type: 'application/octet-stream',
  bytes: await readFile(path),
});

const typeOf = (check: Exclude<FileCheck, { refused: string }>, at: number): string =>
  check.types[at] ?? 'application/octet-stream';

function fail(message: string, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}

async function main(): Promise<number> {
  const options = { loinc: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
  let given;
  try {
    given = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, 2);
  }
  const { values, positionals: files } = given;
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (files.length === 0) return fail(USAGE, 2);
  disableNetwork();
  try {
    return await run({ files, loincCsv: values.loinc ?? null });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 1);
  }
}

process.exitCode = await main();
