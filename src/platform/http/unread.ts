import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newRandomId } from '../ids.ts';

// prettier-ignore
const refusals: Record<string, readonly [number, string]> = {
  HPE_HEADER_OVERFLOW:      [431, 'The headers are larger than the limit'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time'],
};
const NO_HTTP = [400, 'The request is not HTTP'] as const;

/**
 * Answers what could not be read as a request, in the shape of all other refusals. There is neither a route nor a
 * hook yet, so the bytes of the answer are written here.
 */
export function refuseUnread(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, detail] = refusals[error.code ?? ''] ?? NO_HTTP;
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newRandomId()}`,
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
