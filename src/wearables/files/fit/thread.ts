import { parentPort, type MessagePort } from 'node:worker_threads';
import { piecesOf } from './pieces.ts';
import { fitSdk } from './sdk.ts';

interface File {
  readonly bytes: Uint8Array;
  readonly port: MessagePort;
}

/** A thread of its own: it is handed files, each with a port on which their pieces are asked for one by one. */
parentPort?.on('message', async ({ bytes, port }: File) => {
  const pieces = piecesOf(await fitSdk(), Buffer.from(bytes.buffer));
  port.on('message', () => port.postMessage(pieces.next().value));
});
