import { jetstream, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { errors, headers, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { CONTENT_TYPE, encodeMessages, type EncodedMessage } from './encode.ts';
import { connectNats } from './nats-connection.ts';
import {
  ADDRESSES_MAX,
  addAddressToError,
  tryInOrder,
  hasSettledWithin,
  TIMEOUT_MS,
  describeError,
  type BrokerOptions,
} from './connecting.ts';
import type {
  EventDestination,
  BrokerConnection,
  NatsSettings,
  PublishResult,
  AddressResolver,
} from './port.ts';

const PORT = 4222;
const PING_MS = 20_000;

/**
 * NATS JetStream: at-least-once delivery. The stream that stores a message acknowledges it, and drops duplicates by
 * Nats-Msg-Id within its own window. Servers that a cluster advertises are ignored: only configured servers are
 * connected to, each at an address that `resolve` allowed.
 */
export function createNatsDestination({
  connectMs = TIMEOUT_MS,
  acknowledgeMs = TIMEOUT_MS,
  ca,
}: BrokerOptions = {}): EventDestination<NatsSettings> {
  return {
    connect: async (settings, resolve) => {
      const connection = await tryInOrder(
        settings.servers,
        (server) => openConnection(server, { resolve, patienceMs: connectMs, ca }),
        '; ',
      );
      return toBrokerConnection(connection, settings, acknowledgeMs);
    },
  };
}

interface NatsConnectContext {
  readonly resolve: AddressResolver;
  readonly patienceMs: number;
  readonly ca: string | undefined;
}

async function openConnection(
  server: string,
  { resolve, patienceMs, ca }: NatsConnectContext,
): Promise<NatsConnection> {
  const url = new URL(server);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? PORT : Number(url.port);
  const addresses = (await resolve(host)).slice(0, ADDRESSES_MAX);
  const connecting = tryInOrder(addresses, (address) =>
    connectNats({
      ...toCredentials(url),
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
  return addAddressToError(`${url.hostname}:${port}`, connecting);
}

function toCredentials({ username, password }: URL): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> {
  if (username === '') return {};
  const name = decodeURIComponent(username);
  return password === '' ? { token: name } : { user: name, pass: decodeURIComponent(password) };
}

function toBrokerConnection(
  connection: NatsConnection,
  settings: NatsSettings,
  patienceMs: number,
): BrokerConnection {
  let closed: string | undefined;
  void connection.closed().then((error) => {
    closed ??= error ? describeError(error) : 'The connection was closed';
  });
  const stream = jetstream(connection, { timeout: patienceMs });
  const close = async () => {
    closed ??= 'The service closed the connection';
    await hasSettledWithin(connection.close(), patienceMs);
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
        (await encodeMessages(messages)).map(async (each) => {
          const { message } = each;
          const answer = await publishMessage(stream, settings, { ...each, patienceMs });
          if (answer === undefined) confirmed.push(message.id);
          else if (answer.isMessageRefused) refused.push({ id: message.id, reason: answer.reason });
          else broken ??= answer.reason;
        }),
      );
      // A hung connection would block later batches; a new one may reach a server that responds.
      if (broken !== undefined) void close();
      return { confirmed, refused, broken: broken ?? null } satisfies PublishResult;
    },
    close,
  };
}

interface PublishRefusal {
  readonly reason: string;
  /** Whether the broker refused this message, as opposed to a failed connection. */
  readonly isMessageRefused: boolean;
}

async function publishMessage(
  stream: JetStreamClient,
  { stream: streamName, subjectPrefix }: NatsSettings,
  { message, bytes, encoding, patienceMs }: EncodedMessage & { patienceMs: number },
): Promise<PublishRefusal | undefined> {
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
    if (isTimeout(error))
      return { reason: `No acknowledgement within ${patienceMs / 1000} s`, isMessageRefused: false };
    return classifyError(error, subject);
  }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof errors.TimeoutError ||
  (error instanceof Error && error.cause instanceof errors.TimeoutError);

function classifyError(error: unknown, subject: string): PublishRefusal {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (isNoResponders(error) || isNoResponders(cause)) {
    return { reason: `No stream stores the subject ${subject}`, isMessageRefused: true };
  }
  const own = [error, cause].some(
    (one) =>
      one instanceof JetStreamApiError ||
      one instanceof errors.InvalidArgumentError ||
      one instanceof errors.PermissionViolationError,
  );
  return { reason: describeError(error), isMessageRefused: own };
}

const isNoResponders = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders());
