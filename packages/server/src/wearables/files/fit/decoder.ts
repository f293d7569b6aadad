import { once } from 'node:events';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { locateProgram } from '../../../platform/program.ts';
import type { FitPiece } from './pieces.ts';

const DECODER = { name: 'fit-decoder', source: 'src/wearables/files/fit/thread.ts' };

/** One thread for all files: loading the FIT profile takes a quarter of a second. */
let thread: Promise<Worker> | undefined;

/** Decodes a FIT file in a worker thread. Pieces are requested one at a time, so that the event loop is not blocked. */
export async function* decodeFit(bytes: Buffer, timeZone: string | null): AsyncGenerator<FitPiece> {
  const worker = await (thread ??= startThread().catch(resetThread));
  const { port1: here, port2: there } = new MessageChannel();
  const leave = () => here.close();
  let why: unknown;
  const fell = (error: unknown) => (why = error);
  const fallen = once(here, 'close').then((): never => {
    throw new Error('The FIT decoder thread exited unexpectedly', { cause: why });
  });
  fallen.catch(() => undefined);
  worker.once('error', fell).once('exit', leave);
  try {
    const own = new Uint8Array(bytes);
    worker.postMessage({ bytes: own, port: there, timeZone }, [own.buffer, there]);
    for (;;) {
      const piece = await Promise.race([requestPiece(here), fallen]);
      yield piece;
      if (piece.kind !== 'reading') return;
    }
  } finally {
    worker.off('error', fell).off('exit', leave);
    leave();
  }
}

async function requestPiece(port: MessagePort): Promise<FitPiece> {
  port.postMessage(null);
  const [piece] = await once(port, 'message');
  // The other side is our own worker.
  return piece as FitPiece;
}

/** The thread does not keep the process alive. After a crash, the next file starts a new one. */
async function startThread(): Promise<Worker> {
  const worker = new Worker(await locateProgram(DECODER));
  worker.unref();
  worker.on('error', () => undefined);
  worker.on('exit', () => (thread = undefined));
  return worker;
}

function resetThread(error: unknown): never {
  thread = undefined;
  throw error;
}
