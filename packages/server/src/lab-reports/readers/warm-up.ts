import { readFiles } from 'aliquot-report-reader';
import { samplePdf } from './sample-pdf.ts';

/** Loads libraries and LOINC codes by reading a sample report, so that the first real report is fast. Throws without them. */
export async function warmUp(loincCsv: string | null): Promise<void> {
  const reading = await readFiles([{ type: 'application/pdf', bytes: samplePdf() }], {
    onPage: () => {},
    loincCsv,
  });
  // What failed to load would be missing for the report, too.
  if ('failed' in reading) throw new Error(`The sample report cannot be read: ${reading.failed}`);
}
