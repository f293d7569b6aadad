import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

/** A webhook that arrived, and whether its signature is valid. */
export interface ReceivedWebhook {
  readonly type: string;
  readonly status: string | undefined;
  readonly verified: boolean;
}

export interface LocalReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** Verifies all webhooks with this secret, including those that arrived before. */
  verifyWith(secret: string, onArrival: (arrival: ReceivedWebhook) => void): void;
  close(): Promise<void>;
}

const Body = z.object({
  event_type: z.string(),
  data: z.object({ last_event: z.object({ status: z.string() }).optional() }),
});

interface RawWebhook {
  readonly text: string;
  readonly headers: Record<string, string>;
}

/** Listens on this machine, as a developer's server would. */
export async function openReceiver(): Promise<LocalReceiver> {
  const arrivals: ReceivedWebhook[] = [];
  const early: RawWebhook[] = [];
  let take: (raw: RawWebhook) => void = (raw) => early.push(raw);
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
    received: arrivals,
    verifyWith: (secret, onArrival) => {
      const webhook = new Webhook(secret);
      take = (raw) => {
        const arrival = verifyWebhook(webhook, raw);
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

function verifyWebhook(webhook: Webhook, { text, headers }: RawWebhook): ReceivedWebhook {
  try {
    const { event_type: type, data } = Body.parse(webhook.verify(text, headers));
    return { type, status: data.last_event?.status, verified: true };
  } catch (error) {
    return { type: `rejected: ${String(error)}`, status: undefined, verified: false };
  }
}
