import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { event_type: string; data: Record<string, unknown>; [key: string]: unknown };
}

/** The response of a receiver, and when it is sent. */
interface ReceiverResponse {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly afterMs?: number;
  /** Responds after this promise, so that the test decides and not the speed of the machine. */
  readonly after?: Promise<unknown>;
}

/** A real HTTP endpoint that records requests and responds as configured. */
export interface Receiver {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** The response to a request; default 200. */
  respond: (request: ReceivedRequest) => ReceiverResponse;
  close(): Promise<void>;
}

/** A latch: `released` resolves when the test calls `release()`. */
interface Latch {
  readonly released: Promise<void>;
  release(): void;
}

export function createLatch(): Latch {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  return { released, release };
}

export async function openReceiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? '/', headers: request.headers, text, body: JSON.parse(text) };
      received.push(one);
      const { status, headers, afterMs = 0, after } = receiver.respond(one);
      const answer = () => void response.writeHead(status, headers).end('ok');
      if (after) void after.then(answer);
      else setTimeout(answer, afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    respond: () => ({ status: 200 }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
