import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { connectLab, type TestLabConnection } from '../../../test/laboratory.ts';
import { placeOrder } from '../../../test/received-reports.ts';
import { inTenant } from '../../app.ts';
import { DAY } from '../../platform/clock.ts';
import { ingestMessages } from './ingestion.ts';
import { sealBody } from './message-sealing.ts';

let service: TestService;
let team: TestTeam;
let connection: TestLabConnection;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  connection = await connectLab(team, { inbound: 'https' });
});
afterAll(() => service.close());

interface OrderedPatient {
  readonly userId: string;
  readonly orderId: string;
  readonly sampleId: string;
  readonly lastName: string;
  readonly code: string;
}

async function aPatient(lastName: string): Promise<OrderedPatient> {
  const userId = await team.user();
  const person = { first_name: 'Ada', last_name: lastName };
  const { order, tests } = await placeOrder(service, team, { userId, person, markers: 1 });
  const [test] = tests;
  return {
    userId,
    orderId: order.id,
    sampleId: order.sample_id ?? '',
    lastName,
    code: test?.providerId ?? '',
  };
}

/** What a laboratory writes of a patient, with a segment of its own. */
const toSegments = ({ lastName, sampleId, code }: OrderedPatient, value = '5'): string[] => [
  `PID|1||77||${lastName}^Ada||19851210|F`,
  `ORC|RE|${sampleId}`,
  `NTE|1|L|Of ${lastName}, größer`,
  `OBR|1|${sampleId}|L1|${code}^Test^L|||${DRAWN}|||||||||||||||${DRAWN}||LAB|F`,
  `OBX|1|NM|${code}^Test^L||${value}|mg/dL|1-9||||F`,
  `ZLB|${lastName}`,
];
const DRAWN = '20260302120000+0000';

let messages = 0;
const message = (lines: readonly string[], id = `R${(messages += 1)}`): string =>
  [`MSH|^~\\&|LIS|LAB|ALIQUOT|US|${DRAWN}||ORU^R01|${id}|P|2.5.1`, ...lines, ''].join('\r\n');

async function send(text: string): Promise<string> {
  const route = {
    tenant: team.tenant,
    connectionId: connection.id,
    lab: 'labcorp',
    accountNumber: null,
    timeZone: 'UTC',
    inbound: 'https',
    isEnabled: true,
    isDeleted: false,
    listenerPort: null,
    parties: undefined,
    clientFingerprint: null,
    previousFingerprint: undefined,
  } as const;
  const [receipt] = await ingestMessages(service.app, {
    bytes: Buffer.from(text),
    format: text.startsWith('{') ? 'fhir' : 'hl7',
    way: 'https',
    remoteAddress: '127.0.0.1',
    fingerprint: null,
    sender: route,
  });
  await service.settle();
  return receipt?.id ?? '';
}

const kept = async (id: string) => (await team.management.get(`${connection.path}/message/${id}`)).json;
const resultOf = async ({ orderId }: OrderedPatient) =>
  (await team.get(`/v3/order/${orderId}/result`)).status;

async function erase({ userId }: OrderedPatient): Promise<void> {
  await team.delete(`/v2/user/${userId}`);
  service.clock.move(7 * DAY);
  await service.settle();
}

