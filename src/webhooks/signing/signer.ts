import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { programOf, type Program } from '../../platform/program.ts';
import { packed, type ToSign } from './batch.ts';

const SIGNER: Program = { name: 'webhook-signer', source: 'src/webhooks/signing/thread.ts' };
/** It keeps nothing; the large young generation of the thread that sends would only grow here. */
const YOUNG = { maxYoungGenerationSizeMb: 8 };
/** After the thread has fallen, how long none is started. */
const REST_MS = 60_000;

/** Signs many messages beside the thread that sends them, which has its hands full with connections. */
export interface Signer {
  /**
   * The signatures of messages, in their order; an undefined message has an empty one. Answers undefined when there is no
   * thread for it, now or ever: then each is signed where it is sent.
   */
  sign(messages: readonly (ToSign | undefined)[], timestamp: string): Promise<string[]> | undefined;
  close(): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  /** Who waits for an answer, in the order of their questions. */
  readonly waiting: ((signatures: string) => void)[];
}

export interface SignerOptions {
  readonly cores?: number;
  readonly program?: Program;
}

/** On a single core a thread would only take the place of the one that sends. */
export function openSigner({ cores = availableParallelism(), program = SIGNER }: SignerOptions = {}): Signer {
  let thread: Thread | undefined;
  let starting = false;
  let closed = cores < 2;
  let notBefore = 0;
  const start = async () => {
    starting = true;
    try {
      const started = await startThread(program, () => {
        thread = undefined;
        notBefore = performance.now() + REST_MS;
      });
      if (closed) await started.worker.terminate();
      else thread = started;
    } catch {
      notBefore = performance.now() + REST_MS;
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
      const batch = packed(messages, timestamp);
      return new Promise((resolve) => {
        // A thread that falls leaves no signatures: those messages are signed where they are sent.
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

/** Answers once the thread is there; it holds up no process that wants to end. */
async function startThread(program: Program, fallen: () => void): Promise<Thread> {
  const worker = new Worker(await programOf(program), { resourceLimits: YOUNG });
  worker.unref();
  const waiting: Thread['waiting'] = [];
  worker.on('message', (signatures: string) => waiting.shift()?.(signatures));
  await new Promise<void>((resolve, reject) => {
    waiting.push(() => resolve());
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that signs has fallen')));
  });
  worker.on('error', () => undefined);
  worker.on('exit', () => {
    fallen();
    for (const answer of waiting.splice(0)) answer('');
  });
  return { worker, waiting };
}
