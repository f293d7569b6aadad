import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as dial, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { connect as connectRabbit, type Channel, type ChannelModel } from 'amqplib';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect as connectNats, type NatsConnection } from '@nats-io/transport-node';
import type { Certificate } from './certificates.ts';

/** A message as a consumer sees it, for any broker. */
interface BrokerMessage {
  readonly id: string;
  /** The routing key (RabbitMQ) or the subject (NATS). */
  readonly key: string;
  readonly contentType: string | undefined;
  readonly encoding: string | undefined;
  readonly headers: Record<string, unknown>;
  /** Decompressed. */
  readonly body: string;
  readonly persistent: boolean;
}

const TIMEOUT_MS = 60_000;

/** Whether a program is in PATH. */
function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export const hasNats = isOnPath('nats-server');
/** A running server, or one that we may start: the start scripts of distributions require root. */
export const hasRabbit =
  (await isListening(5672)) || (isOnPath('rabbitmq-server') && process.getuid?.() === 0);

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1');
    const end = (there: boolean) => {
      socket.destroy();
      resolve(there);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** Below the ephemeral port range, so that no other process takes a port between our check and the server's start. */
const PORTS = { from: 12_000, below: 32_000 };

/** A free port for a server in a separate process. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.below);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function waitUntil(done: () => Promise<boolean>, what: string): Promise<void> {
  for (let waited = 0; waited < TIMEOUT_MS; waited += 100) {
    if (await done()) return;
    await sleep(100);
  }
  throw new Error(`${what} timed out`);
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(late);
}

/** A NATS server with JetStream that can be stopped and restarted with its stored data. */
export interface TestNats {
  readonly port: number;
  readonly manager: () => Promise<JetStreamManager>;
  /** All messages of a stream, oldest first. */
  read(stream: string): Promise<BrokerMessage[]>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The inspecting connection does not need to verify the test server's certificate. */
const ACCEPT_ANY_CERTIFICATE: object = { rejectUnauthorized: false };

export async function openNats(...options: string[]): Promise<TestNats> {
  const folder = mkdtempSync(join(tmpdir(), 'aliquot-nats-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  let connection: NatsConnection | undefined;
  const start = async () => {
    const given = ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder, ...options];
    child = spawn('nats-server', given, { stdio: 'ignore' });
    await waitUntil(() => isListening(port), 'nats-server');
  };
  const stop = async () => {
    await connection?.close();
    connection = undefined;
    if (child) await stopProcess(child);
  };
  const manager = async () => {
    const [, user] = options.indexOf('--user') < 0 ? [] : ['', options[options.indexOf('--user') + 1]];
    const pass = options[options.indexOf('--pass') + 1];
    connection ??= await connectNats({
      servers: `127.0.0.1:${port}`,
      ...(user === undefined || pass === undefined ? {} : { user, pass }),
      ...(options.includes('--tls') ? { tls: ACCEPT_ANY_CERTIFICATE } : {}),
    });
    return jetstreamManager(connection);
  };
  await start();
  return {
    port,
    start,
    stop,
    manager,
    read: async (stream) => readStream(await manager(), stream),
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readStream(manager: JetStreamManager, stream: string): Promise<BrokerMessage[]> {
  const { state } = await manager.streams.info(stream);
  const found: BrokerMessage[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (!message) continue;
    const encoding = message.header.get('Content-Encoding') || undefined;
    const bytes = Buffer.from(message.data);
    found.push({
      id: message.header.get('Nats-Msg-Id'),
      key: message.subject,
      contentType: message.header.get('Content-Type'),
      encoding,
      headers: Object.fromEntries(message.header.keys().map((name) => [name, message.header.get(name)])),
      body: String(encoding === 'gzip' ? gunzipSync(bytes) : bytes),
      persistent: true,
    });
  }
  return found;
}

/** RabbitMQ: the server on this machine, or a new one on a free port. */
export interface TestRabbitMq {
  readonly port: number;
  readonly model: ChannelModel;
  /** Creates an exchange and a queue bound with `pattern`; returns their common name. */
  exchange(pattern?: string): Promise<string>;
  /** Removes and returns all messages of an exchange's queue. */
  drain(name: string): Promise<BrokerMessage[]>;
  channel: Channel;
  close(): Promise<void>;
}

let exchanges = 0;

export async function openRabbit(): Promise<TestRabbitMq> {
  const { port, stop } = (await isListening(5672))
    ? { port: 5672, stop: async () => {} }
    : await startRabbit();
  const model = await connectRabbit(`amqp://guest:guest@127.0.0.1:${port}`);
  const channel = await model.createChannel();
  const made: string[] = [];
  return {
    port,
    model,
    channel,
    exchange: async (pattern = '#') => {
      const name = `aliquot-test-${process.pid}-${(exchanges += 1)}-${Math.random().toString(36).slice(2)}`;
      made.push(name);
      await channel.assertExchange(name, 'topic', { durable: false });
      await channel.assertQueue(name, { durable: true, expires: 600_000 });
      await channel.bindQueue(name, name, pattern);
      return name;
    },
    drain: (name) => drainQueue(channel, name),
    close: async () => {
      for (const name of made) {
        await channel.deleteQueue(name);
        await channel.deleteExchange(name);
      }
      await model.close();
      await stop();
    },
  };
}

async function drainQueue(channel: Channel, queue: string): Promise<BrokerMessage[]> {
  const found: BrokerMessage[] = [];
  for (;;) {
    const message = await channel.get(queue, { noAck: true });
    if (message === false) return found;
    const { properties, fields, content } = message;
    found.push({
      id: String(properties.messageId),
      key: fields.routingKey,
      contentType: properties.contentType,
      encoding: properties.contentEncoding,
      headers: properties.headers ?? {},
      body: String(properties.contentEncoding === 'gzip' ? gunzipSync(content) : content),
      persistent: properties.deliveryMode === 2,
    });
  }
}

async function startRabbit(): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'aliquot-rabbit-'));
  // The start script of a distribution runs the server as another user.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const pidFile = join(folder, 'pid');
  writeFileSync(join(folder, 'plugins'), '[].');
  writeFileSync(join(folder, 'rabbitmq.conf'), `listeners.tcp.1 = 127.0.0.1:${port}\n`);
  const child = spawn('rabbitmq-server', [], {
    stdio: 'ignore',
    env: {
      ...process.env,
      RABBITMQ_NODENAME: `aliquot_test_${process.pid}_${port}@localhost`,
      RABBITMQ_PID_FILE: pidFile,
      RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
      RABBITMQ_DIST_PORT: String(await freePort()),
      RABBITMQ_MNESIA_BASE: folder,
      RABBITMQ_LOG_BASE: folder,
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    },
  });
  await waitUntil(() => isListening(port), 'rabbitmq-server');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  return {
    port,
    stop: async () => {
      // Stopping the start script would leave the server running.
      process.kill(pid, 'SIGTERM');
      await waitUntil(async () => !isRunning(pid), 'Stopping rabbitmq-server');
      await stopProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A TCP proxy to a local server that can break connections, drop data and inject bytes. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks every connection and accepts no new ones. */
  cut(): void;
  restore(): void;
  /** Cuts all connections after this many more bytes to the server. */
  cutAfter(bytes: number): void;
  /** Drops all data without breaking connections. */
  blackhole(): void;
  /** Sends bytes to every client as if from the server. */
  inject(bytes: Buffer): void;
  isDown(): boolean;
  /** Number of connections accepted so far. */
  acceptedCount(): number;
  /** Number of connections that clients have not closed. */
  openClientCount(): number;
  close(): Promise<void>;
}

/** With a certificate, clients use TLS; the connection to the server is plain TCP. */
export async function openTcpProxy(target: number, certificate?: Certificate): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const clients = new Set<Socket>();
  let down = false;
  let left = Infinity;
  let silent = false;
  let accepted = 0;
  const cut = () => {
    down = true;
    for (const socket of open) socket.destroy();
  };
  const taken = (client: Socket) => {
    if (down) return void client.destroy();
    accepted += 1;
    const upstream = dial(target, '127.0.0.1');
    clients.add(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        clients.delete(one);
        other.destroy();
      });
    }
    upstream.on('data', (chunk) => silent || client.write(chunk));
    client.on('data', (chunk) => {
      if (silent) return;
      left -= chunk.length;
      if (left <= 0) {
        left = Infinity;
        // The server receives this data, but its acknowledgement does not come back.
        upstream.write(chunk, cut);
      } else upstream.write(chunk);
    });
  };
  const server: Server = certificate ? createTlsServer(certificate, taken) : createServer(taken);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore: () => {
      down = false;
    },
    cutAfter: (bytes) => {
      left = bytes;
    },
    blackhole: () => {
      silent = true;
    },
    inject: (bytes) => {
      for (const client of clients) client.write(bytes);
    },
    isDown: () => down,
    acceptedCount: () => accepted,
    openClientCount: () => clients.size,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
