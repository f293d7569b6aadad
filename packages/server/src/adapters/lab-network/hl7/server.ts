import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import type { FrameHandler, MllpListenOptions, MllpListener, MllpLoad } from '../protocol.ts';
import { networkOfAddress } from '../../../platform/network-of-address.ts';
import { wrapFrame, createFramer, type MllpFrame } from './frames.ts';

/** Limit of buffered bytes of all connections of a load together, in frames of the maximum size. */
const BUFFERED_FRAMES_MAX = 16;
const HANDSHAKE_TIMEOUT_MS = 30_000;
/** How long shutdown waits for busy connections. */
const CLOSE_TIMEOUT_MS = 10_000;

interface MllpConnection {
  /** The response in progress; the next one waits for it, so that responses keep the order of frames. */
  busy: Promise<void>;
}

/**
 * Listens for frames and sends the handler's response to each, in order. Backpressure: a connection is not read while
 * earlier responses are pending.
 */
export function listen(options: MllpListenOptions, hear: FrameHandler): Promise<MllpListener> {
  const lines = new Map<Socket, MllpConnection>();
  const load = options.load ?? { connections: 0, byNetwork: new Map(), bufferedBytes: 0 };
  const attend = (socket: Socket) => handleConnection(socket, { options, hear, lines, load });
  const server = createMllpServer(options, attend);
  limitConnections(server, options, load);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', reject);
      // Later errors concern single connections and must not stop the server.
      server.on('error', () => {});
      const { port } = server.address() as AddressInfo;
      resolve({ port, close: () => close(server, lines) });
    });
  });
}

function createMllpServer({ tls, idleMs }: MllpListenOptions, attend: (socket: Socket) => void): Server {
  // A client may close its side and wait for the response on the other.
  if (!tls) return createPlainServer({ noDelay: true, allowHalfOpen: true }, attend);
  const { cert, key, ca } = tls;
  const trust = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true };
  const handshakeTimeout = Math.min(idleMs, HANDSHAKE_TIMEOUT_MS);
  const common = { allowHalfOpen: true, handshakeTimeout, minVersion: 'TLSv1.2' as const };
  const settings = { cert, key, ...trust, ...common };
  const server = createTlsServer(settings, attend);
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

/** Closes connections above the limit, or above the share of their address, before any TLS handshake. */
function limitConnections(server: Server, options: MllpListenOptions, load: MllpLoad): void {
  const share = options.connectionsPerAddress ?? options.connections;
  const counts = load.byNetwork;
  server.prependListener('connection', (socket: Socket) => {
    const network = networkOfAddress(socket.remoteAddress ?? '');
    const before = counts.get(network) ?? 0;
    if (before >= share || load.connections >= options.connections) {
      socket.destroy();
      return;
    }
    load.connections += 1;
    counts.set(network, before + 1);
    socket.once('close', () => {
      load.connections -= 1;
      const rest = (counts.get(network) ?? 1) - 1;
      if (rest > 0) counts.set(network, rest);
      else counts.delete(network);
    });
  });
}

interface MllpServerContext {
  readonly options: MllpListenOptions;
  readonly hear: FrameHandler;
  readonly lines: Map<Socket, MllpConnection>;
  readonly load: MllpLoad;
}

function handleConnection(socket: Socket, { options, hear, lines, load }: MllpServerContext): void {
  if (socket.destroyed) return;
  const line: MllpConnection = { busy: Promise.resolve() };
  const framer = createFramer(options.limitBytes);
  const from = {
    remoteAddress: socket.remoteAddress ?? '',
    fingerprint: socket instanceof TLSSocket ? (socket.getPeerCertificate().fingerprint256 ?? null) : null,
  };
  const answer = async (frames: readonly MllpFrame[]) => {
    // After an internal error no response is sent, so that the sender retries.
    const answers = await Promise.all(frames.map((frame) => hear({ ...frame, ...from }).catch(() => null)));
    for (const bytes of answers) if (bytes && socket.writable) socket.write(wrapFrame(bytes));
  };
  const hold = (before: number) => {
    load.bufferedBytes += framer.bufferedBytes - before;
    if (load.bufferedBytes > options.limitBytes * BUFFERED_FRAMES_MAX) socket.destroy();
  };
  lines.set(socket, line);
  socket.setTimeout(options.idleMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    const before = framer.bufferedBytes;
    const frames = framer.push(chunk);
    hold(before);
    if (frames.length === 0) return;
    socket.pause();
    line.busy = line.busy.then(() => answer(frames)).then(() => void socket.resume());
  });
  const answerRest = () => {
    load.bufferedBytes -= framer.bufferedBytes;
    const frames = framer.end();
    line.busy = line.busy.then(() => answer(frames));
  };
  socket.on('end', () => {
    answerRest();
    line.busy = line.busy.then(() => void socket.end());
  });
  socket.on('close', () => {
    answerRest();
    line.busy = line.busy.finally(() => lines.delete(socket));
  });
}

async function close(server: Server, lines: Map<Socket, MllpConnection>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of lines.keys()) socket.pause();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
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
