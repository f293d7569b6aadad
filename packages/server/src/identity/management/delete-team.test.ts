import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { openBrowser } from '../../../test/browser.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import {
  connectUser,
  grantAccess,
  standInSettings,
  createLinkToken,
  setHistoricalDays,
} from '../../../test/wearable-links.ts';
import { openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { fitbitProtocol } from '../../../test/wearable-providers/fitbit.ts';
import type { RabbitMqSettings } from '../../adapters/event-destination/port.ts';
import { createSimulatedBroker } from '../../adapters/event-destination/simulated.ts';
import { MINUTE } from '../../platform/clock.ts';

let service: TestService;
let fitbit: StandIn;
const rabbit = createSimulatedBroker<RabbitMqSettings>();
beforeAll(async () => {
  fitbit = await openStandIn(fitbitProtocol);
  service = await openTestService(standInSettings(fitbit));
  Object.assign(service.app.eventDestinations, { rabbitmq: rabbit });
});
afterAll(async () => {
  await service.close();
  await fitbit.close();
});

const pathOf = ({ orgId, tenant }: TestTeam) => `/v1/org/${orgId}/team/${tenant.teamId}`;

const remove = async (team: TestTeam) =>
  expect((await team.management.delete(pathOf(team))).status).toBe(200);

/** Sets RabbitMQ as the broker of a team. */
const setBroker = ({ orgId, tenant, management }: TestTeam) =>
  management.post(`/v1/org/${orgId}/team_etl_pipelines/sandbox/us`, {
    team_ids: [tenant.teamId],
    preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq'] },
    rabbitmq: { uri: 'amqp://ada:secret@localhost:1/vh', exchange: 'events' },
  });

/** A test kit in simulation, with a minute for each step. */
async function startSimulation(team: TestTeam): Promise<void> {
  const kitId = await findLabTestId(team, 'testkit');
  const placed = await team.post('/v3/order', order(await team.user(), kitId));
  const walk = await team.post(`/v3/order/${placed.json.order.id}/test?delay=60`);
  expect([placed.status, walk.status]).toEqual([200, 200]);
}

const rowsOf = async (sql: string, { tenant }: TestTeam) =>
  (await service.ownerPool.query(sql, [tenant.teamId])).rows;

const eventsOf = (team: TestTeam) => rowsOf('select from event where team_id = $1', team);

/** Advances the clock minute by minute, and waits for the work that comes due. */
async function advanceMinutes(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    service.clock.move(MINUTE);
    await service.settle();
  }
}

describe('a deleted team', () => {
  it('receives no more webhooks, and its laboratory results are stored', async () => {
    const team = await service.team();
    const [up, down] = [await team.endpoint(), await team.endpoint()];
    down.respond = () => ({ status: 503 });
    await startSimulation(team);
    await service.settle();
    const before = (await eventsOf(team)).length;
    const told = () => [up.received.length, down.received.length];
    await expect.poll(told).toEqual([before, before]);
    await remove(team);
    await advanceMinutes(8);
    expect(await rowsOf('select step from lab_order where team_id = $1', team)).toEqual([
      { step: 'completed' },
    ]);
    expect((await eventsOf(team)).length).toBeGreaterThan(before);
    expect(told()).toEqual([before, before]);
  });

  it('receives no more pending or new events through its broker', async () => {
    const team = await service.team();
    rabbit.unavailableReason = 'The broker is away';
    expect((await setBroker(team)).status).toBe(200);
    await startSimulation(team);
    await service.settle();
    await remove(team);
    rabbit.unavailableReason = undefined;
    await advanceMinutes(2);
    expect(await eventsOf(team)).not.toEqual([]);
    expect(rabbit.stored).toEqual([]);
  });

  it('rejects the tokens and link pages of its users', async () => {
    const team = await service.team();
    const user = await team.user();
    const { sign_in_token: word } = (await team.post(`/v2/user/${user}/sign_in_token`)).json;
    const app = service.client({ authorization: `Bearer ${word}` });
    const data = [{ timestamp: '2026-03-02T09:00:00Z', value: 61, unit: 'bpm', timezone_offset: 0 }];
    const source = { provider: 'apple_health_kit', type: 'watch', device: { id: 'W1', model: 'S9' } };
    const push = async () => (await app.post(`/v2/timeseries/${user}/heartrate`, { source, data })).status;
    const made = await team.post(`/v2/user/${user}/create_portal_url`, { context: 'launch' });
    const { pathname, search } = new URL(made.json.url);
    const show = async () => (await service.client({}).get(pathname + search)).status;
    expect([await push(), await show()]).toEqual([200, 200]);
    await remove(team);
    expect([await push(), await show()]).toEqual([401, 400]);
  });

  it('accepts no connections, and revokes the grants of its users', async () => {
    const team = await service.team();
    await setHistoricalDays(team, 0, fitbit);
    const [user, other] = [await team.user(), await team.user()];
    await connectUser({ service, team, standIn: fitbit }, user);
    await service.settle();
    const token = await createLinkToken(team, other);
    const browser = openBrowser(service);
    const back = await grantAccess(browser, fitbit, token);
    await remove(team);
    const withToken = service.client({ 'x-service-link-token': token });
    expect((await withToken.get('/v2/link/providers')).json.detail.error_type).toBe('invalid_token');
    expect((await browser.get(back)).status).toBe(400);
    await advanceMinutes(2);
    expect(await rowsOf('select from connection where team_id = $1', team)).toEqual([]);
  });

  it('gets nothing that is created concurrently', async () => {
    const team = await service.team();
    const deletion = await service.ownerPool.connect();
    await deletion.query('begin');
    await deletion.query('update team set deleted_at = now() where id = $1', [team.tenant.teamId]);
    const making = [
      team.management.post(`${pathOf(team)}/sandbox/webhook`, { url: 'http://127.0.0.1:1/hook' }),
      setBroker(team),
    ];
    await expect.poll(() => countLockWaiters(service)).toBe(making.length);
    await deletion.query('commit');
    deletion.release();
    const answers = await Promise.all(making);
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(await rowsOf('select from webhook_endpoint where team_id = $1', team)).toEqual([]);
    expect(await rowsOf('select from event_pipeline where team_id = $1', team)).toEqual([]);
  });
});
