import type { FastifyReply, FastifyRequest } from 'fastify';
import { logAccess } from './access-logger.ts';
import { toAuthenticationRequest } from './authentication-request.ts';
import { JSON_MEDIA_TYPE, negotiateMediaType } from './content-negotiation.ts';
import { EVENT_STREAM_TYPE } from './event-output.ts';
import type { EventStreams } from './event-streams.ts';
import { serveNegotiated } from './serve-file.ts';
import { originOf } from './assistant-calls.ts';
import {
  authenticate,
  authenticateAndValidate,
  loggedAccessOf,
  serveTeam,
  type AnyTeamRoute,
  type ServedTeamRoute,
} from './serve-team.ts';

type StreamRoute = NonNullable<AnyTeamRoute['stream']>;

/** Serves a route as its `Accept` prefers: as JSON, as a file, or as an event stream if it is one. */
export function serveTeamRoute(served: ServedTeamRoute, streams: EventStreams) {
  const { stream } = served.route;
  if (!stream) return serveNegotiated(served);
  const json = serveTeam(served);
  return (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('vary', 'accept');
    return negotiateMediaType(request.headers.accept, [JSON_MEDIA_TYPE, EVENT_STREAM_TYPE]) ===
      JSON_MEDIA_TYPE
      ? json(request, reply)
      : openStream(served, { streams, stream }, { request, reply });
  };
}

const OK = 200;

/** An error before the first event is a normal error response. */
async function openStream(
  served: ServedTeamRoute,
  { streams, stream }: { streams: EventStreams; stream: StreamRoute },
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const { full, headers } = await authenticateAndValidate(served, request);
  const principal = await authenticate(served, request);
  const asked = toAuthenticationRequest(served, request);
  const body = streams.open({ gate: served.gate, principal, asked });
  reply.raw.once('close', () => body.destroy());
  try {
    const lastEventId = request.headers['last-event-id'];
    const given = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined;
    await logAccess(loggedAccessOf(served, { full, from: originOf(request) }), async () => {
      const stop = await stream({ ...full, lastEventId: given, output: body });
      if (body.destroyed) stop();
      else body.once('close', stop);
      return { status: OK };
    });
  } catch (error) {
    body.destroy();
    throw error;
  }
  return (
    reply
      .headers(headers)
      // No later request on this connection: it would delay the stop of the server.
      .headers({ connection: 'close', 'x-accel-buffering': 'no', 'cache-control': 'no-store, no-transform' })
      .type(EVENT_STREAM_TYPE)
      .send(body)
  );
}
