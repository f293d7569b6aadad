import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy that serves one service below a path, as nginx or Caddy does. */
export interface PathProxy {
  /** Such as `http://localhost:40123/aliquot`. */
  readonly url: string;
  /** Whether the service gets its paths without the prefix. */
  stripsPrefix: boolean;
  /** The port of the service behind it. */
  target: number;
  /** Paths outside the prefix that a browser asked for: they would be another program's. */
  readonly outside: string[];
  close(): Promise<void>;
}

export async function openPathProxy(prefix: string): Promise<PathProxy> {
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (path !== prefix && !path.startsWith(`${prefix}/`)) {
      proxy.outside.push(path);
      response.writeHead(404).end('Another program');
      return;
    }
    const { method, headers } = incoming;
    const passed = proxy.stripsPrefix ? path.slice(prefix.length) || '/' : path;
    const outgoing = requestOf({ port: proxy.target, path: passed, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: PathProxy = {
    url: `http://localhost:${port}${prefix}`,
    stripsPrefix: true,
    target: 0,
    outside: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
