import type { Socket } from 'node:net';
import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { CONTENT_TYPE, encodeAll, type Encoded } from './encode.ts';
import {
  ADDRESSES_MAX,
  at,
  firstThatWorks,
  inTime,
  PATIENCE_MS,
  reasonOf,
  type BrokerOptions,
} from './patience.ts';
import type { EventDestination, Line, Message, Published, RabbitMqSettings } from './port.ts';

const HEARTBEAT_SECONDS = 20;

/**
 * RabbitMQ over AMQP 0-9-1. Messages are persistent and mandatory: the broker confirms what a queue keeps, and
 * returns what no queue is bound for, which is a refusal. The exchange must be there.
 */
export function rabbitMq({
  connectMs = PATIENCE_MS,
  answerMs = PATIENCE_MS,
  ca,
}: BrokerOptions = {}): EventDestination<RabbitMqSettings> {
  return {
    connect: async ({ uri, exchange }, resolve) => {
      const url = new URL(uri);
      const secure = url.protocol === 'amqps:';
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const port = url.port === '' ? (secure ? 5671 : 5672) : Number(url.port);
      const addresses = (await resolve(host)).slice(0, ADDRESSES_MAX);
      const connecting = firstThatWorks(addresses, (address) =>
        open(url, { secure, host, port, address, patienceMs: connectMs, ca }),
      );
      const model = await at(`${url.hostname}:${port}`, connecting);
      return lineOf(model, exchange, answerMs);
    },
  };
}

interface Place {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly patienceMs: number;
  readonly ca: string | undefined;
}

function open(url: URL, { secure, host, port, address, patienceMs, ca }: Place): Promise<ChannelModel> {
  const account =
    url.username === '' ? {} : { username: decoded(url.username), password: decoded(url.password) };
  const server = {
    protocol: secure ? 'amqps' : 'amqp',
    hostname: address,
    port,
    vhost: url.pathname.slice(1),
    heartbeat: HEARTBEAT_SECONDS,
    ...account,
  };
  // The certificate is that of the name, wherever the name led.
  const name = host === address ? {} : { servername: host };
  return connect(server, {
    ...name,
    ...(ca === undefined ? {} : { ca }),
    timeout: patienceMs,
    noDelay: true,
    clientProperties: { connection_name: 'events' },
  }).catch((error: unknown) => {
    throw new Error(toldBy(reasonOf(error)));
  });
}

/** The client shows what it did not expect; which is how a broker says that there is no such virtual host. */
const toldBy = (reason: string): string =>
  reason.startsWith('Expected ConnectionOpenOk') ? 'The broker refused the virtual host' : reason;

const decoded = (text: string): string => decodeURIComponent(text);

/** What a line learns from its connection between and during batches. */
interface State {
  closed: string | undefined;
  /** The broker is short of memory or disk and takes nothing until it says so. */
  blocked: string | undefined;
  readonly returned: Map<string, string>;
}

async function lineOf(model: ChannelModel, exchange: string, patienceMs: number): Promise<Line> {
  const state: State = { closed: undefined, blocked: undefined, returned: new Map() };
  const shut = (reason: unknown) => {
    state.closed ??= reasonOf(reason);
  };
  watch(model, state, shut);
  const close = async () => {
    shut('The connection was closed by us');
    // On a connection that is gone it throws at once.
    await inTime(
      Promise.resolve().then(() => model.close()),
      patienceMs,
    );
    giveBack(model);
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

/** The client waits for the broker's word before it lets go of the connection, and one that hangs says none. */
function giveBack(model: ChannelModel): void {
  const { stream } = model.connection as unknown as { stream?: Socket };
  stream?.destroy();
}

function watch(model: ChannelModel, state: State, shut: (reason: unknown) => void): void {
  model.on('error', shut);
  model.on('close', (error?: Error) => shut(error ?? 'The connection was closed'));
  model.on('blocked', (reason) => {
    state.blocked = `The broker blocks publishers: ${reason}`;
  });
  model.on('unblocked', () => {
    state.blocked = undefined;
  });
}

interface Publishing {
  readonly channel: ConfirmChannel;
  readonly exchange: string;
  readonly state: State;
  readonly patienceMs: number;
  readonly close: () => Promise<void>;
}

async function publish(on: Publishing, messages: readonly Message[]): Promise<Published> {
  const { state } = on;
  const waits = state.closed ?? state.blocked;
  if (waits !== undefined) return { confirmed: [], refused: [], broken: waits };
  state.returned.clear();
  const confirmed: string[] = [];
  const refused: { id: string; reason: string }[] = [];
  const encoded = await encodeAll(messages);
  const all = encoded.map(async (each) => {
    const { message } = each;
    const answer = await send(on, each);
    // A message that comes back does so before it is confirmed.
    const returned = state.returned.get(message.id);
    if (returned !== undefined) refused.push({ id: message.id, reason: returned });
    else if (answer === undefined) confirmed.push(message.id);
    else if (state.closed === undefined) refused.push({ id: message.id, reason: answer });
  });
  const answered = await inTime(Promise.all(all), on.patienceMs);
  if (answered) return { confirmed, refused, broken: state.closed ?? null };
  // What may still be answered would be taken for the next batch's: the line is of no more use.
  const broken = state.blocked ?? `No confirmation within ${on.patienceMs / 1000} s`;
  void on.close();
  return { confirmed: [...confirmed], refused: [...refused], broken };
}

/** Answers undefined when the broker has taken it, else why not. */
function send(
  { channel, exchange }: Publishing,
  { message, bytes, encoding }: Encoded,
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
        resolve(error ? reasonOf(error) : undefined),
      );
    } catch (error) {
      resolve(reasonOf(error));
    }
  });
}
