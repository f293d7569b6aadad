import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useWebhookFixture, waitUntil } from '../../test/webhook-fixture.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { stallInTransaction } from '../../test/stalled-transaction.ts';
import type { TestTeam } from '../../test/service.ts';
import { SECOND } from '../platform/clock.ts';
import { FAN_OUT_BATCH } from './fan-out.ts';
import { lockWaitingLogs } from './store.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const logOf = async (team: TestTeam, query = '') =>
  (await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event${query}`)).json;

const positionsOf = async (team: TestTeam): Promise<number[]> =>
  (await logOf(team)).data.map(({ position }: { position: number }) => position);

it('positions count the events of each team from 1, without those of other teams', async () => {
  const teams = [await service.team(), await service.team(), await service.team()];
  for (const counts of [
    [1, 5, 0],
    [2, 1, 3],
  ]) {
    for (const [index, team] of teams.entries())
      await hooks.say(team, ...Array.from({ length: counts[index] ?? 0 }, (_, n) => n));
    await service.settle();
  }
  expect(await Promise.all(teams.map(positionsOf))).toEqual([
    [1, 2, 3],
    [1, 2, 3, 4, 5, 6],
    [1, 2, 3],
  ]);
});

it('a cursor that the log has never reached is refused instead of missing events', async () => {
  const team = await service.team();
  await hooks.say(team, 1, 2);
  await service.settle();
  expect(await logOf(team, '?after=2')).toEqual({ data: [], next_cursor: 2, latest: 2 });
  expect((await logOf(team, '?after=3')).detail).toEqual([
    {
      loc: ['query', 'after'],
      msg: expect.stringMatching(/^The newest position of this log is 2\./),
      type: 'value_error',
    },
  ]);
});

it('a cursor at an event that was erased stays valid', async () => {
  const team = await service.team();
  const userId = await team.user();
  await hooks.say(team, 1);
  await hooks.sayOf(team, userId, 2);
  await service.settle();
  const { latest } = await logOf(team);
  await team.delete(`/v2/user/${userId}`);
  await service.settle();
  const { next_cursor: cursor, data } = await logOf(team, `?after=${latest}`);
  expect([cursor, data]).toEqual([latest, expect.any(Array)]);
  await hooks.say(team, 3);
  await service.settle();
  const news = (await logOf(team, `?after=${latest}`)).data;
  expect(news.map(({ body }: { body: { data: unknown } }) => body.data)).toContainEqual({ n: 3 });
});

it('events of a team continue when a process hangs while it places them', async () => {
  const [team, other] = [await service.team(), await service.team()];
  const { receiver } = await hooks.hook(team);
  const { receiver: beside } = await hooks.hook(other);
  // The log has a head, and an event waits that the service's own fan-out does not see yet.
  await hooks.say(team, 0);
  await waitUntil(() => receiver.received.length === 1);
  const process = stallInTransaction(service.app.db, async (tx) => {
    await sql`select from event_log_head where team_id = ${team.tenant.teamId} for update`.execute(tx);
    await lockWaitingLogs(tx, FAN_OUT_BATCH);
  });
  expect(await process.stopped).toBeLessThanOrEqual(10 * SECOND);
  await hooks.say(other, 1);
  await waitUntil(() => beside.received.length === 1);
  await hooks.say(team, 1);
  await waitUntil(() => receiver.received.length === 2);
  expect(await process.resume()).toBe('undone');
});
