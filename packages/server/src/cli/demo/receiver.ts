import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives the webhooks of a demo while it is being made. */
export interface DemoReceiver {
  readonly url: string;
  /** From now on, the endpoint that failed answers 200. */
  recover(): void;
  close(): Promise<void>;
}

/** `/healthy` accepts everything, `/failing` nothing, and `/recovering` nothing until it recovers. */
export async function openDemoReceiver(): Promise<DemoReceiver> {
  let hasRecovered = false;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const isFine = request.url === '/healthy' || (request.url === '/recovering' && hasRecovered);
      response.writeHead(isFine ? 200 : 503, { 'content-type': 'text/plain' });
      response.end(isFine ? 'ok' : 'The system behind this endpoint is down.');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    recover: () => {
      hasRecovered = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
