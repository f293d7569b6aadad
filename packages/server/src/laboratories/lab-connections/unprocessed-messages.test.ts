import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  connectLab,
  wrapFrame,
  openMllpListeners,
  resultText,
  sendLabMessage,
  sendRaw,
  sendToPort,
  type TestLabConnection,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import { openKeyring } from '../../platform/crypto/keyring.ts';
import {
  claimMessage,
  listUnprocessedMessages,
  readMessageBytes,
  resealUnclaimed,
} from './lab-connections.ts';

let service: TestService;
let line: TestMllpListeners;
let team: TestTeam;
let connection: TestLabConnection;
beforeAll(async () => {
  service = await openTestService();
  line = await openMllpListeners(service.app);
});
afterAll(async () => {
  await line.stop();
  await service.close();
});
beforeEach(async () => {
  team = await service.team();
  connection = await connectLab(team);
});

const letters = () => listUnprocessedMessages(service.app, { limit: 100, before: undefined });
const messages = async (of = connection) => (await team.management.get(`${of.path}/message`)).json.data;
const incoming = async (): Promise<number> =>
  (
    await service.ownerPool.query('select count(*)::int as n from incoming_result where team_id = $1', [
      team.tenant.teamId,
    ])
  ).rows[0].n;
const claim = (id: string, connectionId = connection.id) => claimMessage(service.app, { id, connectionId });

let strangers = 0;
/** A message of nobody; answers its text and its place in the list. */
async function stranger(change: Parameters<typeof resultText>[1] = {}) {
  const parties = { lab_facility: `NOBODY${(strangers += 1)}`, our_facility: 'NOWHERE' };
  const text = resultText(parties, { name: 'Lovel\u00e9ce^Ada', ...change });
  expect((await sendToPort(line.sharedPort, text)).code).toBe('AR');
  const letter = (await letters()).find(
    ({ owner }) => owner === `LIS|${parties.lab_facility}|ALIQUOT|NOWHERE`,
  );
  if (!letter) throw new Error('It is not in the list');
  return { id: letter.id, text, letter };
}

