import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import { SCHEDULING_PROVIDERS, type SchedulingProviderName } from './port.ts';
import type { SchedulingSimulationOptions } from './simulated.ts';
import { createStatefulSchedulingProvider, type StatefulSchedulingProvider } from './stateful-simulator.ts';
import {
  AppointmentRequestBody,
  AvailabilityRequestBody,
  CancelRequestBody,
  VisitStatusQuery,
  toWireSlot,
  toWireVisit,
} from './wire.ts';

interface SchedulingSimulatorOptions extends SchedulingSimulationOptions {
  readonly token: string;
  /** Delay before every response. */
  readonly latencyMs?: number;
  readonly port?: number;
}

export interface SchedulingSimulator {
  /** The base URL of a provider; ends with a slash. */
  url(name: SchedulingProviderName): string;
  /** Number of requests received so far. */
  countRequests(): number;
  close(): Promise<void>;
}

interface SimulatorReply {
  readonly status: number;
  readonly body: object;
  readonly retryAfterSeconds?: number | undefined;
}

const createFailure = (status: number, code: string, message: string): SimulatorReply => ({
  status,
  body: { code, message },
});
const NOT_FOUND_REPLY = createFailure(404, 'not_found', 'Unknown appointment');
const SLOT_TAKEN_REPLY = createFailure(409, 'slot_taken', 'The slot is full');

/** Serves the stateful simulated providers on localhost over the protocol of docs/reference/scheduling-protocol.md. */
export async function startSchedulingSimulator(
  options: SchedulingSimulatorOptions,
): Promise<SchedulingSimulator> {
  const providers = new Map<string, StatefulSchedulingProvider>(
    SCHEDULING_PROVIDERS.map((name) => [name, createStatefulSchedulingProvider(name, options)]),
  );
  let heard = 0;
  const server = createServer((incoming, outgoing) => {
    heard += 1;
    void handleRequest(providers, options, incoming)
      .catch(toErrorReply)
      .then((reply) => send(outgoing, reply));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulator has no port');
  return {
    url: (name) => `http://127.0.0.1:${address.port}/${name}/`,
    countRequests: () => heard,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handleRequest(
  providers: ReadonlyMap<string, StatefulSchedulingProvider>,
  { token, latencyMs = 0 }: SchedulingSimulatorOptions,
  incoming: IncomingMessage,
): Promise<SimulatorReply> {
  if (latencyMs > 0) await wait(latencyMs);
  if (!isSameSecret(incoming.headers.authorization ?? '', `Bearer ${token}`)) {
    return createFailure(401, 'unauthorized', 'A valid bearer token is required');
  }
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://simulator');
  const [, name = '', ...parts] = pathname.split('/').map(decodeURIComponent);
  const provider = providers.get(name);
  if (!provider) return createFailure(404, 'not_found', 'Unknown provider');
  const doing = `${incoming.method ?? ''} ${[parts[0], ...parts.slice(2)].join('/')}`;
  const act = ACTIONS[doing];
  if (!act) return createFailure(404, 'not_found', 'Unknown path');
  const body = incoming.method === 'GET' ? Object.fromEntries(searchParams) : await readJson(incoming);
  return act(provider, parts[1] ?? '', body);
}

type SimulatorAction = (
  provider: StatefulSchedulingProvider,
  appointmentId: string,
  body: unknown,
) => Promise<SimulatorReply>;

const ACTIONS: Readonly<Record<string, SimulatorAction>> = {
  'POST availability': async (provider, _none, body) => {
    const answered = await provider.availability(parseBody(AvailabilityRequestBody, body));
    const places = answered.map(({ place, slots }) => ({ code: place.code, slots: slots.map(toWireSlot) }));
    return { status: 200, body: { places } };
  },
  'PUT appointments': async (provider, id, body) =>
    toVisitReply(id, await provider.put(id, parseBody(AppointmentRequestBody, body))),
  'POST appointments/reschedule': async (provider, id, body) =>
    toVisitReply(id, await provider.move(id, parseBody(AppointmentRequestBody, body))),
  'POST appointments/confirm': async (provider, id) => toVisitReply(id, await provider.confirm(id)),
  'POST appointments/cancel': async (provider, id, body) => {
    parseBody(CancelRequestBody, body);
    return toVisitReply(id, await provider.cancel(id));
  },
  'GET appointments': async (provider, id, query) =>
    toVisitReply(id, await provider.look(id, parseBody(VisitStatusQuery, query).asked_at)),
};

function toVisitReply(
  appointmentId: string,
  visit: Awaited<ReturnType<StatefulSchedulingProvider['put']>> | undefined,
): SimulatorReply {
  if (visit === undefined) return NOT_FOUND_REPLY;
  if (visit === 'taken') return SLOT_TAKEN_REPLY;
  return { status: 200, body: toWireVisit(appointmentId, visit) };
}

function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DomainError('invalid', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

const REQUEST_LIMIT_BYTES = 1024 * 1024;

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > REQUEST_LIMIT_BYTES) throw new DomainError('too_large', 'The request body is too large');
    parts.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new DomainError('invalid', 'The request body is not valid JSON');
  }
}

function toErrorReply(error: unknown): SimulatorReply {
  if (!(error instanceof DomainError)) return createFailure(500, 'failed', 'The simulator failed');
  if (error.kind === 'unavailable') {
    return { ...createFailure(503, 'down', error.message), retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error.kind === 'too_large') return createFailure(413, 'too_large', error.message);
  return error.kind === 'invalid'
    ? createFailure(400, 'bad_request', error.message)
    : createFailure(422, 'refused', error.message);
}

function send(outgoing: ServerResponse, { status, body, retryAfterSeconds }: SimulatorReply): void {
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  outgoing.writeHead(status, { 'content-type': 'application/json', ...retry });
  outgoing.end(JSON.stringify(body));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
