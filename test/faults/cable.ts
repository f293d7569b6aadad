import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The wire to somebody who listens, as a receiver or a database, which can be cut. */
export interface Cable {
  readonly port: number;
  /** Breaks every connection. Until it is mended new ones are refused, or taken and never answered. */
  cut(how: 'refusing' | 'silent'): void;
  mend(): void;
  close(): Promise<void>;
}

/** To a port of this machine, or to a socket in its files. */
export async function openCable(to: number | string): Promise<Cable> {
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
    // Those that were taken in silence end too, as a network that comes back resets them.
    mend: () => {
      state = 'whole';
      breakAll();
    },
    close: () => {
      breakAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
