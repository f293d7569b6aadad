/**
 * The webhook receiver, in a process of its own: `/fast/N` answers immediately, `/slow/N` after 1.5 seconds, `/hang`
 * never. `GET /stats` returns what arrived since `POST /reset`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { z } from 'zod';

const { PORT } = z.object({ PORT: z.coerce.number() }).parse(process.env);
const SLOW_MS = 1500;

/** Times of arrival at `/fast`, in milliseconds since this process started. */
let arrivals: number[] = [];
/** From writing an event to its arrival, in milliseconds. */
let latencies: number[] = [];
let hanging = 0;

const CREATED = /"created_at":"([^"]+)"/;

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url?.startsWith('/slow')) return void setTimeout(() => response.end('ok'), SLOW_MS);
    if (request.url === '/hang') return void (hanging += 1);
    arrivals.push(performance.now());
    if (request.url?.startsWith('/fast/timed')) {
      const [, created] = CREATED.exec(Buffer.concat(chunks).toString()) ?? [];
      if (created !== undefined) latencies.push(Date.now() - Date.parse(created));
    }
    response.end('ok');
  });
}

const server = createServer((request, response) => {
  if (request.url === '/readyz') return void response.end('{}');
  if (request.url === '/counts') {
    const counts = { arrivals: arrivals.length, latencies: latencies.length };
    return void response.end(JSON.stringify(counts));
  }
  if (request.url === '/stats') return void response.end(JSON.stringify({ arrivals, latencies, hanging }));
  if (request.url === '/reset') {
    [arrivals, latencies, hanging] = [[], [], 0];
    return void response.end('{}');
  }
  take(request, response);
});
server.listen(PORT, '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
