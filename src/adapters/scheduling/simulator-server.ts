import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import { SCHEDULING_PROVIDERS, type SchedulingProviderName } from './port.ts';
import type { SimulationOptions } from './simulated.ts';
import { rememberingProvider, type RememberingProvider } from './simulator-memory.ts';
import {
  AppointmentQuestion,
  AvailabilityQuestion,
  CancelQuestion,
  LookQuestion,
  slotOut,
  visitOut,
} from './wire.ts';

export interface SimulatorOptions extends SimulationOptions {
  readonly token: string;
  /** Waited before every answer. */
  readonly latencyMs?: number;
  readonly port?: number;
}

export interface SimulatorServer {
  /** Where a provider is found, with a slash at the end. */
  url(name: SchedulingProviderName): string;
  /** How many messages it was sent so far. */
  heard(): number;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body: object;
  readonly retryAfterSeconds?: number | undefined;
}

const failure = (status: number, code: string, message: string): Reply => ({
  status,
  body: { code, message },
});
const UNKNOWN = failure(404, 'not_found', 'There is no such appointment');
const TAKEN = failure(409, 'slot_taken', 'The slot has no place left');

/** The simulated providers behind a socket on this machine, speaking the protocol of docs/scheduling.md, with a memory. */
export async function openSimulator(options: SimulatorOptions): Promise<SimulatorServer> {
  const providers = new Map<string, RememberingProvider>(
    SCHEDULING_PROVIDERS.map((name) => [name, rememberingProvider(name, options)]),
  );
  let heard = 0;
  const server = createServer((incoming, outgoing) => {
    heard += 1;
    void answer(providers, options, incoming)
      .catch(replyOf)
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
    heard: () => heard,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  providers: ReadonlyMap<string, RememberingProvider>,
  { token, latencyMs = 0 }: SimulatorOptions,
  incoming: IncomingMessage,
): Promise<Reply> {
  if (latencyMs > 0) await wait(latencyMs);
  if (!isSame(incoming.headers.authorization ?? '', `Bearer ${token}`)) {
    return failure(401, 'unauthorized', 'A bearer token is needed');
  }
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://simulator');
  const [, name = '', ...parts] = pathname.split('/').map(decodeURIComponent);
  const provider = providers.get(name);
  if (!provider) return failure(404, 'not_found', 'There is no such provider');
  const doing = `${incoming.method ?? ''} ${[parts[0], ...parts.slice(2)].join('/')}`;
  const act = ACTS[doing];
  if (!act) return failure(404, 'not_found', 'There is no such path');
  const body = incoming.method === 'GET' ? Object.fromEntries(searchParams) : await readJson(incoming);
  return act(provider, parts[1] ?? '', body);
}

type Act = (provider: RememberingProvider, appointmentId: string, body: unknown) => Promise<Reply>;

const ACTS: Readonly<Record<string, Act>> = {
  'POST availability': async (provider, _none, body) => {
    const answered = await provider.availability(read(AvailabilityQuestion, body));
    const places = answered.map(({ place, slots }) => ({ code: place.code, slots: slots.map(slotOut) }));
    return { status: 200, body: { places } };
  },
  'PUT appointments': async (provider, id, body) =>
    visitReply(id, await provider.put(id, read(AppointmentQuestion, body))),
  'POST appointments/reschedule': async (provider, id, body) =>
    visitReply(id, await provider.move(id, read(AppointmentQuestion, body))),
  'POST appointments/confirm': async (provider, id) => visitReply(id, await provider.confirm(id)),
  'POST appointments/cancel': async (provider, id, body) => {
    read(CancelQuestion, body);
    return visitReply(id, await provider.cancel(id));
  },
  'GET appointments': async (provider, id, query) =>
    visitReply(id, await provider.look(id, read(LookQuestion, query).asked_at)),
};

function visitReply(
  appointmentId: string,
  visit: Awaited<ReturnType<RememberingProvider['put']>> | undefined,
): Reply {
  if (visit === undefined) return UNKNOWN;
  if (visit === 'taken') return TAKEN;
  return { status: 200, body: visitOut(appointmentId, visit) };
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DomainError('invalid', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

const QUESTION_LIMIT_BYTES = 1024 * 1024;

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > QUESTION_LIMIT_BYTES) throw new DomainError('too_large', 'The message is too long');
    parts.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new DomainError('invalid', 'The message is not JSON');
  }
}

function replyOf(error: unknown): Reply {
  if (!(error instanceof DomainError)) return failure(500, 'failed', 'The simulator failed');
  if (error.kind === 'unavailable') {
    return { ...failure(503, 'down', error.message), retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error.kind === 'too_large') return failure(413, 'too_large', error.message);
  return error.kind === 'invalid'
    ? failure(400, 'bad_request', error.message)
    : failure(422, 'refused', error.message);
}

function send(outgoing: ServerResponse, { status, body, retryAfterSeconds }: Reply): void {
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  outgoing.writeHead(status, { 'content-type': 'application/json', ...retry });
  outgoing.end(JSON.stringify(body));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));
