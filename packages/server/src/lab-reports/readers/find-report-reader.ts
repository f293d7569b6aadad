import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { z } from 'zod';

/** The package that reads lab reports, which is installed separately: it is larger than the service. */
export const REPORT_READER_PACKAGE = 'aliquot-report-reader';

interface ReportReaderPackage {
  readonly folder: string;
  readonly version: string;
}

const Manifest = z.object({ version: z.string() });

/** Where the package of the report reader is installed; undefined without it. */
export function findReportReader(): ReportReaderPackage | undefined {
  let file: string;
  try {
    file = createRequire(import.meta.url).resolve(`${REPORT_READER_PACKAGE}/package.json`);
  } catch {
    return undefined;
  }
  return { folder: dirname(file), version: Manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version };
}
