import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { event_type: string; data: Record<string, unknown>; [key: string]: unknown };
}

/** What a receiver answers, and when. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly afterMs?: number;
  /** Answers when this has happened: the test decides, and not the speed of the machine. */
  readonly after?: Promise<unknown>;
}

/** A real HTTP endpoint that writes down what it is sent, and answers as it is told. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers; 200 until told otherwise. */
  answer: (request: Received) => ReceiverAnswer;
  close(): Promise<void>;
}

/** Something that a test lets happen. */
export interface Release {
  readonly released: Promise<void>;
  release(): void;
}

export function openRelease(): Release {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  return { released, release };
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
      const { status, headers, afterMs = 0, after } = receiver.answer(one);
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
    answer: () => ({ status: 200 }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
