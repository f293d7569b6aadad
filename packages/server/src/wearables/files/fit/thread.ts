import { parentPort, type MessagePort } from 'node:worker_threads';
import { readPieces } from './pieces.ts';
import { loadFitSdk } from './sdk.ts';

interface FitDecodeRequest {
  readonly bytes: Uint8Array;
  readonly port: MessagePort;
  readonly timeZone: string | null;
}

/** The worker thread: receives files, each with a port on which its pieces are requested one by one. */
parentPort?.on('message', async ({ bytes, port, timeZone }: FitDecodeRequest) => {
  const pieces = readPieces(await loadFitSdk(), Buffer.from(bytes.buffer), timeZone);
  port.on('message', () => port.postMessage(pieces.next().value));
});
