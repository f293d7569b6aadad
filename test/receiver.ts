import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { event_type: string; data: Record<string, unknown>; [key: string]: unknown };
}

/** A real HTTP endpoint that writes down what it is sent, and answers as it is told. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers; 200 until told otherwise. */
  answer: (request: Received) => { status: number; headers?: Record<string, string>; afterMs?: number };
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? '/', headers: request.headers, text, body: JSON.parse(text) };
      received.push(one);
      const { status, headers, afterMs } = receiver.answer(one);
      setTimeout(() => response.writeHead(status, headers).end('ok'), afterMs ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: () => ({ status: 200 }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
