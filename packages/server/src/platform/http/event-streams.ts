import type { FastifyInstance } from 'fastify';
import { SECOND } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { startLoop, type Loop } from '../jobs/loop.ts';
import type { Platform } from '../work.ts';
import { EventStreamBody } from './event-output.ts';
import type { AuthenticationRequest, Authenticator, TeamPrincipal } from './route.ts';

/** A revoked key or an ended session is noticed within this time plus that of one lookup. */
const CHECK_INTERVAL_MS = SECOND;
const RETRY_SECONDS = 10;

interface StreamCaller {
  readonly gate: Authenticator;
  readonly principal: TeamPrincipal;
  /** Authenticates the caller again while the stream is open. */
  readonly asked: AuthenticationRequest;
}

/** The open event streams of a process. */
export interface EventStreams {
  /** Counts a stream until its body closes. 429 above the limits. */
  open(caller: StreamCaller): EventStreamBody;
}

/**
 * Keeps the event streams of a server: limits their number, sends heartbeats, and ends them when their caller may no
 * longer read them or the server stops. One loop does this for all streams; it runs only while there are any.
 */
export function openEventStreams(app: Platform, server: FastifyInstance): EventStreams {
  const open = new Map<EventStreamBody, StreamCaller>();
  let loop: Loop | undefined;
  let isClosing = false;
  const check = async () => {
    for (const body of open.keys()) body.check(app.config.EVENT_STREAM_HEARTBEAT_SECONDS * SECOND);
    await endForbidden(app, open);
    return false;
  };
  const remove = (body: EventStreamBody) => {
    open.delete(body);
    if (open.size > 0) return;
    void loop?.stop();
    loop = undefined;
  };
  server.addHook('preClose', async () => {
    isClosing = true;
    for (const body of open.keys()) body.end('the server stops');
    await loop?.stop();
  });
  return {
    open: (caller) => {
      if (isClosing) throw new DomainError('unavailable', 'The server stops', RETRY_SECONDS);
      requireRoom(app, [...open.values()], caller);
      const body = new EventStreamBody();
      open.set(body, caller);
      body.once('close', () => remove(body));
      loop ??= startLoop(app, { name: 'event-streams', everyMs: CHECK_INTERVAL_MS, iterate: check });
      return body;
    },
  };
}

function requireRoom(
  { config }: Platform,
  open: readonly StreamCaller[],
  { principal: { tenant } }: StreamCaller,
): void {
  if (open.length >= config.EVENT_STREAMS)
    throw new DomainError('too_many', 'This server has too many open event streams', RETRY_SECONDS);
  const ofTeam = open.filter(({ principal }) => principal.tenant.teamId === tenant.teamId).length;
  if (ofTeam < config.EVENT_STREAMS_PER_TEAM) return;
  const limit = `at most ${config.EVENT_STREAMS_PER_TEAM} on one server`;
  throw new DomainError('too_many', `The team has too many open event streams: ${limit}`, RETRY_SECONDS);
}

/** The errors that say that a caller may not read the stream, not that it could not be checked. */
const REFUSALS = new Set(['bad_request', 'unauthorized', 'forbidden', 'not_found', 'invalid']);

/** Ends the streams whose credential was revoked, expired or lost its permission. Each credential is checked once. */
async function endForbidden(
  { log }: Platform,
  open: ReadonlyMap<EventStreamBody, StreamCaller>,
): Promise<void> {
  const byCredential = new Map<string, [EventStreamBody, StreamCaller][]>();
  for (const stream of open) {
    const name = credentialOf(stream[1].principal);
    const others = byCredential.get(name);
    if (others) others.push(stream);
    else byCredential.set(name, [stream]);
  }
  const checks = [...byCredential.values()].map(async (streams) => {
    const [first] = streams;
    if (!first) return;
    const [, { gate, asked }] = first;
    const error: unknown = await gate.team(asked).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return;
    if (error instanceof DomainError && REFUSALS.has(error.kind))
      for (const [body] of streams) body.end('the key or session has ended or lost its permission');
    else log.warn({ err: error }, 'the caller of an event stream could not be checked; trying again');
  });
  await Promise.all(checks);
}

const credentialOf = ({ tenant, keyId, member }: TeamPrincipal): string =>
  [tenant.teamId, tenant.environment, member?.sessionId ?? keyId].join();