describe('unprocessed messages', () => {
  it('are listed across teams, dead letters and unclaimed messages, newest first and paginated', async () => {
    const { id, letter, text } = await stranger();
    expect(letter).toMatchObject({ kind: 'unclaimed', sizeBytes: text.length, cameAt: service.clock.now() });
    expect(letter.reason).toMatch(/^No connection exists/);
    await sendLabMessage({ line, connection }, resultText(connection).replace(/\rOBR[^\r]*/, ''));
    const [dead, unclaimed] = await letters();
    expect(dead).toMatchObject({ kind: 'dead', owner: connection.id });
    expect(dead?.reason).not.toBe('');
    expect(unclaimed?.id).toBe(id);
    const [next] = await listUnprocessedMessages(service.app, { limit: 1, before: dead?.id });
    expect(next?.id).toBe(id);
  });

  it('can be read after a change of ENCRYPTION_KEY once they are re-encrypted', async () => {
    const { id, text } = await stranger();
    const [old, fresh] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const changed = { ...service.app, keyring: openKeyring(service.app.db, fresh ?? '') };
    await expect(readMessageBytes(changed, id)).rejects.toThrow();
    expect(await resealUnclaimed(changed, old ?? '')).toBeGreaterThan(0);
    expect(await resealUnclaimed(changed, old ?? '')).toBe(0);
    expect((await readMessageBytes(changed, id)).toString('latin1')).toBe(text);
    expect(await resealUnclaimed(service.app, fresh ?? '')).toBeGreaterThan(0);
    expect((await readMessageBytes(service.app, id)).toString('latin1')).toBe(text);
  });

  it('are read byte for byte, for any owner', async () => {
    const { id, text } = await stranger();
    expect((await readMessageBytes(service.app, id)).toString('latin1')).toBe(text);
    const broken = resultText(connection).replace(/\rOBR[^\r]*/, '');
    await sendLabMessage({ line, connection }, broken);
    const [dead] = await letters();
    expect((await readMessageBytes(service.app, dead?.id ?? '')).toString('latin1')).toBe(broken);
    await expect(readMessageBytes(service.app, randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('a claimed message', () => {
  it('is processed by its connection under its own id, and leaves the list', async () => {
    const { id, text } = await stranger();
    expect(await claim(id)).toEqual({ messageId: id, outcome: 'claimed' });
    await service.settle();
    expect(await messages()).toMatchObject([{ id, status: 'taken', answer: 'AA', way: 'mllp' }]);
    expect(await incoming()).toBe(1);
    expect((await letters()).some((letter) => letter.id === id)).toBe(false);
    expect((await readMessageBytes(service.app, id)).toString('latin1')).toBe(text);
    const log = (await team.management.get(`/v1/org/${team.orgId}/audit_log`)).json.data;
    expect(log[0]).toMatchObject({ action: 'claim_lab_message', subject: id, team_id: team.tenant.teamId });
  });

  it('is claimed once, even by repeated and concurrent claims', async () => {
    const { id } = await stranger();
    const all = await Promise.all([claim(id), claim(id), claim(id)]);
    expect(all.map(({ outcome }) => outcome).toSorted()).toEqual([
      'claimed',
      'claimed_before',
      'claimed_before',
    ]);
    expect(await claim(id)).toEqual({ messageId: id, outcome: 'claimed_before' });
    await service.settle();
    expect([(await messages()).length, await incoming()]).toEqual([1, 1]);
  });

  it('belongs to one of two connections that claim it concurrently', async () => {
    const other = await connectLab(team);
    const { id } = await stranger();
    const both = await Promise.allSettled([claim(id), claim(id, other.id)]);
    const lost = both.find((one) => one.status === 'rejected');
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(lost?.reason).toMatchObject({ kind: 'conflict' });
    await service.settle();
    expect([(await messages()).length + (await messages(other)).length, await incoming()]).toEqual([1, 1]);
  });

  it('is dropped if the connection has received it meanwhile', async () => {
    const { id, text } = await stranger();
    const [, , , facility = ''] = text.split('|');
    await team.management.patch(connection.path, { lab_facility: facility, our_facility: 'NOWHERE' });
    service.clock.move(3000);
    expect((await sendLabMessage({ line, connection }, text)).code).toBe('AA');
    const [had] = await messages();
    expect(await claim(id)).toEqual({ messageId: had.id, outcome: 'repeat' });
    await service.settle();
    expect([(await messages()).length, await incoming()]).toEqual([1, 1]);
    expect((await letters()).some((letter) => letter.id === id)).toBe(false);
  });

  it('becomes a dead letter of the connection if it is unreadable', async () => {
    const parties = { lab_facility: 'BROKEN', our_facility: 'NOWHERE' };
    // Cut off on its way: what is there can be read, and is not the whole.
    await sendRaw(line.sharedPort, wrapFrame(Buffer.from(resultText(parties))).subarray(0, -2), 0);
    await expect.poll(async () => (await letters())[0]?.owner).toBe('LIS|BROKEN|ALIQUOT|NOWHERE');
    const id = (await letters())[0]?.id ?? '';
    expect(await claim(id)).toEqual({ messageId: id, outcome: 'claimed' });
    await service.settle();
    expect(await messages()).toMatchObject([{ id, status: 'dead', answer: 'AE' }]);
    expect((await letters())[0]).toMatchObject({ id, kind: 'dead' });
    expect(await incoming()).toBe(0);
  });

  it('stays unclaimed for an unknown connection or message', async () => {
    const { id } = await stranger();
    await expect(claim(id, randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    await team.management.patch(connection.path, { enabled: false });
    await expect(claim(id)).rejects.toMatchObject({ kind: 'not_found' });
    await team.management.patch(connection.path, { enabled: true });
    await expect(claim(randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    expect((await letters()).some((letter) => letter.id === id)).toBe(true);
  });
});
