import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import type { HearFrame, ListenOptions, MllpListener } from '../wire.ts';
import { framed, openFramer, type Frame } from './frames.ts';

/** All connections together may hold as many bytes of unfinished frames as so many frames of the largest size. */
const FRAMES_HELD_MAX = 16;
/** How long a connection may be busy when the service stops. */
const CLOSE_PATIENCE_MS = 10_000;

interface Line {
  /** The answering that is under way; the next one waits for it, so that answers keep the order of questions. */
  busy: Promise<void>;
}

/**
 * Listens for frames and answers each with what `hear` gives back, in their order. A sender who does not wait for
 * answers is read from no further until those so far are written.
 */
export function listen(options: ListenOptions, hear: HearFrame): Promise<MllpListener> {
  const lines = new Map<Socket, Line>();
  const held = { bytes: 0 };
  const attend = (socket: Socket) => attendTo(socket, { options, hear, lines, held });
  const server = openServer(options, attend);
  server.maxConnections = options.connections;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', reject);
      // What fails from now on is one connection; the others go on.
      server.on('error', () => {});
      const { port } = server.address() as AddressInfo;
      resolve({ port, close: () => close(server, lines) });
    });
  });
}

function openServer({ tls, idleMs }: ListenOptions, attend: (socket: Socket) => void): Server {
  if (!tls) return createPlainServer({ noDelay: true }, attend);
  const { cert, key, ca } = tls;
  const trust = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true };
  const settings = { cert, key, ...trust, handshakeTimeout: idleMs, minVersion: 'TLSv1.2' as const };
  const server = createTlsServer(settings, attend);
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

interface Attending {
  readonly options: ListenOptions;
  readonly hear: HearFrame;
  readonly lines: Map<Socket, Line>;
  readonly held: { bytes: number };
}

function attendTo(socket: Socket, { options, hear, lines, held }: Attending): void {
  const line: Line = { busy: Promise.resolve() };
  const framer = openFramer(options.limitBytes);
  const from = {
    remoteAddress: socket.remoteAddress ?? '',
    fingerprint: socket instanceof TLSSocket ? (socket.getPeerCertificate().fingerprint256 ?? null) : null,
  };
  const answer = async (frames: readonly Frame[]) => {
    // A failure inside is silence: the sender hears nothing and sends again.
    const answers = await Promise.all(frames.map((frame) => hear({ ...frame, ...from }).catch(() => null)));
    for (const bytes of answers) if (bytes && socket.writable) socket.write(framed(bytes));
  };
  const hold = (before: number) => {
    held.bytes += framer.held - before;
    if (held.bytes > options.limitBytes * FRAMES_HELD_MAX) socket.destroy();
  };
  lines.set(socket, line);
  socket.setTimeout(options.idleMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    const before = framer.held;
    const frames = framer.push(chunk);
    hold(before);
    if (frames.length === 0) return;
    socket.pause();
    line.busy = line.busy.then(() => answer(frames)).then(() => void socket.resume());
  });
  socket.on('close', () => {
    held.bytes -= framer.held;
    line.busy = line.busy.then(() => answer(framer.end())).finally(() => lines.delete(socket));
  });
}

async function close(server: Server, lines: Map<Socket, Line>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of lines.keys()) socket.pause();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_PATIENCE_MS);
  });
  const idle = async () => {
    await Promise.all([...lines.values()].map(({ busy }) => busy));
    for (const socket of lines.keys()) socket.destroySoon();
    await closed;
    await Promise.all([...lines.values()].map(({ busy }) => busy));
  };
  await Promise.race([idle(), late]).finally(() => clearTimeout(timer));
  for (const socket of lines.keys()) socket.destroy();
}
