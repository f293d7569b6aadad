import { expect, it } from 'vitest';
import { useTestService } from '../../test/service-hooks.ts';
import { useWebhookFixture } from '../../test/webhook-fixture.ts';

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
