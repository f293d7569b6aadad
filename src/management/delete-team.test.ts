import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { waitingForLocks } from '../../test/locks.ts';
import { connected, granted, linkedTo, linkToken, readBack } from '../../test/linked.ts';
import { openStandIn, type StandIn } from '../../test/wearable-providers/core.ts';
import { fitbitWire } from '../../test/wearable-providers/fitbit.ts';
import type { RabbitMqSettings } from '../adapters/event-destination/port.ts';
import { simulatedBroker } from '../adapters/event-destination/simulated.ts';
import { MINUTE } from '../platform/clock.ts';

let house: House;
let fitbit: StandIn;
const rabbit = simulatedBroker<RabbitMqSettings>();
beforeAll(async () => {
  fitbit = await openStandIn(fitbitWire);
  house = await openHouse(linkedTo(fitbit));
  Object.assign(house.app.eventDestinations, { rabbitmq: rabbit });
});
afterAll(async () => {
  await house.close();
  await fitbit.close();
});

const pathOf = ({ orgId, tenant }: TeamInHand) => `/v1/org/${orgId}/team/${tenant.teamId}`;

const remove = async (team: TeamInHand) =>
  expect((await team.management.delete(pathOf(team))).status).toBe(200);

/** Sets RabbitMQ as the broker of a team. */
const setBroker = ({ orgId, tenant, management }: TeamInHand) =>
  management.post(`/v1/org/${orgId}/team_etl_pipelines/sandbox/us`, {
    team_ids: [tenant.teamId],
    preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq'] },
    rabbitmq: { uri: 'amqp://ada:secret@localhost:1/vh', exchange: 'events' },
  });

/** A kit that is under way to its result, a minute for each step. */
async function underWay(team: TeamInHand): Promise<void> {
  const [kit] = (await team.get('/v3/lab_tests?collection_method=testkit')).json;
  const placed = await team.post('/v3/order', order(await team.user(), kit.id));
  const walk = await team.post(`/v3/order/${placed.json.order.id}/test?delay=60`);
  expect([placed.status, walk.status]).toEqual([200, 200]);
}

const rowsOf = async (sql: string, { tenant }: TeamInHand) =>
  (await house.owner.query(sql, [tenant.teamId])).rows;

const eventsOf = (team: TeamInHand) => rowsOf('select from event where team_id = $1', team);

/** Lets minutes pass, and what comes due in each of them be done. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    house.clock.move(MINUTE);
    await house.settle();
  }
}

describe('a team that is deleted', () => {
  it('is told nothing any more, and what its laboratory finds is kept', async () => {
    const team = await house.team();
    const [up, down] = [await team.endpoint(), await team.endpoint()];
    down.answer = () => ({ status: 503 });
    await underWay(team);
    await house.settle();
    const before = (await eventsOf(team)).length;
    const told = () => [up.received.length, down.received.length];
    await expect.poll(told).toEqual([before, before]);
    await remove(team);
    await pass(8);
    expect(await rowsOf('select step from lab_order where team_id = $1', team)).toEqual([
      { step: 'completed' },
    ]);
    expect((await eventsOf(team)).length).toBeGreaterThan(before);
    expect(told()).toEqual([before, before]);
  });

  it('is not told by its broker either, of what waits for it or of what is new', async () => {
    const team = await house.team();
    rabbit.away = 'The broker is away';
    expect((await setBroker(team)).status).toBe(200);
    await underWay(team);
    await house.settle();
    await remove(team);
    rabbit.away = undefined;
    await pass(2);
    expect(await eventsOf(team)).not.toEqual([]);
    expect(rabbit.kept).toEqual([]);
  });

  it('knows the apps of its users no more, and has no page for them', async () => {
    const team = await house.team();
    const user = await team.user();
    const { sign_in_token: word } = (await team.post(`/v2/user/${user}/sign_in_token`)).json;
    const app = house.caller({ authorization: `Bearer ${word}` });
    const data = [{ timestamp: '2026-03-02T09:00:00Z', value: 61, unit: 'bpm', timezone_offset: 0 }];
    const source = { provider: 'apple_health_kit', type: 'watch', device: { id: 'W1', model: 'S9' } };
    const push = async () => (await app.post(`/v2/timeseries/${user}/heartrate`, { source, data })).status;
    const made = await team.post(`/v2/user/${user}/create_portal_url`, { context: 'launch' });
    const { pathname, search } = new URL(made.json.url);
    const show = async () => (await house.caller({}).get(pathname + search)).status;
    expect([await push(), await show()]).toEqual([200, 200]);
    await remove(team);
    expect([await push(), await show()]).toEqual([401, 400]);
  });

  it('connects nobody any more, and gives back what its users granted', async () => {
    const team = await house.team();
    await readBack(team, 0, fitbit);
    const [user, other] = [await team.user(), await team.user()];
    await connected({ house, team, standIn: fitbit }, user);
    await house.settle();
    const token = await linkToken(team, other);
    const back = await granted(house, fitbit, token);
    await remove(team);
    const withToken = house.caller({ 'x-service-link-token': token });
    expect((await withToken.get('/v2/link/providers')).json.detail.error_type).toBe('invalid_token');
    expect((await house.caller({}).get(back)).status).toBe(400);
    await pass(2);
    expect(await rowsOf('select from connection where team_id = $1', team)).toEqual([]);
  });

  it('gets nothing that is made at the same time', async () => {
    const team = await house.team();
    const deletion = await house.owner.connect();
    await deletion.query('begin');
    await deletion.query('update team set deleted_at = now() where id = $1', [team.tenant.teamId]);
    const making = [
      team.management.post(`${pathOf(team)}/sandbox/webhook`, { url: 'http://127.0.0.1:1/hook' }),
      setBroker(team),
    ];
    await expect.poll(() => waitingForLocks(house)).toBe(making.length);
    await deletion.query('commit');
    deletion.release();
    const answers = await Promise.all(making);
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(await rowsOf('select from webhook_endpoint where team_id = $1', team)).toEqual([]);
    expect(await rowsOf('select from event_pipeline where team_id = $1', team)).toEqual([]);
  });
});
