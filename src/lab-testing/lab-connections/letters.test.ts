import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import {
  connectLab,
  framed,
  openLabLine,
  resultText,
  say,
  speak,
  type ConnectionInHand,
} from '../../../test/laboratory.ts';
import { openKeyring } from '../../platform/crypto/keyring.ts';
import { claimLetter, listLetters, readLetter, resealUnclaimed, type Line } from './lab-connections.ts';

let house: House;
let line: Line;
let team: TeamInHand;
let connection: ConnectionInHand;
beforeAll(async () => {
  house = await openHouse();
  line = await openLabLine(house.app);
});
afterAll(async () => {
  await line.stop();
  await house.close();
});
beforeEach(async () => {
  team = await house.team();
  connection = await connectLab(team);
});

const letters = () => listLetters(house.app, { limit: 100, before: undefined });
const messages = async (of = connection) => (await team.management.get(`${of.path}/message`)).json.data;
const incoming = async (): Promise<number> =>
  (
    await house.owner.query('select count(*)::int as n from incoming_result where team_id = $1', [
      team.tenant.teamId,
    ])
  ).rows[0].n;
const claim = (id: string, connectionId = connection.id) => claimLetter(house.app, { id, connectionId });

let strangers = 0;
/** A message of nobody; answers its text and its place in the list. */
async function stranger(change: Parameters<typeof resultText>[1] = {}) {
  const parties = { lab_facility: `NOBODY${(strangers += 1)}`, our_facility: 'NOWHERE' };
  const text = resultText(parties, { name: 'Lovel\u00e9ce^Ada', ...change });
  expect((await say(line, text)).code).toBe('AR');
  const letter = (await letters()).find(
    ({ whose }) => whose === `LIS|${parties.lab_facility}|ALIQUOT|NOWHERE`,
  );
  if (!letter) throw new Error('It is not in the list');
  return { id: letter.id, text, letter };
}

describe('what reached nobody', () => {
  it('is listed over all teams, dead letters and messages of nobody, newest first and page by page', async () => {
    const { id, letter, text } = await stranger();
    expect(letter).toMatchObject({ kind: 'unclaimed', sizeBytes: text.length, cameAt: house.clock.now() });
    expect(letter.reason).toMatch(/^No connection is known/);
    await say(line, resultText(connection).replace(/\rOBR[^\r]*/, ''));
    const [dead, unclaimed] = await letters();
    expect(dead).toMatchObject({ kind: 'dead', whose: connection.id });
    expect(dead?.reason).not.toBe('');
    expect(unclaimed?.id).toBe(id);
    const [next] = await listLetters(house.app, { limit: 1, before: dead?.id });
    expect(next?.id).toBe(id);
  });

  it('opens after ENCRYPTION_KEY was changed, once it is sealed anew', async () => {
    const { id, text } = await stranger();
    const [old, fresh] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const changed = { ...house.app, keyring: openKeyring(house.app.db, fresh ?? '') };
    await expect(readLetter(changed, id)).rejects.toThrow();
    expect(await resealUnclaimed(changed, old ?? '')).toBeGreaterThan(0);
    expect(await resealUnclaimed(changed, old ?? '')).toBe(0);
    expect((await readLetter(changed, id)).toString('latin1')).toBe(text);
    expect(await resealUnclaimed(house.app, fresh ?? '')).toBeGreaterThan(0);
    expect((await readLetter(house.app, id)).toString('latin1')).toBe(text);
  });

  it('is read byte for byte, whosever it is', async () => {
    const { id, text } = await stranger();
    expect((await readLetter(house.app, id)).toString('latin1')).toBe(text);
    const broken = resultText(connection).replace(/\rOBR[^\r]*/, '');
    await say(line, broken);
    const [dead] = await letters();
    expect((await readLetter(house.app, dead?.id ?? '')).toString('latin1')).toBe(broken);
    await expect(readLetter(house.app, randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('a message of nobody that is claimed', () => {
  it('is taken by its connection like any other, under its own id, and leaves the list', async () => {
    const { id, text } = await stranger();
    expect(await claim(id)).toEqual({ messageId: id, outcome: 'claimed' });
    await house.settle();
    expect(await messages()).toMatchObject([{ id, status: 'taken', answer: 'AA', way: 'mllp' }]);
    expect(await incoming()).toBe(1);
    expect((await letters()).some((letter) => letter.id === id)).toBe(false);
    expect((await readLetter(house.app, id)).toString('latin1')).toBe(text);
    const log = (await team.management.get(`/v1/org/${team.orgId}/audit_log`)).json.data;
    expect(log[0]).toMatchObject({ action: 'claim_lab_message', subject: id, team_id: team.tenant.teamId });
  });

  it('is claimed once, however often and by how many at once', async () => {
    const { id } = await stranger();
    const all = await Promise.all([claim(id), claim(id), claim(id)]);
    expect(all.map(({ outcome }) => outcome).toSorted()).toEqual([
      'claimed',
      'claimed_before',
      'claimed_before',
    ]);
    expect(await claim(id)).toEqual({ messageId: id, outcome: 'claimed_before' });
    await house.settle();
    expect([(await messages()).length, await incoming()]).toEqual([1, 1]);
  });

  it('belongs to one of two connections that claim it at once', async () => {
    const other = await connectLab(team);
    const { id } = await stranger();
    const both = await Promise.allSettled([claim(id), claim(id, other.id)]);
    const lost = both.find((one) => one.status === 'rejected');
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(lost?.reason).toMatchObject({ kind: 'conflict' });
    await house.settle();
    expect([(await messages()).length + (await messages(other)).length, await incoming()]).toEqual([1, 1]);
  });

  it('is put away where the connection has got it meanwhile', async () => {
    const { id, text } = await stranger();
    const [, , , facility = ''] = text.split('|');
    await team.management.patch(connection.path, { lab_facility: facility, our_facility: 'NOWHERE' });
    house.clock.move(3000);
    expect((await say(line, text)).code).toBe('AA');
    const [had] = await messages();
    expect(await claim(id)).toEqual({ messageId: had.id, outcome: 'repeat' });
    await house.settle();
    expect([(await messages()).length, await incoming()]).toEqual([1, 1]);
    expect((await letters()).some((letter) => letter.id === id)).toBe(false);
  });

  it('is a dead letter of the connection where it cannot be read', async () => {
    const parties = { lab_facility: 'BROKEN', our_facility: 'NOWHERE' };
    // Cut off on its way: what is there can be read, and is not the whole.
    await speak(line.port, framed(Buffer.from(resultText(parties))).subarray(0, -2), 0);
    await expect.poll(async () => (await letters())[0]?.whose).toBe('LIS|BROKEN|ALIQUOT|NOWHERE');
    const id = (await letters())[0]?.id ?? '';
    expect(await claim(id)).toEqual({ messageId: id, outcome: 'claimed' });
    await house.settle();
    expect(await messages()).toMatchObject([{ id, status: 'dead', answer: 'AE' }]);
    expect((await letters())[0]).toMatchObject({ id, kind: 'dead' });
    expect(await incoming()).toBe(0);
  });

  it('stays where it is for a connection or a message that is not there', async () => {
    const { id } = await stranger();
    await expect(claim(id, randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    await team.management.patch(connection.path, { enabled: false });
    await expect(claim(id)).rejects.toMatchObject({ kind: 'not_found' });
    await team.management.patch(connection.path, { enabled: true });
    await expect(claim(randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    expect((await letters()).some((letter) => letter.id === id)).toBe(true);
  });
});
