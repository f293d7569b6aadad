import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { locateProgram, type BundledProgram } from '../../../platform/program.ts';
import { packBatch, type SignableMessage } from './batch.ts';

const SIGNER: BundledProgram = { name: 'webhook-signer', source: 'src/delivery/webhooks/signing/thread.ts' };
/** The thread keeps no data, so the large young generation of the sender would be wasted memory. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8 };
/** How long no thread is started after one has crashed. */
const RESTART_DELAY_MS = 60_000;

/** Signs many messages in another thread than the sender, which is busy with connections. */
export interface Signer {
  /**
   * The signatures of messages, in order; an undefined message has an empty one. Returns undefined if no thread is
   * available: then each message is signed where it is sent.
   */
  sign(messages: readonly (SignableMessage | undefined)[], timestamp: string): Promise<string[]> | undefined;
  close(): Promise<void>;
}

interface SignerThread {
  readonly worker: Worker;
  /** Callbacks for the pending batches, in order. */
  readonly waiting: ((signatures: string) => void)[];
}

interface SignerOptions {
  readonly cores?: number;
  readonly program?: BundledProgram;
}

/** On a single core no thread is used: it would only compete with the sender. */
export function openSigner({ cores = availableParallelism(), program = SIGNER }: SignerOptions = {}): Signer {
  let thread: SignerThread | undefined;
  let starting = false;
  let closed = cores < 2;
  let notBefore = 0;
  const start = async () => {
    starting = true;
    try {
      const started = await startThread(program, () => {
        thread = undefined;
        notBefore = performance.now() + RESTART_DELAY_MS;
      });
      if (closed) await started.worker.terminate();
      else thread = started;
    } catch {
      notBefore = performance.now() + RESTART_DELAY_MS;
    } finally {
      starting = false;
    }
  };
  return {
    sign: (messages, timestamp) => {
      if (closed) return undefined;
      if (!thread) {
        if (!starting && performance.now() >= notBefore) void start();
        return undefined;
      }
      const { worker, waiting } = thread;
      const batch = packBatch(messages, timestamp);
      return new Promise((resolve) => {
        // A crashed thread returns no signatures: those messages are signed where they are sent.
        waiting.push((signatures) => resolve(signatures.split('\n')));
        worker.postMessage(batch, [batch.bytes.buffer]);
      });
    },
    close: async () => {
      closed = true;
      await thread?.worker.terminate();
    },
  };
}

/** Resolves once the thread is ready. The thread does not keep the process alive. */
async function startThread(program: BundledProgram, fallen: () => void): Promise<SignerThread> {
  const worker = new Worker(await locateProgram(program), { resourceLimits: THREAD_LIMITS });
  worker.unref();
  const waiting: SignerThread['waiting'] = [];
  worker.on('message', (signatures: string) => waiting.shift()?.(signatures));
  await new Promise<void>((resolve, reject) => {
    waiting.push(() => resolve());
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The signing thread has exited')));
  });
  worker.on('error', () => undefined);
  worker.on('exit', () => {
    fallen();
    for (const answer of waiting.splice(0)) answer('');
  });
  return { worker, waiting };
}
