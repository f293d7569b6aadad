// Reads files as a worker process does, but many: started with an IPC channel, answers each message with what came of it.
import { checkFiles } from '../../src/lab-reports/work/check-files.ts';
import { leaveNetwork } from '../../src/lab-reports/work/no-network.ts';
import { pageImage } from '../../src/lab-reports/work/page-image.ts';
import { readFiles } from '../../src/lab-reports/work/read-file.ts';

/** What is drawn of a page is not said here; that it can fail is no harm, for then there is no picture. */
async function decided(bytes: Buffer): Promise<string> {
  const files = [{ type: '', bytes }];
  const checked = await checkFiles(files);
  if ('refused' in checked) return 'refused';
  const outcome = await readFiles(files, { tellPage: () => {}, loincCsv: null });
  await pageImage(files, 1).catch(() => undefined);
  return 'failed' in outcome ? outcome.failed : 'read';
}

leaveNetwork();
process.on('message', (bytes: Uint8Array) => {
  void decided(Buffer.from(bytes)).then(
    (decision) => process.send?.(decision),
    (error: unknown) => process.send?.(`threw ${String(error)}`),
  );
});
