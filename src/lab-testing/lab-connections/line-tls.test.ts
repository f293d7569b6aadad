import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAuthority, type Certificate } from '../../../test/certificates.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connectLab, openLabLine, resultText, type ConnectionInHand } from '../../../test/laboratory.ts';
import { send } from '../../adapters/lab-network/hl7/client.ts';
import type { TlsMaterial } from '../../adapters/lab-network/port.ts';
import type { Line } from './lab-connections.ts';

const HOST = 'localhost';
/** The authority of the laboratories that this service lets in, and one that anybody may have made. */
const [laboratories, strangers, ours] = ['Laboratories', 'Strangers', 'Ours'].map(openAuthority) as [
  ReturnType<typeof openAuthority>,
  ReturnType<typeof openAuthority>,
  ReturnType<typeof openAuthority>,
];
const client = laboratories.issue('lis.laboratory.test');
const fingerprintOf = ({ cert }: Certificate) => new X509Certificate(cert).fingerprint256;

let house: House;
let folder: string;
let line: Line;
let team: TeamInHand;
let connection: ConnectionInHand;
beforeAll(async () => {
  house = await openHouse();
  folder = await mkdtemp(join(tmpdir(), 'aliquot-line-tls-'));
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const own = ours.issue(HOST);
  line = await openLabLine(house.app, {
    LAB_MLLP_TLS_CERT: await file('cert.pem', own.cert),
    LAB_MLLP_TLS_KEY: await file('key.pem', own.key),
    LAB_MLLP_TLS_CA: await file('ca.pem', laboratories.cert),
  });
});
afterAll(async () => {
  await line.stop();
  await house.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  team = await house.team();
  connection = await connectLab(team, { client_fingerprint: fingerprintOf(client) });
});

const say = (tls: TlsMaterial, host = HOST) =>
  send(
    { host, addresses: ['127.0.0.1'], port: line.port, tls: { ca: ours.cert, ...tls } },
    { bytes: Buffer.from(resultText(connection)), controlId: 'M1' },
  );
const kept = async () => (await team.management.get(`${connection.path}/message`)).json.data;

describe('a line with client certificates', () => {
  it('takes what comes with the certificate of the connection', async () => {
    expect(await say(client)).toEqual({ code: 'AA', text: null });
    expect(await kept()).toMatchObject([{ control_id: 'M1', way: 'mllp' }]);
  });

  it('refuses a message with the certificate of another laboratory, and says why', async () => {
    const answer = await say(laboratories.issue('other.laboratory.test'));
    expect(answer).toMatchObject({ code: 'AR', text: 'The connection expects another client certificate' });
    expect(await kept()).toEqual([]);
  });

  // prettier-ignore
  it.each<[string, TlsMaterial]>([
    ['no certificate',                             {}],
    ['a certificate that somebody else signed',    strangers.issue('lis.laboratory.test')],
    ['a certificate with the name of the authority', openAuthority('Laboratories').issue('lis.laboratory.test')],
  ])('hangs up on who has %s', async (_who, tls) => {
    await expect(say(tls)).rejects.toThrow();
    expect(await kept()).toEqual([]);
    expect(await say(client)).toMatchObject({ code: 'AA' });
  });
});

describe('who sends to a line with a certificate', () => {
  // prettier-ignore
  it.each<[string, TlsMaterial, string]>([
    ['nobody whom it trusts has signed',  { ca: strangers.cert }, HOST],
    ['is of another host',                {},                     'lis.elsewhere.test'],
  ])('says nothing to one whose certificate %s', async (_what, trust, host) => {
    await expect(say({ ...client, ...trust }, host)).rejects.toThrow(/certificate|altnames/i);
    expect(await kept()).toEqual([]);
  });
});
