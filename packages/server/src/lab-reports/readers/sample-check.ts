import { samplePdf } from './sample-pdf.ts';
import type { ChildOutcome, ChildTask } from './run-child.ts';

/**
 * Whether a reader process can read a sample report now. A file is blamed for crashes of its process only then: short of
 * memory, processes crash in ways that do not tell why.
 */
export async function canReadSample(
  run: (task: Pick<ChildTask, 'request' | 'files'>) => Promise<ChildOutcome>,
): Promise<boolean> {
  const ending = await run({
    request: { ask: 'read', loincCsv: null },
    files: [{ type: 'application/pdf', bytes: samplePdf() }],
  });
  return ending.end === 'answered' && ending.text !== undefined && !ending.text.startsWith('{"failed"');
}
