import { parentPort } from 'node:worker_threads';

/** A worker thread that reports that it is ready, and crashes on its first request. */
parentPort?.on('message', ({ ids }: { ids: readonly string[] }) => {
  if (ids.length > 0) throw new Error('It falls');
  parentPort?.postMessage('');
});
parentPort?.postMessage('');
