import { readFile } from 'node:fs/promises';
import type { App } from '../../app.ts';
import type { ReceivedFrame } from '../../adapters/lab-network/port.ts';
import type { Config } from '../../platform/config.ts';
import type { Loop } from '../../platform/jobs/loop.ts';
import { acknowledge, ingestMessages } from './ingestion.ts';

export interface LabMllpListener extends Loop {
  readonly port: number;
}

/** Starts the MLLP listener; undefined if no port is set. Throws if it cannot listen, which fails the startup. */
export async function startMllpListener(app: App): Promise<LabMllpListener | undefined> {
  const { config } = app;
  if (config.LAB_MLLP_PORT === undefined) return undefined;
  const options = {
    host: config.LAB_MLLP_HOST ?? config.HOST,
    port: config.LAB_MLLP_PORT,
    tls: await readListenerTls(config),
    limitBytes: config.LAB_MESSAGE_LIMIT_BYTES,
    idleMs: config.LAB_MLLP_IDLE_SECONDS * 1000,
    connections: config.LAB_MLLP_CONNECTIONS,
    connectionsPerAddress: config.LAB_MLLP_CONNECTIONS_PER_ADDRESS,
  };
  const listener = await app.labWire.listen(options, (frame) => handleFrame(app, frame));
  app.log.info(
    { host: options.host, port: listener.port, tls: options.tls !== undefined },
    'listening for HL7',
  );
  return { port: listener.port, stop: () => listener.close() };
}

/** Acknowledges stored messages only. On failure there is no answer, and the laboratory sends again. */
async function handleFrame(app: App, frame: ReceivedFrame): Promise<Buffer> {
  try {
    return acknowledge(app, await ingestMessages(app, { ...frame, format: 'hl7', way: 'mllp' }));
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
