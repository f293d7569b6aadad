import { parentPort } from 'node:worker_threads';
import { signBatch, type SigningBatch } from './batch.ts';

/** The signing thread: announces that it is ready, and then answers batches in order. */
parentPort?.on('message', (batch: SigningBatch) => parentPort?.postMessage(signBatch(batch)));
parentPort?.postMessage('');
