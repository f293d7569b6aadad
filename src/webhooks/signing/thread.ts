import { parentPort } from 'node:worker_threads';
import { signaturesOf, type Batch } from './batch.ts';

/** A thread of its own: it says when it is there, and then answers batches in their order. */
parentPort?.on('message', (batch: Batch) => parentPort?.postMessage(signaturesOf(batch)));
parentPort?.postMessage('');
