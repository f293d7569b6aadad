import { once } from 'node:events';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { programOf } from '../../../platform/program.ts';
import type { FitPiece } from './pieces.ts';

const DECODER = { name: 'fit-decoder', source: 'src/wearables/files/fit/thread.ts' };

/** One thread for all files: to load the profile takes it a quarter of a second. */
let thread: Promise<Worker> | undefined;

/** The pieces of a FIT file, each asked for when the one before is done with, so that no turn is long. */
export async function* decoded(bytes: Buffer): AsyncGenerator<FitPiece> {
  const worker = await (thread ??= startThread().catch(forget));
  const { port1: here, port2: there } = new MessageChannel();
  const leave = () => here.close();
  let why: unknown;
  const fell = (error: unknown) => (why = error);
  const fallen = once(here, 'close').then((): never => {
    throw new Error('The thread that decodes FIT files has fallen', { cause: why });
  });
  fallen.catch(() => undefined);
  worker.once('error', fell).once('exit', leave);
  try {
    const own = new Uint8Array(bytes);
    worker.postMessage({ bytes: own, port: there }, [own.buffer, there]);
    for (;;) {
      const piece = await Promise.race([ask(here), fallen]);
      yield piece;
      if (piece.kind !== 'reading') return;
    }
  } finally {
    worker.off('error', fell).off('exit', leave);
    leave();
  }
}

async function ask(port: MessagePort): Promise<FitPiece> {
  port.postMessage(null);
  const [piece] = await once(port, 'message');
  // Only our own program is on the other side.
  return piece as FitPiece;
}

/** It holds up no process that wants to end. Once it has fallen, the next file gets another. */
async function startThread(): Promise<Worker> {
  const worker = new Worker(await programOf(DECODER));
  worker.unref();
  worker.on('error', () => undefined);
  worker.on('exit', () => (thread = undefined));
  return worker;
}

function forget(error: unknown): never {
  thread = undefined;
  throw error;
}
