import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { DomainError } from '../errors.ts';
import { BodyMemory, type BodyShare } from './body-memory.ts';

const MEGABYTE = 1024 * 1024;

/** Part of the memory for bodies that requests without a key can use, so that they cannot take all of it. */
const UNAUTHENTICATED_PART = 4;

/**
 * Receives the bodies of one server into memory. A body that is larger than the limit of its route is a 413, one that
 * does not arrive in time a 408, one for which all bodies together leave no room a 503. In each case the caller still
 * gets the response; what it goes on sending is discarded.
 */
export interface BodyReceiver {
  receive(request: FastifyRequest, stream: Readable): Promise<Buffer>;
  /** The memory of this request, for readers that have a limit of their own. It is returned with the response. */
  shareOf(request: FastifyRequest): BodyShare;
  /** Requests that were authenticated before their body is read. */
  readonly authenticated: WeakSet<FastifyRequest>;
}

export function openBodyReceiver(server: FastifyInstance, config: Config): BodyReceiver {
  const memory = new BodyMemory(config.HTTP_BODY_MEMORY_MB * MEGABYTE);
  const unauthenticated = new BodyMemory(
    (config.HTTP_BODY_MEMORY_MB * MEGABYTE) / UNAUTHENTICATED_PART,
    memory,
  );
  const authenticated = new WeakSet<FastifyRequest>();
  const responses = new WeakMap<FastifyRequest, ServerResponse>();
  const timeoutMs = config.HTTP_BODY_SECONDS * 1000;
  server.addHook('onRequest', async (request, reply) => {
    if (announcesBody(request.headers)) responses.set(request, reply.raw);
  });
  const shareOf = (request: FastifyRequest): BodyShare => {
    const share = (authenticated.has(request) ? memory : unauthenticated).openShare();
    responses.get(request)?.once('close', share.release);
    return share;
  };
  return {
    authenticated,
    shareOf,
    receive: (request, stream) => {
      const limitBytes = request.routeOptions.bodyLimit ?? MEGABYTE;
      if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
        stream.resume();
        throw tooLarge();
      }
      return receiveBytes(stream, { limitBytes, timeoutMs, share: shareOf(request) });
    },
  };
}

export const announcesBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const tooLarge = () => new DomainError('too_large', 'The body is larger than the limit');

interface ReceivedBody {
  readonly limitBytes: number;
  readonly timeoutMs: number;
  readonly share: BodyShare;
}

function receiveBytes(stream: Readable, { limitBytes, timeoutMs, share }: ReceivedBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const stop = (reason: Error) => {
      settle();
      pieces.length = 0;
      share.release();
      // The rest is discarded, so that the caller can finish sending and read the response.
      stream.on('error', () => {});
      stream.resume();
      reject(reason);
    };
    const onData = (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > limitBytes) return stop(tooLarge());
      try {
        share.take(piece.length);
      } catch (error) {
        return stop(error instanceof Error ? error : new Error(String(error)));
      }
      pieces.push(piece);
    };
    const onEnd = () => {
      settle();
      resolve(Buffer.concat(pieces, bytes));
    };
    const onCut = () => stop(new DomainError('bad_request', 'The body was cut off'));
    const timer = setTimeout(
      () => stop(new DomainError('timed_out', `The body did not arrive within ${timeoutMs / 1000} seconds`)),
      timeoutMs,
    );
    const settle = () => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    stream.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}
