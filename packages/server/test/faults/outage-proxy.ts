import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy to a server, such as a receiver or a database, that can simulate network outages. */
export interface OutageProxy {
  readonly port: number;
  /** Breaks every connection. Until `restore`, new ones are refused, or accepted and never answered. */
  cut(how: 'refusing' | 'silent'): void;
  restore(): void;
  close(): Promise<void>;
}

/** To a local port, or to a Unix socket. */
export async function openOutageProxy(to: number | string): Promise<OutageProxy> {
  const ends = new Set<Socket>();
  let state: 'whole' | 'refusing' | 'silent' = 'whole';
  const keep = (socket: Socket) => {
    ends.add(socket);
    socket.on('error', () => {}).on('close', () => ends.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (state === 'refusing') near.destroy();
    if (state !== 'whole') return;
    const far = typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to);
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = () => ends.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    cut: (how) => {
      state = how;
      breakAll();
    },
    // Connections that were accepted silently end too, as if a recovered network reset them.
    restore: () => {
      state = 'whole';
      breakAll();
    },
    close: () => {
      breakAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
