import { readFile } from 'node:fs/promises';
import { SpanKind } from '@opentelemetry/api';
import type { App } from '../../app.ts';
import type { MllpListener, MllpListenOptions, ReceivedFrame } from '../../adapters/lab-network/port.ts';
import type { Config } from '../../platform/config.ts';
import { isPortIn, listenerPortsOf } from '../../platform/config-laboratories.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import { runInSpan } from '../../platform/telemetry/telemetry.ts';
import { acknowledge, ingestMessages } from './ingestion.ts';
import { listPortHolders, type ListenerRow } from './listener-store.ts';
import { assignMissingPorts } from './listener-ports.ts';
import type { MessageListener } from './routing.ts';

interface LabMllpListeners extends Loop {
  /** The shared port; undefined without LAB_MLLP_PORT. */
  readonly sharedPort: number | undefined;
  /** Opens the ports of new connections, and closes those that an operator freed. Also done every two seconds. */
  refresh(): Promise<void>;
  /** The open port of a connection; undefined if it has none. */
  portOf(connectionId: string): number | undefined;
}

interface ListenerOptions {
  /** The port to bind for the port of a connection. Default: the same. */
  readonly bindPort?: (assigned: number) => number;
}

const REFRESH_EVERY_MS = 2000;

/**
 * Starts the MLLP listeners: one for each connection that holds a port, and the shared one. A deleted or disabled
 * connection keeps its listener, so that its laboratory gets an answer and nobody else its messages. Undefined if no
 * port is configured. Throws if the shared port is in use, which fails the startup; a port of a connection that is in
 * use is logged and tried again.
 */
export async function startMllpListeners(
  app: App,
  { bindPort = (port) => port }: ListenerOptions = {},
): Promise<LabMllpListeners | undefined> {
  const { config } = app;
  const shared = config.LAB_MLLP_PORT;
  const ranges = [listenerPortsOf(config, 'production'), listenerPortsOf(config, 'sandbox')];
  if (shared === undefined && ranges.every((range) => range === undefined)) return undefined;
  await assignMissingPorts(app);
  const options = await readListenOptions(config);
  const open = (port: number, listener: MessageListener) =>
    app.labWire.listen({ ...options, port }, (frame) => handleFrame(app, frame, listener));
  const sharedListener = shared === undefined ? undefined : await open(shared, { kind: 'shared' });
  if (sharedListener) logListening(app, options, sharedListener.port);
  const own = openOwnListeners(app, (port, listener) => open(bindPort(port), listener));
  const loop = startLoop(app, {
    name: 'lab-listeners',
    everyMs: REFRESH_EVERY_MS,
    iterate: async () => {
      await own.refresh();
      return false;
    },
  });
  return {
    sharedPort: sharedListener?.port,
    refresh: own.refresh,
    portOf: own.portOf,
    stop: async () => {
      await loop.stop();
      await Promise.all([sharedListener?.close(), own.close()]);
    },
  };
}

type OpenOwnListener = (port: number, listener: MessageListener & { kind: 'own' }) => Promise<MllpListener>;

interface OwnListeners {
  readonly refresh: () => Promise<void>;
  readonly portOf: (connectionId: string) => number | undefined;
  readonly close: () => Promise<void>;
}

/** The listeners of connections. Each is opened for one connection and closed before its port serves another. */
function openOwnListeners(app: App, open: OpenOwnListener): OwnListeners {
  const listeners = new Map<string, { port: number; listener: MllpListener }>();
  const failed = new Set<string>();
  const openFor = async ({ id, listener_port: port }: ListenerRow) => {
    if (port === null || listeners.has(id)) return;
    try {
      listeners.set(id, { port, listener: await open(port, { kind: 'own', connectionId: id, port }) });
      failed.delete(id);
    } catch (error) {
      if (!failed.has(id)) app.log.error({ err: error, port, connection_id: id }, 'cannot listen for HL7');
      failed.add(id);
    }
  };
  const round = async () => {
    const held = (await asSystem(app.db, listPortHolders)).filter((row) => isInRange(app.config, row));
    const ports = new Map(held.map((row) => [row.id, row.listener_port]));
    for (const [id, { port, listener }] of listeners) {
      if (ports.get(id) === port) continue;
      listeners.delete(id);
      await listener.close();
    }
    await Promise.all(held.map(openFor));
  };
  let running = Promise.resolve();
  return {
    refresh: () => (running = running.catch(() => {}).then(round)),
    portOf: (connectionId) => listeners.get(connectionId)?.listener.port,
    close: async () => {
      await running.catch(() => {});
      await Promise.all([...listeners.values()].map(({ listener }) => listener.close()));
    },
  };
}

/** Ports outside the range of their environment stay closed: sandbox and production never share ports. */
const isInRange = (config: Config, { environment, listener_port: port }: ListenerRow): boolean =>
  port !== null && isPortIn(listenerPortsOf(config, environment), port);

async function readListenOptions(config: Config): Promise<Omit<MllpListenOptions, 'port'>> {
  return {
    host: config.LAB_MLLP_HOST ?? config.HOST,
    tls: await readListenerTls(config),
    limitBytes: config.LAB_MESSAGE_LIMIT_BYTES,
    idleMs: config.LAB_MLLP_IDLE_SECONDS * 1000,
    connections: config.LAB_MLLP_CONNECTIONS,
    connectionsPerAddress: config.LAB_MLLP_CONNECTIONS_PER_ADDRESS,
    load: { connections: 0, byNetwork: new Map(), bufferedBytes: 0 },
  };
}

const logListening = (app: App, { host, tls }: Omit<MllpListenOptions, 'port'>, port: number) =>
  app.log.info({ host, port, tls: tls !== undefined }, 'listening for HL7');

/** Acknowledges stored messages only. On failure there is no answer, and the laboratory sends again. */
const handleFrame = (app: App, frame: ReceivedFrame, sender: MessageListener): Promise<Buffer> =>
  runInSpan(app.telemetry, RECEIVE_SPAN, () => storeFrame(app, frame, sender));

const RECEIVE_SPAN = {
  name: 'MLLP receive',
  kind: SpanKind.SERVER,
  attributes: { 'network.protocol.name': 'mllp' },
};

async function storeFrame(app: App, frame: ReceivedFrame, sender: MessageListener): Promise<Buffer> {
  try {
    return acknowledge(app, await ingestMessages(app, { ...frame, format: 'hl7', way: 'mllp', sender }));
  } catch (error) {
    app.log.error(
      { err: error, remote_address: frame.remoteAddress },
      'failed to store a laboratory message',
    );
    throw error;
  }
}

async function readListenerTls(config: Config) {
  const { LAB_MLLP_TLS_CERT: cert, LAB_MLLP_TLS_KEY: key, LAB_MLLP_TLS_CA: ca } = config;
  if (cert === undefined || key === undefined) return undefined;
  const read = (file: string) => readFile(file, 'utf8');
  return { cert: await read(cert), key: await read(key), ca: ca === undefined ? undefined : await read(ca) };
}
