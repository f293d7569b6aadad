// Reads files as a worker process does, but many: started with an IPC channel, it answers each file with the outcome.
import { checkFiles } from '../src/files/check-files.ts';
import { disableNetwork } from '../src/files/no-network.ts';
import { renderPageImage } from '../src/files/page-image.ts';
import { readFiles } from '../src/read-files.ts';

/** The outcome of reading a file. Page images may fail, because the service then shows none. */
async function readDecision(bytes: Buffer): Promise<string> {
  const files = [{ type: '', bytes }];
  const checked = await checkFiles(files);
  if ('refused' in checked) return 'refused';
  const outcome = await readFiles(files, { onPage: () => {}, loincCsv: null });
  await renderPageImage(files, 1).catch(() => undefined);
  return 'failed' in outcome ? outcome.failed : 'read';
}

disableNetwork();
process.on('message', (bytes: Uint8Array) => {
  void readDecision(Buffer.from(bytes)).then(
    (decision) => process.send?.(decision),
    (error: unknown) => process.send?.(`threw ${String(error)}`),
  );
});
