import { expect, it } from 'vitest';
import { inTenant } from '../app.ts';
import { emit } from './events.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { somethingHappened, useWebhookFixture } from '../../test/webhook-fixture.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const readerOf = async () => {
  const team = await service.team();
  const other = await service.team();
  await hooks.say(team, 1, 2, 3, 4, 5);
  await hooks.say(other, 6);
  await service.settle();
  const { teamId, environment } = team.tenant;
  const log = `/v1/org/${team.orgId}/team/${teamId}/${environment}/event`;
  return async (query: string) => {
    const { json } = await team.management.get(`${log}?${query}`);
    return { ...json, positions: json.data.map(({ position }: { position: number }) => position) };
  };
};

it('reads the log backwards, page by page, and none of another team', async () => {
  const read = await readerOf();
  expect(await read('before=0&limit=2')).toMatchObject({ positions: [5, 4], next_cursor: 4, latest: 5 });
  expect(await read('before=4&limit=2')).toMatchObject({ positions: [3, 2], next_cursor: 2 });
  expect(await read('before=2&limit=2')).toMatchObject({ positions: [1], next_cursor: 1 });
  expect(await read('before=1&limit=2')).toMatchObject({ positions: [], next_cursor: 1 });
});

it('reads backwards what a type names', async () => {
  const read = await readerOf();
  expect(await read('before=0&event_type=test.*&limit=1')).toMatchObject({ positions: [5] });
  expect(await read('before=0&event_type=labtest.*')).toMatchObject({ positions: [] });
});

const sayOf = (team: TestTeam, userId: string) =>
  inTenant(service.app, team.tenant, (work) =>
    emit(work, somethingHappened, { subject: { userId, clientUserId: null }, data: { n: 1 } }),
  );

it.each(['', 'before=0&'])('reads the events of one user alone, with %j', async (direction) => {
  const team = await service.team();
  const [one, two] = [await team.user(), await team.user()];
  const stranger = await service.team();
  const foreign = await stranger.user();
  await Promise.all([sayOf(team, one), sayOf(team, two), sayOf(team, one), sayOf(stranger, foreign)]);
  await service.settle();
  const log = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event?${direction}`;
  const usersIn = async (id: string): Promise<string[]> => {
    const { json } = await team.management.get(`${log}user_id=${id}`);
    return json.data.map(({ body }: { body: { user_id: string } }) => body.user_id);
  };
  expect(await usersIn(one)).toEqual([one, one]);
  expect(await usersIn(two)).toEqual([two]);
  expect(await usersIn(foreign)).toEqual([]);
  expect((await team.management.get(`${log}user_id=nobody`)).status).toBe(422);
});