describe('a message about several patients, when one of them is erased', () => {
  it('keeps the reports of others byte for byte, and records when the rest was removed', async () => {
    const [one, two, three] = [await aPatient('First'), await aPatient('Second'), await aPatient('Third')];
    const id = await send(message([...toSegments(one), ...toSegments(two), ...toSegments(three)], 'SAME'));
    expect(await Promise.all([one, two, three].map(resultOf))).toEqual([200, 200, 200]);
    expect(await kept(id)).toMatchObject({ redacted_at: null, redaction: null });
    await erase(two);
    const text = message([...toSegments(one), ...toSegments(three)], 'SAME');
    const size_bytes = Buffer.byteLength(text);
    expect(await kept(id)).toMatchObject({ text, size_bytes, status: 'taken', redaction: 'parts' });
    expect((await kept(id)).redacted_at).toBe(service.clock.now().toISOString().replace('Z', '+00:00'));
    expect(await Promise.all([one, three].map(resultOf))).toEqual([200, 200]);
    await erase(one);
    expect(await kept(id)).toMatchObject({ text: message(toSegments(three), 'SAME'), redaction: 'parts' });
    await erase(three);
    expect(await kept(id)).toMatchObject({ text: '', size_bytes: 0, redaction: 'whole' });
  });

  it('is still recognized when it is sent again', async () => {
    const [one, two] = [await aPatient('Fourth'), await aPatient('Fifth')];
    const text = message([...toSegments(one), ...toSegments(two)]);
    const id = await send(text);
    await erase(one);
    expect(await send(text)).toBe(id);
    expect((await kept(id)).text).not.toContain('Fourth');
  });

  it('is also redacted in its repeats, and nowhere else', async () => {
    const [one, two] = [await aPatient('Sixth'), await aPatient('Seventh')];
    const lines = [...toSegments(one), ...toSegments(two)];
    const id = await send(message(lines, 'AGAIN'));
    const repeat = await send(message([...lines, 'ZZZ|sent again'], 'AGAIN'));
    const other = await send(message(['PID|1||1||Stranger^Some||19600101|M', 'OBR|1|NONE'], 'AGAIN'));
    expect(new Set([id, repeat, other]).size).toBe(3);
    await erase(one);
    for (const each of [id, repeat]) {
      expect((await kept(each)).text).not.toContain('Sixth');
      expect((await kept(each)).text).toContain('Seventh');
    }
    expect(await kept(other)).toMatchObject({ redaction: null, text: expect.stringContaining('Stranger') });
  });

  it('is redacted if a reviewer attached it to the order', async () => {
    const one = await aPatient('Eighth');
    const id = await send(message(toSegments({ ...one, sampleId: 'UNKNOWN' })));
    const { rows } = await service.ownerPool.query('select id from incoming_result where message_id = $1', [
      id,
    ]);
    const accepted = await team.post(`/v3/unmatched_result/${rows[0].id}/accept`, {
      acceptance_type: 'not_one_of_suggested_outcomes',
      order_id: one.orderId,
    });
    expect(accepted.status).toBe(200);
    await erase(one);
    expect(await kept(id)).toMatchObject({ text: '', redaction: 'whole' });
  });

  it('keeps reports that await a review, and rejected ones', async () => {
    const one = await aPatient('Ninth');
    const stranger = toSegments({ ...one, lastName: 'Nobody', sampleId: 'NONE' });
    const id = await send(message([...toSegments(one), ...stranger]));
    await erase(one);
    expect(await kept(id)).toMatchObject({ text: expect.stringContaining('Nobody'), redaction: 'parts' });
    expect((await kept(id)).text).not.toContain('Ninth');
  });
});

describe('a message in which the erased patient’s part cannot be separated', () => {
  const garble = (id: string) =>
    inTenant(service.app, team.tenant, async ({ cipher }) => {
      const body = sealBody(cipher, Buffer.from('MSH|^~\\&|no longer readable'));
      await service.ownerPool.query('update lab_message set body = $2 where id = $1', [id, body]);
    });

  it('is emptied', async () => {
    const [one, two] = [await aPatient('Tenth'), await aPatient('Eleventh')];
    const id = await send(message([...toSegments(one), ...toSegments(two)]));
    await garble(id);
    await erase(one);
    expect(await kept(id)).toMatchObject({ text: '', redaction: 'whole' });
    expect(await resultOf(two)).toBe(200);
  });

  it('is emptied only after the other reports are decided', async () => {
    const one = await aPatient('Twelfth');
    const id = await send(
      message([...toSegments(one), ...toSegments({ ...one, lastName: 'Nobody', sampleId: 'NONE' })]),
    );
    await garble(id);
    await erase(one);
    expect(await kept(id)).toMatchObject({ text: expect.stringContaining('readable'), redaction: null });
    const { rows } = await service.ownerPool.query('select id from incoming_result where message_id = $1', [
      id,
    ]);
    await team.post(`/v3/unmatched_result/${rows[0].id}/resolve`, { action: 'reject' });
    service.clock.move(DAY);
    await service.settle();
    expect(await kept(id)).toMatchObject({ text: '', redaction: 'whole' });
  });
});
