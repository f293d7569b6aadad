import { describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY, HOUR, isoTimestamp, later, MINUTE, SECOND } from '../../platform/clock.ts';

const service = useTestService();

const clockOf = (team: TestTeam) => `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
const advance = (team: TestTeam, milliseconds: number) =>
  team.management.post(clockOf(team), { advance_seconds: milliseconds / 1000 });
const isErased = async (team: TestTeam): Promise<boolean> => {
  const { rows } = await service.ownerPool.query('select from app_user where team_id = $1', [
    team.tenant.teamId,
  ]);
  return rows.length === 0;
};

describe('the sandbox clock', () => {
  it('is real time until it is moved, and then runs on from there', async () => {
    const team = await service.team();
    const start = service.clock.now();
    expect((await team.management.get(clockOf(team))).json).toEqual({ now: isoTimestamp(start) });
    expect((await advance(team, DAY)).json).toEqual({ now: isoTimestamp(later(start, DAY)) });
    service.clock.move(HOUR);
    const now = later(start, DAY + HOUR);
    expect((await team.management.get(clockOf(team))).json).toEqual({ now: isoTimestamp(now) });
    const to = isoTimestamp(later(now, HOUR));
    expect((await team.management.post(clockOf(team), { to })).json).toEqual({ now: to });
    const user = await team.post('/v2/user', { client_user_id: 'later' });
    const { json } = await team.get(`/v2/user/${user.json.user_id}`);
    expect(new Date(json.created_on)).toEqual(new Date(to));
  });

  it('only moves forward, and explains invalid requests', async () => {
    const team = await service.team();
    await team.user();
    const post = async (body: object) => (await team.management.post(clockOf(team), body)).status;
    expect(await post({ advance_seconds: -1 })).toBe(400);
    expect(await post({ to: isoTimestamp(later(service.clock.now(), -1)) })).toBe(400);
    expect(await post({ to: '2999-01-01T00:00:00Z' })).toBe(400);
    expect(await post({ advance_seconds: 0 })).toBe(200);
    for (const body of [
      {},
      { advance_seconds: 1, to: isoTimestamp(service.clock.now()) },
      { to: 'tomorrow' },
    ]) {
      expect(await post(body)).toBe(422);
    }
  });

  it('can be set back until the sandbox has had a user, and then returns to real time', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const start = service.clock.now();
    expect((await advance(team, -730 * DAY)).json).toEqual({ now: isoTimestamp(later(start, -730 * DAY)) });
    expect((await advance(other, -11 * 365 * DAY)).status).toBe(400);
    const userId = await team.user();
    const { json } = await team.get(`/v2/user/${userId}`);
    expect(new Date(json.created_on)).toEqual(later(start, -730 * DAY));
    expect((await advance(team, -DAY)).status).toBe(400);
    // Neither a deleted user nor an erased one makes the sandbox new again.
    await team.delete(`/v2/user/${userId}`);
    expect((await advance(team, -DAY)).status).toBe(400);
    await advance(team, 8 * DAY);
    expect([await isErased(team), (await advance(team, -DAY)).status]).toEqual([true, 400]);
    expect((await team.management.post(clockOf(team), { to: isoTimestamp(start) })).json).toEqual({
      now: isoTimestamp(start),
    });
    expect((await other.management.get(clockOf(other))).json).toEqual({ now: isoTimestamp(start) });
  });

  it('passes the grace period of a deleted user, for this team only', async () => {
    const [team, other] = [await service.team(), await service.team()];
    for (const one of [team, other]) await one.delete(`/v2/user/${await one.user()}`);
    await advance(team, 7 * DAY - MINUTE);
    expect(await isErased(team)).toBe(false);
    await advance(team, MINUTE);
    expect([await isErased(team), await isErased(other)]).toEqual([true, false]);
  });

  it('stops at every due time, so that everything happens in order and at its own time', async () => {
    const team = await service.team();
    const labTest = await findLabTestId(team, 'testkit');
    const placed = await team.post('/v3/order', order(await team.user(), labTest));
    const { id } = placed.json.order;
    const start = service.clock.now();
    expect((await team.post(`/v3/order/${id}/test?delay=60`)).status).toBe(200);
    expect((await advance(team, DAY)).status).toBe(200);

    const { json } = await team.get(`/v3/order/${id}`);
    expect(json.status).toBe('completed');
    const moments = json.events.map(({ created_at }: { created_at: string }) =>
      new Date(created_at).getTime(),
    );
    const after = moments.map((moment: number) => (moment - start.getTime()) / MINUTE);
    expect(after.length).toBeGreaterThan(3);
    expect(after.slice(1)).toEqual(after.slice(1).map((_: number, place: number) => place + after[1]));
    expect(after.at(-1)).toBeLessThan(30);
  });

  it('runs the retries of a delivery, each at its own time', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    endpoint.respond = () => ({ status: endpoint.received.length < 4 ? 500 : 200 });
    const labTest = await findLabTestId(team, 'testkit');
    await team.post('/v3/order', order(await team.user(), labTest));
    await service.settle();
    expect(endpoint.received).toHaveLength(1);
    await advance(team, HOUR);
    expect(endpoint.received).toHaveLength(4);

    const { rows } = await service.ownerPool.query(
      'select at from webhook_attempt where team_id = $1 order by at',
      [team.tenant.teamId],
    );
    const times: number[] = rows.map(({ at }) => at.getTime());
    const gaps = times.slice(1).map((time, place) => time - (times[place] ?? 0));
    const late = [5 * SECOND, 5 * MINUTE, 30 * MINUTE].map((planned, place) => (gaps[place] ?? 0) / planned);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(1);
    // The jitter of the schedule is at most 10 %.
    expect(Math.max(...late)).toBeLessThanOrEqual(1.1);
  });

  it('shifts waiting rows, and corrects rows that were written with the old offset', async () => {
    const team = await service.team();
    await team.delete(`/v2/user/${await team.user()}`);
    const due = later(service.clock.now(), 7 * DAY);
    await advance(team, 2 * DAY);
    const wall = async () => {
      const { rows } = await service.ownerPool.query(
        'select due_at, due_wall from timer where team_id = $1',
        [team.tenant.teamId],
      );
      return rows;
    };
    const right = [{ due_at: due, due_wall: later(due, -2 * DAY) }];
    expect(await wall()).toEqual(right);
    await service.ownerPool.query('update timer set due_wall = due_at where team_id = $1', [
      team.tenant.teamId,
    ]);
    await advance(team, 0);
    expect(await wall()).toEqual(right);
  });

  it('is moved by one request at a time; the lease of a mover that died ends after two minutes', async () => {
    const team = await service.team();
    const taken = later(service.clock.now(), 2 * MINUTE);
    await service.ownerPool.query(
      "update team_environment set clock_taken_until = $1 where team_id = $2 and environment = 'sandbox'",
      [taken, team.tenant.teamId],
    );
    const refused = await advance(team, HOUR);
    expect(refused).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
    service.clock.move(2 * MINUTE);
    expect((await advance(team, HOUR)).status).toBe(200);
    expect((await advance(team, HOUR)).status).toBe(200);
  });

  it('never moves production', async () => {
    const team = await service.team();
    await advance(team, 30 * DAY);
    const { rows } = await service.ownerPool.query(
      "select clock_offset_ms::int8 as ahead from team_environment where team_id = $1 and environment = 'production'",
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ ahead: 0 }]);
  });
});
