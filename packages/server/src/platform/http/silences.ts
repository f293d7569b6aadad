import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Further requests are answered at once. */
const SILENCES_MAX = 100;

/** Keeps a caller waiting until the time is over, it gives up, or the server stops. */
type KeepSilent = (response: ServerResponse, ms: number) => Promise<void>;

export function openSilences(server: FastifyInstance): KeepSilent {
  const waiting = new Set<() => void>();
  let isClosing = false;
  server.addHook('preClose', async () => {
    isClosing = true;
    for (const end of waiting) end();
  });
  return (response, ms) => {
    if (isClosing || waiting.size >= SILENCES_MAX || response.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        response.off('close', end);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      response.once('close', end);
      waiting.add(end);
    });
  };
}
