import { connect } from 'node:net';
import { send } from '../src/adapters/lab-network/hl7/client.ts';
import { framed } from '../src/adapters/lab-network/hl7/frames.ts';
import type { LabAnswer } from '../src/adapters/lab-network/port.ts';
import type { App } from '../src/app.ts';
import { startLabLine, type Line } from '../src/lab-testing/lab-connections/lab-connections.ts';
import type { Config } from '../src/platform/config.ts';
import type { TeamInHand } from './house.ts';

/** A listener for laboratories on a port of its own. */
export async function openLabLine(app: App, settings: Partial<Config> = {}): Promise<Line> {
  const config = { ...app.config, LAB_MLLP_PORT: 0, LAB_MLLP_HOST: '127.0.0.1', ...settings };
  const line = await startLabLine({ ...app, config });
  if (!line) throw new Error('No line');
  return line;
}

export interface ConnectionInHand {
  readonly id: string;
  readonly path: string;
  readonly lab_facility: string;
  readonly our_facility: string;
}

let facilities = 0;

/** A connection of the team, by MLLP unless said otherwise. */
export async function connectLab(team: TeamInHand, change: object = {}): Promise<ConnectionInHand> {
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

export interface Said {
  readonly id?: string;
  readonly placer?: string;
  readonly status?: string;
  readonly value?: string;
  readonly processing?: string;
  readonly name?: string;
}

/** A result as a laboratory writes it. */
export const resultText = (
  connection: Pick<ConnectionInHand, 'lab_facility' | 'our_facility'>,
  {
    id = 'M1',
    placer = 'P1',
    status = 'F',
    value = '90',
    processing = 'P',
    name = 'Lovelace^Ada',
  }: Said = {},
): string =>
  [
    `MSH|^~\\&|LIS|${connection.lab_facility}|ALIQUOT|${connection.our_facility}|20260302150000+0000||ORU^R01|${id}|${processing}|2.5.1`,
    `PID|1||77||${name}||19851210|F`,
    `OBR|1|${placer}|L1|100^Panel^L|||20260301080000+0000|||||||||||||||20260302||LAB|${status}`,
    `OBX|1|NM|2345-7^Glucose^LN||${value}|mg/dL|70-99||||${status}`,
    '',
  ].join('\r');

/** Sends a message as a laboratory does, and answers its acknowledgement. */
export const say = ({ port }: Line, text: string, controlId = 'M1'): Promise<LabAnswer> =>
  send(
    { host: '127.0.0.1', addresses: ['127.0.0.1'], port, tls: undefined },
    { bytes: Buffer.from(text, 'latin1'), controlId },
  );

/** Writes bytes on one connection and hangs up when so many acknowledgements have come; with none, once they are written. */
export function speak(port: number, bytes: Buffer, answers: number): Promise<string> {
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

export { framed };
