import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority, type Certificate } from '../../../test/certificates.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  connectLab,
  openMllpListeners,
  resultText,
  type TestLabConnection,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import { sendMessage } from '../../adapters/lab-network/hl7/client.ts';
import type { TlsMaterial } from '../../adapters/lab-network/port.ts';

const HOST = 'localhost';
/** The authority of the laboratories that this service lets in, and one that anybody may have made. */
const [laboratories, strangers, ours] = ['Laboratories', 'Strangers', 'Ours'].map(
  createCertificateAuthority,
) as [
  ReturnType<typeof createCertificateAuthority>,
  ReturnType<typeof createCertificateAuthority>,
  ReturnType<typeof createCertificateAuthority>,
];
const client = laboratories.issue('lis.laboratory.test');
const fingerprintOf = ({ cert }: Certificate) => new X509Certificate(cert).fingerprint256;

let service: TestService;
let folder: string;
let line: TestMllpListeners;
let team: TestTeam;
let connection: TestLabConnection;
beforeAll(async () => {
  service = await openTestService();
  folder = await mkdtemp(join(tmpdir(), 'aliquot-line-tls-'));
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const own = ours.issue(HOST);
  line = await openMllpListeners(service.app, {
    LAB_MLLP_TLS_CERT: await file('cert.pem', own.cert),
    LAB_MLLP_TLS_KEY: await file('key.pem', own.key),
    LAB_MLLP_TLS_CA: await file('ca.pem', laboratories.cert),
  });
});
afterAll(async () => {
  await line.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  team = await service.team();
  connection = await connectLab(team, { client_fingerprint: fingerprintOf(client) });
});

const say = async (tls: TlsMaterial, host = HOST) =>
  sendMessage(
    { host, addresses: ['127.0.0.1'], port: await line.portOf(connection), tls: { ca: ours.cert, ...tls } },
    { bytes: Buffer.from(resultText(connection)), controlId: 'M1' },
  );
const kept = async () => (await team.management.get(`${connection.path}/message`)).json.data;

describe('a listener with client certificates', () => {
  it('accepts messages with the certificate of the connection', async () => {
    expect(await say(client)).toEqual({ code: 'AA', text: null });
    expect(await kept()).toMatchObject([{ control_id: 'M1', way: 'mllp' }]);
  });

  it('rejects a message with the certificate of another laboratory, with a reason', async () => {
    const answer = await say(laboratories.issue('other.laboratory.test'));
    expect(answer).toMatchObject({ code: 'AR', text: 'The connection requires another client certificate' });
    expect(await kept()).toEqual([]);
  });

  it('accepts the previous certificate of the connection as long as its team chose', async () => {
    const renewed = laboratories.issue('lis.laboratory.test');
    const change = { client_fingerprint: fingerprintOf(renewed), overlap_hours: 48 };
    const changed = await team.management.patch(connection.path, change);
    expect(changed.json).toMatchObject({
      client_fingerprint: fingerprintOf(renewed),
      previous_client_fingerprint: fingerprintOf(client),
      previous_client_fingerprint_until: '2026-03-04T15:00:00.000+00:00',
    });
    for (const certificate of [client, renewed]) expect(await say(certificate)).toMatchObject({ code: 'AA' });
    service.clock.move(48 * 3_600_000);
    expect(await say(client)).toMatchObject({ code: 'AR' });
    expect(await say(renewed)).toMatchObject({ code: 'AA' });
  });

  it('rejects the previous certificate at once if its team chose no time', async () => {
    const renewed = laboratories.issue('lis.laboratory.test');
    await team.management.patch(connection.path, { client_fingerprint: fingerprintOf(renewed) });
    expect(await say(client)).toMatchObject({ code: 'AR' });
    expect(await say(renewed)).toMatchObject({ code: 'AA' });
  });

  // prettier-ignore
  it.each<[string, TlsMaterial]>([
    ['no certificate',                             {}],
    ['a certificate that somebody else signed',    strangers.issue('lis.laboratory.test')],
    ['a certificate with the name of the authority', createCertificateAuthority('Laboratories').issue('lis.laboratory.test')],
  ])('closes the connection of a client with %s', async (_who, tls) => {
    await expect(say(tls)).rejects.toThrow();
    expect(await kept()).toEqual([]);
    expect(await say(client)).toMatchObject({ code: 'AA' });
  });
});

describe('a sender to a listener with a certificate', () => {
  // prettier-ignore
  it.each<[string, TlsMaterial, string]>([
    ['nobody whom it trusts has signed',  { ca: strangers.cert }, HOST],
    ['is of another host',                {},                     'lis.elsewhere.test'],
  ])('sends nothing if the certificate %s', async (_what, trust, host) => {
    await expect(say({ ...client, ...trust }, host)).rejects.toThrow(/certificate|altnames/i);
    expect(await kept()).toEqual([]);
  });
});
