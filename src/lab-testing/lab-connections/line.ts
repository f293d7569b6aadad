import { readFile } from 'node:fs/promises';
import type { App } from '../../app.ts';
import type { HeardFrame } from '../../adapters/lab-network/port.ts';
import type { Config } from '../../platform/config.ts';
import type { Loop } from '../../platform/jobs/loop.ts';
import { acknowledge, takeIn } from './intake.ts';

export interface Line extends Loop {
  readonly port: number;
}

/** Listens for laboratories; undefined where no port is set. Fails where it cannot listen, so that a start does. */
export async function startLabLine(app: App): Promise<Line | undefined> {
  const { config } = app;
  if (config.LAB_MLLP_PORT === undefined) return undefined;
  const options = {
    host: config.LAB_MLLP_HOST ?? config.HOST,
    port: config.LAB_MLLP_PORT,
    tls: await tlsOf(config),
    limitBytes: config.LAB_MESSAGE_LIMIT_BYTES,
    idleMs: config.LAB_MLLP_IDLE_SECONDS * 1000,
    connections: config.LAB_MLLP_CONNECTIONS,
  };
  const listener = await app.labWire.listen(options, (frame) => hear(app, frame));
  app.log.info(
    { host: options.host, port: listener.port, tls: options.tls !== undefined },
    'listening for HL7',
  );
  return { port: listener.port, stop: () => listener.close() };
}

/** Nothing is acknowledged that is not kept: a failure is silence, and the laboratory sends again. */
async function hear(app: App, frame: HeardFrame): Promise<Buffer> {
  try {
    return acknowledge(app, await takeIn(app, { ...frame, format: 'hl7', way: 'mllp' }));
  } catch (error) {
    app.log.error({ err: error, remote_address: frame.remoteAddress }, 'a laboratory message was not kept');
    throw error;
  }
}

async function tlsOf(config: Config) {
  const { LAB_MLLP_TLS_CERT: cert, LAB_MLLP_TLS_KEY: key, LAB_MLLP_TLS_CA: ca } = config;
  if (cert === undefined || key === undefined) return undefined;
  const read = (file: string) => readFile(file, 'utf8');
  return { cert: await read(cert), key: await read(key), ca: ca === undefined ? undefined : await read(ca) };
}
