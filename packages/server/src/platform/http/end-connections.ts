import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A request that was sent on a new connection just before the stop arrives within this time. */
const GRACE_MS = 1000;

/**
 * Lets the server stop soon. While it closes, every response ends its connection. A connection on which no request has
 * come, such as one that a browser opened in advance, is neither idle nor in use to Node, which would wait for it.
 */
export function endConnectionsOnShutdown(server: FastifyInstance): void {
  let closing = false;
  const silent = trackSilentConnections(server);
  server.addHook('preClose', async () => {
    closing = true;
    const end = () => {
      for (const socket of silent.values()) socket.destroy();
    };
    setTimeout(end, GRACE_MS).unref();
  });
  server.addHook('onSend', async (_request, reply, payload) => {
    if (closing) reply.header('connection', 'close');
    return payload;
  });
}

/** The open connections without a request so far, by the caller's end: under TLS, a request has another socket. */
function trackSilentConnections({ server: listener }: FastifyInstance): ReadonlyMap<string, Socket> {
  const silent = new Map<string, Socket>();
  listener.on('connection', (socket: Socket) => {
    const caller = callerOf(socket);
    silent.set(caller, socket);
    socket.once('close', () => silent.delete(caller));
  });
  listener.on('request', ({ socket }: { socket: Socket }) => silent.delete(callerOf(socket)));
  return silent;
}

const callerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
