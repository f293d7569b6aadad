import { describe, expect, it } from 'vitest';
import { useAccessLog } from '../../../test/access-log.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';

const service = useTestService();

const details = {
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.com',
  phone_number: '+14155550132',
  gender: 'female',
  dob: '1990-02-28',
  address: { first_line: '1 Main St', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' },
};

async function userNamed(team: TestTeam, first_name: string): Promise<string> {
  const id = await team.user();
  expect((await team.patch(`/v2/user/${id}/info`, { ...details, first_name })).status).toBe(200);
  return id;
}

const pathOf = (ids: readonly string[]) =>
  `/v1/users/names?${new URLSearchParams(ids.map((id): [string, string] => ['user_id', id])).toString()}`;

const namesOf = async (team: TestTeam, ids: readonly string[]) => (await team.get(pathOf(ids))).json.data;

describe('the names of users', () => {
  it('are in the order of the query, once each, without users that have no demographics', async () => {
    const team = await service.team();
    const ada = await userNamed(team, 'Ada');
    const grace = await userNamed(team, 'Grace');
    const nameless = await team.user();
    expect(await namesOf(team, [grace, nameless, ada.toUpperCase(), grace])).toEqual([
      { user_id: grace, name: 'Grace Byron' },
      { user_id: ada, name: 'Ada Byron' },
    ]);
  });

  it('are not those of deleted users, or of another team', async () => {
    const team = await service.team();
    const [kept, deleted] = [await userNamed(team, 'Ada'), await userNamed(team, 'Grace')];
    expect((await team.delete(`/v2/user/${deleted}`)).status).toBe(200);
    expect(await namesOf(team, [kept, deleted])).toEqual([{ user_id: kept, name: 'Ada Byron' }]);
    expect(await namesOf(await service.team(), [kept])).toEqual([]);
  });

  it('are logged as an access to patient data', async () => {
    const { eventually, operationsOf } = useAccessLog(service);
    const team = await service.team();
    await namesOf(team, [await userNamed(team, 'Ada')]);
    await eventually(async () => expect(await operationsOf(team)).toContain('listUserNames'));
  });

  it.each([
    ['no user', ''],
    ['a text that is no id', '?user_id=ada'],
    ['more than 100', `?${'user_id=01a226f8-eaac-7063-8ffc-677d88bb6afa&'.repeat(101)}`],
  ])('refuse %s', async (_what, query) => {
    const team = await service.team();
    expect((await team.get(`/v1/users/names${query}`)).status).toBe(422);
  });
});
