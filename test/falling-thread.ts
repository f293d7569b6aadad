import { parentPort } from 'node:worker_threads';

/** A thread that says that it is there, and falls when it is asked for something. */
parentPort?.on('message', ({ ids }: { ids: readonly string[] }) => {
  if (ids.length > 0) throw new Error('It falls');
  parentPort?.postMessage('');
});
parentPort?.postMessage('');
