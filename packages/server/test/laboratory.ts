import { connect } from 'node:net';
import { sendMessage } from '../src/adapters/lab-network/hl7/client.ts';
import { wrapFrame } from '../src/adapters/lab-network/hl7/frames.ts';
import type { ReceivedAcknowledgement } from '../src/adapters/lab-network/port.ts';
import type { App } from '../src/app.ts';
import { startMllpListeners } from '../src/laboratories/lab-connections/lab-connections.ts';
import type { Config } from '../src/platform/config.ts';
import type { TestTeam } from './service.ts';

/** The MLLP listeners of one worker, each on a free port instead of that of its connection. */
export interface TestMllpListeners {
  /** Where the laboratory of a connection sends its messages. */
  portOf(connection: { id: string }): Promise<number>;
  readonly sharedPort: number;
  stop(): Promise<void>;
}

/** Starts the MLLP listeners of a worker. */
export async function openMllpListeners(
  app: App,
  settings: Partial<Config> = {},
): Promise<TestMllpListeners> {
  const config = { ...app.config, LAB_MLLP_PORT: 0, LAB_MLLP_HOST: '127.0.0.1', ...settings };
  const listeners = await startMllpListeners({ ...app, config }, { bindPort: () => 0 });
  if (!listeners) throw new Error('The MLLP listeners did not start');
  return {
    sharedPort: listeners.sharedPort ?? 0,
    portOf: async ({ id }) => {
      if (listeners.portOf(id) === undefined) await listeners.refresh();
      const port = listeners.portOf(id);
      if (port === undefined) throw new Error(`Connection ${id} has no listener`);
      return port;
    },
    stop: () => listeners.stop(),
  };
}

export interface TestLabConnection {
  readonly id: string;
  readonly path: string;
  readonly lab_facility: string;
  readonly our_facility: string;
  readonly listener_port: number | null;
}

let facilities = 0;

/** Creates a laboratory connection of the team, by MLLP by default. */
export async function connectLab(team: TestTeam, change: object = {}): Promise<TestLabConnection> {
  const { orgId, tenant } = team;
  const path = `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}/lab_connection`;
  const answer = await team.management.post(path, {
    lab: 'labcorp',
    name: 'LabCorp Burlington',
    inbound: 'mllp',
    outbound: 'none',
    lab_application: 'LIS',
    lab_facility: `LAB${(facilities += 1)}`,
    ...change,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return { ...answer.json, path: `${path}/${answer.json.id}` };
}

interface ResultMessageFields {
  readonly id?: string;
  readonly placer?: string;
  readonly status?: string;
  readonly value?: string;
  readonly processing?: string;
  readonly name?: string;
}

/** A result message as a laboratory writes it. */
export const resultText = (
  connection: Pick<TestLabConnection, 'lab_facility' | 'our_facility'>,
  {
    id = 'M1',
    placer = 'P1',
    status = 'F',
    value = '90',
    processing = 'P',
    name = 'Lovelace^Ada',
  }: ResultMessageFields = {},
): string =>
  [
    `MSH|^~\\&|LIS|${connection.lab_facility}|ALIQUOT|${connection.our_facility}|20260302150000+0000||ORU^R01|${id}|${processing}|2.5.1`,
    `PID|1||77||${name}||19851210|F`,
    `OBR|1|${placer}|L1|100^Panel^L|||20260301080000+0000|||||||||||||||20260302||LAB|${status}`,
    `OBX|1|NM|2345-7^Glucose^LN||${value}|mg/dL|70-99||||${status}`,
    '',
  ].join('\r');

/** Sends a message to a port as a laboratory does; returns the acknowledgement. */
export const sendToPort = (port: number, text: string, controlId = 'M1'): Promise<ReceivedAcknowledgement> =>
  sendMessage(
    { host: '127.0.0.1', addresses: ['127.0.0.1'], port, tls: undefined },
    { bytes: Buffer.from(text, 'latin1'), controlId },
  );

interface LabSender {
  readonly line: TestMllpListeners;
  readonly connection: { readonly id: string };
}

/** Sends a message to the listener of a connection as its laboratory does; returns the acknowledgement. */
export const sendLabMessage = async (
  { line, connection }: LabSender,
  text: string,
  controlId?: string,
): Promise<ReceivedAcknowledgement> => sendToPort(await line.portOf(connection), text, controlId);

/** Writes bytes on one connection and closes it after `answers` acknowledgements; with 0, after writing. */
export function sendRaw(port: number, bytes: Buffer, answers: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split('\u001c\r').length > answers) socket.end();
    });
    socket.write(bytes, () => answers === 0 && socket.end());
  });
}

export { wrapFrame };
