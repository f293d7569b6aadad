import type { Socket } from 'node:net';
import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { CONTENT_TYPE, encodeMessages, type EncodedMessage } from './encode.ts';
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
  BrokerMessage,
  PublishResult,
  RabbitMqSettings,
} from './port.ts';

const HEARTBEAT_SECONDS = 20;

/**
 * RabbitMQ over AMQP 0-9-1 with publisher confirms: at-least-once delivery. Messages are persistent and mandatory. The
 * broker confirms a message that a queue stored, and returns one that no queue is bound to, which counts as a refusal.
 */
export function createRabbitMqDestination({
  connectMs = TIMEOUT_MS,
  acknowledgeMs = TIMEOUT_MS,
  ca,
}: BrokerOptions = {}): EventDestination<RabbitMqSettings> {
  return {
    connect: async ({ uri, exchange }, resolve) => {
      const url = new URL(uri);
      const secure = url.protocol === 'amqps:';
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const port = url.port === '' ? (secure ? 5671 : 5672) : Number(url.port);
      const addresses = (await resolve(host)).slice(0, ADDRESSES_MAX);
      const connecting = tryInOrder(addresses, (address) =>
        openConnection(url, { secure, host, port, address, patienceMs: connectMs, ca }),
      );
      const model = await addAddressToError(`${url.hostname}:${port}`, connecting);
      return toBrokerConnection(model, exchange, acknowledgeMs);
    },
  };
}

interface RabbitMqAddress {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly patienceMs: number;
  readonly ca: string | undefined;
}

function openConnection(
  url: URL,
  { secure, host, port, address, patienceMs, ca }: RabbitMqAddress,
): Promise<ChannelModel> {
  const account =
    url.username === '' ? {} : { username: decode(url.username), password: decode(url.password) };
  const server = {
    protocol: secure ? 'amqps' : 'amqp',
    hostname: address,
    port,
    vhost: url.pathname.slice(1),
    heartbeat: HEARTBEAT_SECONDS,
    ...account,
  };
  // The certificate is checked against the host name, not the address.
  const name = host === address ? {} : { servername: host };
  return connect(server, {
    ...name,
    ...(ca === undefined ? {} : { ca }),
    timeout: patienceMs,
    noDelay: true,
    clientProperties: { connection_name: 'events' },
  }).catch((error: unknown) => {
    throw new Error(explainReason(describeError(error)));
  });
}

/** The client reports only an unexpected frame when the virtual host does not exist or is not allowed. */
const explainReason = (reason: string): string =>
  reason.startsWith('Expected ConnectionOpenOk') ? 'The broker refused the virtual host' : reason;

const decode = (text: string): string => decodeURIComponent(text);

/** Connection events, shared between the listeners and `publish`. */
interface RabbitMqConnectionState {
  closed: string | undefined;
  /** Set while the broker blocks publishers because it is short of memory or disk. */
  blocked: string | undefined;
  readonly returned: Map<string, string>;
}

async function toBrokerConnection(
  model: ChannelModel,
  exchange: string,
  patienceMs: number,
): Promise<BrokerConnection> {
  const state: RabbitMqConnectionState = { closed: undefined, blocked: undefined, returned: new Map() };
  const shut = (reason: unknown) => {
    state.closed ??= describeError(reason);
  };
  watchConnection(model, state, shut);
  const close = async () => {
    shut('The service closed the connection');
    // `close` throws synchronously if the connection is gone.
    await hasSettledWithin(
      Promise.resolve().then(() => model.close()),
      patienceMs,
    );
    destroySocket(model);
  };
  try {
    const channel = await model.createConfirmChannel();
    channel.on('error', shut);
    channel.on('close', () => shut('The channel was closed'));
    channel.on('return', ({ fields, properties }) => {
      const { replyText } = fields as unknown as { replyText?: string };
      state.returned.set(String(properties.messageId), `Returned by the broker: ${replyText ?? 'NO_ROUTE'}`);
    });
    await channel.checkExchange(exchange);
    return {
      get isOpen() {
        return state.closed === undefined;
      },
      publish: (messages) => publish({ channel, exchange, state, patienceMs, close }, messages),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The client keeps the socket until the broker confirms the close, which a hung broker never does. */
function destroySocket(model: ChannelModel): void {
  const { stream } = model.connection as unknown as { stream?: Socket };
  stream?.destroy();
}

function watchConnection(
  model: ChannelModel,
  state: RabbitMqConnectionState,
  shut: (reason: unknown) => void,
): void {
  model.on('error', shut);
  model.on('close', (error?: Error) => shut(error ?? 'The connection was closed'));
  model.on('blocked', (reason) => {
    state.blocked = `The broker blocks publishers: ${reason}`;
  });
  model.on('unblocked', () => {
    state.blocked = undefined;
  });
}

interface RabbitMqPublisher {
  readonly channel: ConfirmChannel;
  readonly exchange: string;
  readonly state: RabbitMqConnectionState;
  readonly patienceMs: number;
  readonly close: () => Promise<void>;
}

async function publish(on: RabbitMqPublisher, messages: readonly BrokerMessage[]): Promise<PublishResult> {
  const { state } = on;
  const waits = state.closed ?? state.blocked;
  if (waits !== undefined) return { confirmed: [], refused: [], broken: waits };
  state.returned.clear();
  const confirmed: string[] = [];
  const refused: { id: string; reason: string }[] = [];
  const encoded = await encodeMessages(messages);
  const all = encoded.map(async (each) => {
    const { message } = each;
    const answer = await publishMessage(on, each);
    // The broker returns an unroutable message before it confirms it.
    const returned = state.returned.get(message.id);
    if (returned !== undefined) refused.push({ id: message.id, reason: returned });
    else if (answer === undefined) confirmed.push(message.id);
    else if (state.closed === undefined) refused.push({ id: message.id, reason: answer });
  });
  const answered = await hasSettledWithin(Promise.all(all), on.patienceMs);
  if (answered) return { confirmed, refused, broken: state.closed ?? null };
  // Late confirmations would be attributed to the next batch, so the connection cannot be used again.
  const broken = state.blocked ?? `No confirmation within ${on.patienceMs / 1000} s`;
  void on.close();
  return { confirmed: [...confirmed], refused: [...refused], broken };
}

/** Resolves to undefined if the broker confirmed the message, else to the reason. */
function publishMessage(
  { channel, exchange }: RabbitMqPublisher,
  { message, bytes, encoding }: EncodedMessage,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = {
      persistent: true,
      mandatory: true,
      messageId: message.id,
      type: message.type,
      contentType: CONTENT_TYPE,
      ...(encoding ? { contentEncoding: encoding } : {}),
      headers: { team_id: message.teamId, ...(message.userId === null ? {} : { user_id: message.userId }) },
    };
    try {
      channel.publish(exchange, message.type, bytes, options, (error: unknown) =>
        resolve(error ? describeError(error) : undefined),
      );
    } catch (error) {
      resolve(describeError(error));
    }
  });
}
