import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

/** A webhook as it came in, and whether its signature is right. */
export interface Arrival {
  readonly type: string;
  readonly status: string | undefined;
  readonly verified: boolean;
}

export interface LocalReceiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** From now on signatures are checked with this secret; what came before is looked at now. */
  expect(secret: string, onArrival: (arrival: Arrival) => void): void;
  close(): Promise<void>;
}

const Body = z.object({
  event_type: z.string(),
  data: z.object({ last_event: z.object({ status: z.string() }).optional() }),
});

interface Raw {
  readonly text: string;
  readonly headers: Record<string, string>;
}

/** Listens on this machine, as a developer's own server would. */
export async function openReceiver(): Promise<LocalReceiver> {
  const arrivals: Arrival[] = [];
  const early: Raw[] = [];
  let take: (raw: Raw) => void = (raw) => early.push(raw);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      take({ text: Buffer.concat(chunks).toString(), headers: Object.fromEntries(headers) });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    arrivals,
    expect: (secret, onArrival) => {
      const webhook = new Webhook(secret);
      take = (raw) => {
        const arrival = judge(webhook, raw);
        arrivals.push(arrival);
        onArrival(arrival);
      };
      early.splice(0).forEach(take);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function judge(webhook: Webhook, { text, headers }: Raw): Arrival {
  try {
    const { event_type: type, data } = Body.parse(webhook.verify(text, headers));
    return { type, status: data.last_event?.status, verified: true };
  } catch (error) {
    return { type: `refused: ${String(error)}`, status: undefined, verified: false };
  }
}
