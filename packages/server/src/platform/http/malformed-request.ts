import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newRandomId } from '../ids.ts';

// prettier-ignore
const refusals: Record<string, readonly [number, string]> = {
  HPE_HEADER_OVERFLOW:      [431, 'The headers are larger than the limit'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request timed out'],
};
const NOT_HTTP = [400, 'The request is not valid HTTP'] as const;

/**
 * Responds to a malformed request in the shape of all other errors. There is no route and no hook yet, so the response
 * bytes are written here.
 */
export function refuseMalformedRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  writeRefusal(socket, refusals[error.code ?? ''] ?? NOT_HTTP);
  socket.destroy(error);
}

/** Writes a whole response and ends the connection. */
export function writeRefusal(socket: Socket, [status, detail]: readonly [number, string]): void {
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newRandomId()}`,
    'connection: close',
  ];
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
