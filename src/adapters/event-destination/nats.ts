import { jetstream, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { errors, headers, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { CONTENT_TYPE, encodeAll, type Encoded } from './encode.ts';
import { connectTo } from './nats-connection.ts';
import {
  ADDRESSES_MAX,
  at,
  firstThatWorks,
  inTime,
  PATIENCE_MS,
  reasonOf,
  type BrokerOptions,
} from './patience.ts';
import type { EventDestination, Line, NatsSettings, Published, Resolve } from './port.ts';

const PORT = 4222;
const PING_MS = 20_000;

/**
 * NATS JetStream: every message is acknowledged by the stream that keeps it. The header Nats-Msg-Id lets the stream
 * drop what it has seen within its own window. Servers that a cluster tells of are not followed: only those that
 * were set are ever connected to, each at an address that was looked at.
 */
export function nats({
  connectMs = PATIENCE_MS,
  answerMs = PATIENCE_MS,
  ca,
}: BrokerOptions = {}): EventDestination<NatsSettings> {
  return {
    connect: async (settings, resolve) => {
      const connection = await firstThatWorks(
        settings.servers,
        (server) => open(server, { resolve, patienceMs: connectMs, ca }),
        '; ',
      );
      return lineOf(connection, settings, answerMs);
    },
  };
}

interface By {
  readonly resolve: Resolve;
  readonly patienceMs: number;
  readonly ca: string | undefined;
}

async function open(server: string, { resolve, patienceMs, ca }: By): Promise<NatsConnection> {
  const url = new URL(server);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? PORT : Number(url.port);
  const addresses = (await resolve(host)).slice(0, ADDRESSES_MAX);
  const connecting = firstThatWorks(addresses, (address) =>
    connectTo({
      ...accountOf(url),
      trusted: { host, ca },
      isSecure: url.protocol === 'tls:',
      servers: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
      resolve: false,
      reconnect: false,
      ignoreClusterUpdates: true,
      timeout: patienceMs,
      pingInterval: PING_MS,
      name: 'events',
    }),
  );
  return at(`${url.hostname}:${port}`, connecting);
}

function accountOf({ username, password }: URL): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> {
  if (username === '') return {};
  const name = decodeURIComponent(username);
  return password === '' ? { token: name } : { user: name, pass: decodeURIComponent(password) };
}

function lineOf(connection: NatsConnection, settings: NatsSettings, patienceMs: number): Line {
  let closed: string | undefined;
  void connection.closed().then((error) => {
    closed ??= error ? reasonOf(error) : 'The connection was closed';
  });
  const stream = jetstream(connection, { timeout: patienceMs });
  const close = async () => {
    closed ??= 'The connection was closed by us';
    await inTime(connection.close(), patienceMs);
  };
  return {
    get isOpen() {
      return closed === undefined && !connection.isClosed();
    },
    publish: async (messages) => {
      const confirmed: string[] = [];
      const refused: { id: string; reason: string }[] = [];
      let broken: string | undefined;
      await Promise.all(
        (await encodeAll(messages)).map(async (each) => {
          const { message } = each;
          const answer = await send(stream, settings, { ...each, patienceMs });
          if (answer === undefined) confirmed.push(message.id);
          else if (answer.alone) refused.push({ id: message.id, reason: answer.reason });
          else broken ??= answer.reason;
        }),
      );
      // Who hangs would keep us waiting on this connection for as long as it hangs; another one may find one that does not.
      if (broken !== undefined) void close();
      return { confirmed, refused, broken: broken ?? null } satisfies Published;
    },
    close,
  };
}

interface Refusal {
  readonly reason: string;
  /** It is this message that is not taken, and not the connection that failed. */
  readonly alone: boolean;
}

async function send(
  stream: JetStreamClient,
  { stream: streamName, subjectPrefix }: NatsSettings,
  { message, bytes, encoding, patienceMs }: Encoded & { patienceMs: number },
): Promise<Refusal | undefined> {
  const head = headers();
  head.set('Content-Type', CONTENT_TYPE);
  if (encoding) head.set('Content-Encoding', encoding);
  head.set('team_id', message.teamId);
  if (message.userId !== null) head.set('user_id', message.userId);
  const subject = `${subjectPrefix}.${message.type}`;
  try {
    await stream.publish(subject, bytes, {
      msgID: message.id,
      headers: head,
      timeout: patienceMs,
      retries: 0,
      ...(streamName === null ? {} : { expect: { streamName } }),
    });
    return undefined;
  } catch (error) {
    if (isLate(error)) return { reason: `No acknowledgement within ${patienceMs / 1000} s`, alone: false };
    return judged(error, subject);
  }
}

const isLate = (error: unknown): boolean =>
  error instanceof errors.TimeoutError ||
  (error instanceof Error && error.cause instanceof errors.TimeoutError);

function judged(error: unknown, subject: string): Refusal {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (isNoResponders(error) || isNoResponders(cause)) {
    return { reason: `No stream keeps the subject ${subject}`, alone: true };
  }
  const own = [error, cause].some(
    (one) =>
      one instanceof JetStreamApiError ||
      one instanceof errors.InvalidArgumentError ||
      one instanceof errors.PermissionViolationError,
  );
  return { reason: reasonOf(error), alone: own };
}

const isNoResponders = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders());
