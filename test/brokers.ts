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

/** A message as a consumer finds it, whatever broker it came over. */
export interface Found {
  readonly id: string;
  /** The routing key, or the subject. */
  readonly key: string;
  readonly contentType: string | undefined;
  readonly encoding: string | undefined;
  readonly headers: Record<string, unknown>;
  /** Unpacked. */
  readonly body: string;
  readonly persistent: boolean;
}

const PATIENCE_MS = 60_000;

/** Whether a program is on the path. */
function has(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export const hasNats = has('nats-server');
/** One that listens, or one that we may start: the start script of a distribution wants root. */
export const hasRabbit = (await listens(5672)) || (has('rabbitmq-server') && process.getuid?.() === 0);

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1');
    const end = (there: boolean) => {
      socket.destroy();
      resolve(there);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** Below the ports that systems give to whoever asks for any: none of these is taken between our look and the server's. */
const PORTS = { from: 12_000, below: 32_000 };

/** A port for a server in a process of its own, which has to be told it. */
export async function freePort(): Promise<number> {
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

async function until(done: () => Promise<boolean>, what: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    if (await done()) return;
    await sleep(100);
  }
  throw new Error(`${what} took too long`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(late);
}

/** A NATS server of our own, with JetStream, that can be killed and started again with what it kept. */
export interface NatsInHand {
  readonly port: number;
  readonly manager: () => Promise<JetStreamManager>;
  /** All messages of a stream, oldest first. */
  read(stream: string): Promise<Found[]>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Who looks at what our own server has got need not be sure that it is our own. */
const CREDULOUS: object = { rejectUnauthorized: false };

export async function openNats(...options: string[]): Promise<NatsInHand> {
  const folder = mkdtempSync(join(tmpdir(), 'aliquot-nats-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  let connection: NatsConnection | undefined;
  const start = async () => {
    const given = ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder, ...options];
    child = spawn('nats-server', given, { stdio: 'ignore' });
    await until(() => listens(port), 'nats-server');
  };
  const stop = async () => {
    await connection?.close();
    connection = undefined;
    if (child) await end(child);
  };
  const manager = async () => {
    const [, user] = options.indexOf('--user') < 0 ? [] : ['', options[options.indexOf('--user') + 1]];
    const pass = options[options.indexOf('--pass') + 1];
    connection ??= await connectNats({
      servers: `127.0.0.1:${port}`,
      ...(user === undefined || pass === undefined ? {} : { user, pass }),
      ...(options.includes('--tls') ? { tls: CREDULOUS } : {}),
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

async function readStream(manager: JetStreamManager, stream: string): Promise<Found[]> {
  const { state } = await manager.streams.info(stream);
  const found: Found[] = [];
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

/** A RabbitMQ: the one of this machine, or one of our own on a free port. */
export interface RabbitInHand {
  readonly port: number;
  readonly model: ChannelModel;
  /** An exchange with a queue that gets everything but types that begin with `but`; answers their common name. */
  exchange(pattern?: string): Promise<string>;
  /** Takes all messages out of the queue of an exchange. */
  take(name: string): Promise<Found[]>;
  channel: Channel;
  close(): Promise<void>;
}

let exchanges = 0;

export async function openRabbit(): Promise<RabbitInHand> {
  const { port, stop } = (await listens(5672)) ? { port: 5672, stop: async () => {} } : await startRabbit();
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
    take: (name) => takeAll(channel, name),
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

async function takeAll(channel: Channel, queue: string): Promise<Found[]> {
  const found: Found[] = [];
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
  // The start script of a distribution runs the server as a user of its own.
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
  await until(() => listens(port), 'rabbitmq-server');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  return {
    port,
    stop: async () => {
      // The start script would end and leave the server behind.
      process.kill(pid, 'SIGTERM');
      await until(async () => !runs(pid), 'The end of rabbitmq-server');
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A wire that can be cut between somebody and a server on this machine, and to which a word can be added. */
export interface Wire {
  readonly port: number;
  /** Breaks every connection and takes no new ones. */
  cut(): void;
  mend(): void;
  /** Cuts itself after so many more bytes towards the server. */
  cutAfter(bytes: number): void;
  /** Lets nothing through any more, without breaking anything. */
  silence(): void;
  /** Says something to every client in the name of the server. */
  inject(bytes: Buffer): void;
  isDown(): boolean;
  /** How many connections were taken so far. */
  accepted(): number;
  /** How many of them the clients have not given back. */
  held(): number;
  close(): Promise<void>;
}

/** With a certificate, clients speak TLS with the wire; the server is spoken to in the open. */
export async function openWire(target: number, certificate?: Certificate): Promise<Wire> {
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
        // What the server has got it keeps; its word about it does not come back.
        upstream.write(chunk, cut);
      } else upstream.write(chunk);
    });
  };
  const server: Server = certificate ? createTlsServer(certificate, taken) : createServer(taken);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend: () => {
      down = false;
    },
    cutAfter: (bytes) => {
      left = bytes;
    },
    silence: () => {
      silent = true;
    },
    inject: (bytes) => {
      for (const client of clients) client.write(bytes);
    },
    isDown: () => down,
    accepted: () => accepted,
    held: () => clients.size,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
