import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A TCP proxy to a server that can be cut. It keeps its port meanwhile, because a released port could be taken by
 * another process.
 */
export interface CuttableProxy {
  /** The URL of the server under this path, through the proxy. */
  url(path: string): string;
  /** Closes all connections, and every new one until `restore`. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function openCuttableProxy({ hostname, port }: URL): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect({ host: hostname, port: Number(port) });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: (path) => `http://127.0.0.1:${own}/${path}/`,
    cut: () => {
      isCut = true;
      hangUp();
    },
    restore: () => {
      isCut = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        hangUp();
      }),
  };
}
