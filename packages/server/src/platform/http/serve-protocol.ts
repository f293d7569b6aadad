import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import type { DomainError } from '../errors.ts';
import { decodeUtf8, parseJson } from './body.ts';
import type { BodyReceiver } from './body-receiver.ts';
import { createErrorHandler } from './errors.ts';
import type { RequestLimiter } from './limit-requests.ts';
import type { Method } from './route.ts';
import { textsOf, type RequestHeaders } from './serve-open.ts';

/** The caller of a protocol. */
interface ProtocolPrincipal {
  /** The id of the credential, which the rate limit is for. */
  readonly keyId: string;
}

export interface ProtocolRequest<P extends ProtocolPrincipal> {
  readonly principal: P;
  readonly method: Method;
  /** The path below that of the protocol, decoded. */
  readonly path: string;
  /** The last value of a repeated parameter. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: RequestHeaders;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  /** For the audit log. */
  readonly from: { readonly address: string; readonly requestId: string };
}

export interface ProtocolResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * All paths below one, in a protocol of its own: with its credential, media types and errors. It is authenticated before
 * its body is read. The OpenAPI document does not contain it, because the protocol describes itself.
 */
export interface Protocol<P extends ProtocolPrincipal> {
  /** Of bodies; any other is a 415. */
  readonly mediaTypes: RegExp;
  /** Of responses and errors. */
  readonly contentType: string;
  readonly methods: readonly Method[];
  /** Units of the rate limit of the credential. */
  readonly costOf: (request: { method: string; path: string }) => number;
  readonly authenticate: (request: { headers: RequestHeaders; address: string }) => Promise<P>;
  readonly handler: (request: ProtocolRequest<P>) => Promise<ProtocolResponse>;
  /** The body of an error; undefined: an internal one, of which only the request id is revealed. */
  readonly renderError: (error: DomainError | undefined, requestId: string) => ProtocolResponse;
}

interface ProtocolServing {
  readonly log: Log;
  readonly receiver: BodyReceiver;
  readonly limiter: RequestLimiter;
}

/** Registered in its own Fastify scope, for its own media types and errors. */
export function serveProtocol<P extends ProtocolPrincipal>(
  server: FastifyInstance,
  path: string,
  { protocol, log, receiver, limiter }: ProtocolServing & { readonly protocol: Protocol<P> },
): void {
  const principals = new WeakMap<FastifyRequest, P>();
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { headers, ip: address, method } = request;
    const exchange = { request, reply };
    const principal = await limiter.countFailures(exchange, () =>
      protocol.authenticate({ headers, address }),
    );
    const cost = protocol.costOf({ method, path: pathBelow(request) });
    await limiter.management(exchange, { keyId: principal.keyId, cost });
    principals.set(request, principal);
    receiver.authenticated.add(request);
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = principals.get(request);
    if (!principal) throw new Error('The request was not authenticated');
    const { status, headers, text } = await protocol.handler({
      principal,
      method: request.method as Method,
      path: pathBelow(request),
      query: textsOf(request.query),
      headers: request.headers,
      body: request.body,
      from: { address: request.ip, requestId: request.id },
    });
    return reply
      .code(status)
      .headers(headers ?? {})
      .type(protocol.contentType)
      .send(text);
  };
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser(protocol.mediaTypes, async (request: FastifyRequest, stream: IncomingMessage) =>
      parseJson(decodeUtf8(await receiver.receive(request, stream))),
    );
    room.setErrorHandler(
      createErrorHandler(log, (error, requestId) => {
        const { status, text } = protocol.renderError(error, requestId);
        return { status, text, type: protocol.contentType };
      }),
    );
    for (const url of [path, `${path}/*`])
      room.route({ method: [...protocol.methods], url, exposeHeadRoute: false, onRequest, handler });
  });
}

const pathBelow = ({ params }: FastifyRequest): string => `/${textsOf(params)['*'] ?? ''}`;
