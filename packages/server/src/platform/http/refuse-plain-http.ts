import type { Server, Socket } from 'node:net';
import { writeRefusal } from './malformed-request.ts';

/** The first byte of every TLS connection: a handshake record. */
const TLS_HANDSHAKE = 0x16;
const FIRST_BYTE_MS = 10_000;

/**
 * Answers a client that speaks plain HTTP on the port of TLS with a 400 that says so; otherwise it would see only a closed
 * connection. Must be called before others listen for connections.
 */
export function refusePlainHttp(server: Server): void {
  const [startTls, ...others] = server.listeners('connection');
  if (startTls === undefined || others.length > 0) throw new Error('expected a new TLS server');
  server.removeListener('connection', startTls as (socket: Socket) => void);
  server.on('connection', (socket: Socket) => {
    const drop = () => socket.destroy();
    socket.setTimeout(FIRST_BYTE_MS, drop);
    socket.on('error', drop);
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      socket.setTimeout(0, drop);
      socket.removeListener('error', drop);
      if (chunk[0] === TLS_HANDSHAKE) {
        socket.unshift(chunk);
        Reflect.apply(startTls, server, [socket]);
        return;
      }
      socket.on('error', drop);
      writeRefusal(socket, [400, 'This port expects HTTPS: use https:// instead of http://']);
    });
  });
}
