import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant, readTenant } from '../../app.ts';
import { findUserByEmail, getUser, saveDemographics } from './users.ts';

const service = useTestService();
const team = useTestTeam(service);

const details = {
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'Ada@Example.com',
  phone_number: '+14155550132',
  gender: 'female',
  dob: '1990-02-28',
  address: { first_line: '1 Main St', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' },
};

describe('demographics', () => {
  it('are stored sealed, and the latest are returned', async () => {
    const id = await team.user();
    expect((await team.get(`/v2/user/${id}/info/latest`)).status).toBe(404);
    await team.patch(`/v2/user/${id}/info`, details);
    const kept = await team.patch(`/v2/user/${id}/info`, {
      ...details,
      first_name: 'Augusta',
      race: 'other',
    });
    expect(kept.status).toBe(200);
    expect(kept.json).toMatchObject({ ...details, first_name: 'Augusta', race: 'other' });
    expect((await team.get(`/v2/user/${id}/info/latest`)).json).toEqual(kept.json);
    const { rows } = await service.ownerPool.query(
      'select document, email_index from user_info where user_id = $1',
      [id],
    );
    const stored = Buffer.concat([rows[0].document, rows[0].email_index]).toString('latin1').toLowerCase();
    for (const word of ['augusta', 'byron', 'example']) expect(stored).not.toContain(word);
  });

  it.each([
    [{ first_name: ' Ada' }, ['body', 'first_name']],
    [{ last_name: 'Lovelace  King' }, ['body', 'last_name']],
    [{ email: 'ada' }, ['body', 'email']],
    [{ dob: '2031-01-01' }, ['body', 'dob']],
    [{ address: { ...details.address, state: 'XX' } }, ['body', 'address', 'state']],
    [{ medical_proxy: { first_name: 'Ann' } }, ['body', 'medical_proxy', 'last_name']],
  ])('refuse %j', async (wrong, loc) => {
    const id = await team.user();
    const { status, json } = await team.patch(`/v2/user/${id}/info`, { ...details, ...wrong });
    expect(status).toBe(422);
    expect(json.detail).toEqual(expect.arrayContaining([expect.objectContaining({ loc })]));
  });

  it('find the user with an e-mail address case-insensitively, and no user when two share it', async () => {
    const own = await service.team();
    const find = (email: string) =>
      readTenant(service.app, own.tenant, (work) => findUserByEmail(work, email));
    const [first, second] = [await own.user(), await own.user()];
    await own.patch(`/v2/user/${first}/info`, details);
    expect(await find('ada@EXAMPLE.com')).toMatchObject({ id: first });
    expect(await find('bob@example.com')).toBeUndefined();
    await own.patch(`/v2/user/${second}/info`, details);
    expect(await find('ada@example.com')).toBeUndefined();
    await own.delete(`/v2/user/${second}`);
    expect(await find('ada@example.com')).toMatchObject({ id: first });
  });
});

it('exports its functions to other modules', async () => {
  const id = await team.user('door');
  await inTenant(service.app, team.tenant, async (work) => {
    const user = await getUser(work, id);
    await saveDemographics(work, user.id, {
      ...details,
      address: { ...details.address, second_line: '' },
    });
  });
  expect((await team.get(`/v2/user/${id}/info/latest`)).json.first_name).toBe('Ada');
});
