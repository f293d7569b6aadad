import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * The way to a server, which can be cut. The port stays taken meanwhile: one that was given back may be somebody else's
 * when the server wants it again.
 */
export interface Line {
  /** Where the server is found under this path, by this way. */
  url(path: string): string;
  /** Hangs up, and on everybody who calls from now on. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openLine({ hostname, port }: URL): Promise<Line> {
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
    mend: () => {
      isCut = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        hangUp();
      }),
  };
}
