import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../test/browser.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  beginOAuth,
  connectUser,
  openOAuthUrl,
  standInSettings,
  createLinkToken,
  setHistoricalDays,
  followAuthorization,
} from '../../../test/wearable-links.ts';
import {
  CLIENT,
  openStandIn,
  type StandIn,
  type WireProtocol,
} from '../../../test/wearable-providers/stand-in.ts';
import { fitbitProtocol } from '../../../test/wearable-providers/fitbit.ts';
import { ouraProtocol } from '../../../test/wearable-providers/oura.ts';
import { ProviderUnreachableError, type WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { DAY, isoDay, later, MINUTE } from '../../platform/clock.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { pullDue } from './pull-due.ts';
import * as store from '../connections/pull-store.ts';

const ALWAYS = '9999-12-31';
/** The last day on which the ring synchronized: Oura has no data of later days. */
let handedOver = ALWAYS;
/** Collections with invalid responses. */
const broken = new Set<string>();
const ring: WireProtocol = {
  ...ouraProtocol,
  answerUser: (asked, standIn) => {
    const name = asked.path.split('/').at(-1) ?? '';
    if (broken.has(name)) return { status: 400, body: { detail: 'no' } };
    if (name === 'heartrate') return { body: { data: [], next_token: null } };
    const query = new URLSearchParams(asked.query);
    if ((query.get('end_date') ?? '') > handedOver) query.set('end_date', handedOver);
    return ouraProtocol.answerUser({ ...asked, query }, standIn);
  },
};
/** Fitbit, which may reject what the user has granted. */
let refused: string | undefined;
const bracelet: WireProtocol = {
  ...fitbitProtocol,
  answerUser: (asked, standIn) =>
    refused !== undefined && asked.path.includes(refused)
      ? { status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'n/a' } } }
      : fitbitProtocol.answerUser(asked, standIn),
};

/** A test simulates days of a connection: dozens of jobs with their requests in sequence. */
const PATIENCE_MS = 60_000;

let service: TestService;
let oura: StandIn;
let fitbit: StandIn;
beforeAll(async () => {
  [oura, fitbit] = await Promise.all([openStandIn(ring), openStandIn(bracelet)]);
  service = await openTestService(standInSettings(oura, fitbit));
});
afterEach(async () => {
  handedOver = ALWAYS;
  broken.clear();
  refused = undefined;
  await service.ownerPool.query(`delete from timer where job like 'wearables.%'`);
});
afterAll(async () => {
  await service.close();
  await Promise.all([oura.close(), fitbit.close()]);
});

async function openTeam(standIn: StandIn) {
  const team = await service.team();
  await setHistoricalDays(team, 1, standIn);
  return { team, receiver: await team.endpoint(), user: await team.user() };
}

const idOf = async (user: string): Promise<string> =>
  (await service.ownerPool.query('select id from connection where user_id = $1', [user])).rows[0].id;
const statusOf = async (team: TestTeam, user: string) =>
  (await team.get(`/v2/user/providers/${user}`)).json.providers[0];
const pulledOf = async (team: TestTeam, user: string) =>
  (await team.get(`/v2/introspect/historical_pull?user_id=${user}`)).json.data[0].provider.fitbit.pulled;
const nightsOf = async (team: TestTeam, user: string): Promise<string[]> =>
  (await team.get(`/v2/summary/sleep/${user}?start_date=2026-03-01&end_date=2026-03-31`)).json.sleep.map(
    ({ calendar_date: day }: { calendar_date: string }) => day,
  );

/** A notification of a new night, without its date. */
async function notifyNight(team: TestTeam): Promise<void> {
  const { teamId, environment } = team.tenant;
  const event_time = service.clock.now().toISOString();
  const news = { event_type: 'create', data_type: 'sleep', object_id: 'o', event_time, user_id: 'a1b2c3' };
  const payload = JSON.stringify(news);
  const signature = createHmac('sha256', CLIENT.clientSecret).update(`77${payload}`).digest('hex');
  const answer = await service.http.server.inject({
    method: 'POST',
    url: `/v2/provider_webhook/oura/${teamId}/${environment}`,
    headers: { 'content-type': 'application/json', 'x-oura-timestamp': '77', 'x-oura-signature': signature },
    payload,
  });
  expect(answer.statusCode).toBe(200);
}

describe('data that a ring uploads after six days', { timeout: PATIENCE_MS }, () => {
  /** Six days of polls without data. */
  async function openLate() {
    const today = service.clock.now();
    handedOver = isoDay(today);
    const opened = await openTeam(oura);
    await connectUser({ service, team: opened.team, standIn: oura }, opened.user);
    await service.settle();
    service.clock.move(6 * DAY);
    await service.settle();
    expect((await nightsOf(opened.team, opened.user)).at(-1)).toBe(handedOver);
    handedOver = ALWAYS;
    return { ...opened, days: [1, 2, 3, 4, 5, 6].map((n) => isoDay(later(today, n * DAY))) };
  }

  it('is pulled after a notification', async () => {
    const { team, user, days } = await openLate();
    await notifyNight(team);
    await service.settle();
    expect(await nightsOf(team, user)).toEqual(expect.arrayContaining(days));
  });

  it('is pulled by the daily poll without a notification', async () => {
    const { team, user, days } = await openLate();
    service.clock.move(DAY);
    await service.settle();
    expect(await nightsOf(team, user)).toEqual(expect.arrayContaining(days));
  });
});

describe('a resource that cannot be read', { timeout: PATIENCE_MS }, () => {
  it('does not hold up the others, and is retried', async () => {
    const { team, user, receiver } = await openTeam(oura);
    await connectUser({ service, team, standIn: oura }, user);
    await service.settle();
    broken.add('daily_activity').add('workout');
    service.clock.move(DAY);
    await service.settle();
    expect(receiver.events()).toContain('daily.data.sleep.created');
    expect(receiver.events()).not.toContain('daily.data.activity.created');
    broken.clear();
    service.clock.move(15 * MINUTE);
    await service.settle();
    expect(receiver.events()).toContain('daily.data.activity.created');
    expect(receiver.events()).toContain('daily.data.workouts.created');
  });

  it('waits for at most two timeouts per run', async () => {
    const { team, user } = await openTeam(oura);
    await connectUser({ service, team, standIn: oura }, user);
    await service.settle();
    const real = service.app.wearableProviders.find('oura');
    if (!real) throw new Error('There is no Oura');
    const asked: string[] = [];
    const body: WearableProvider = {
      ...real,
      // oxlint-disable-next-line require-yield
      async *pull(_grant, { resource }) {
        asked.push(resource);
        throw new ProviderUnreachableError('Nobody is there');
      },
    };
    const app = { ...service.app, wearableProviders: { ...service.app.wearableProviders, find: () => body } };
    const connectionId = await idOf(user);
    const [from, to] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];
    const wanted = ['activity', 'hrv', 'sleep'].map((resource) => ({ connectionId, resource, from, to }));
    await inTenant(app, team.tenant, (work) => store.addDuePulls(work, wanted));
    await pullDue.run(app, team.tenant, { connection_id: connectionId });
    expect(asked).toEqual(['activity', 'hrv']);
    const due = await inTenant(app, team.tenant, (work) => store.listDuePulls(work, [connectionId]));
    expect(due).toHaveLength(3);
  });
});

it('keeps a due pull that is extended while it is being pulled', async () => {
  const { team, user } = await openTeam(oura);
  await connectUser({ service, team, standIn: oura }, user);
  await service.settle();
  const connectionId = await idOf(user);
  const working = <T>(run: (work: Work) => Promise<T>) => inTenant(service.app, team.tenant, run);
  const [from, to] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];
  const want = () =>
    working((work) => store.addDuePulls(work, [{ connectionId, resource: 'sleep', from, to }]));
  const list = () => working((work) => store.listDuePulls(work, [connectionId]));
  await want();
  // Two concurrent jobs: one that a timer started does not wait for the others.
  const [[first], [second]] = [await list(), await list()];
  if (!first || !second) throw new Error('Nothing is due');
  await working((work) => store.completeDuePull(work, first));
  await want();
  await working((work) => store.completeDuePull(work, second));
  const left = await list();
  expect(left).toHaveLength(1);
  for (const one of left) await working((work) => store.completeDuePull(work, one));
  expect(await list()).toEqual([]);
});

describe('a resource that the user did not grant', { timeout: PATIENCE_MS }, () => {
  it('is not pulled, and the others are', async () => {
    const { team, user } = await openTeam(fitbit);
    const before = fitbit.calls.length;
    const token = await createLinkToken(team, user);
    const browser = openBrowser(service);
    const url = new URL(await openOAuthUrl(browser, await beginOAuth(browser, 'fitbit', token)));
    const scopes = url.searchParams.get('scope')?.split(' ') ?? [];
    url.searchParams.set('scope', scopes.filter((scope) => !scope.includes('nutrition')).join(' '));
    await browser.get(await followAuthorization(fitbit, url.href));
    await service.settle();
    service.clock.move(DAY);
    await service.settle();
    const shown = await statusOf(team, user);
    expect(shown).toMatchObject({
      status: 'connected',
      resource_availability: { water: { status: 'unavailable' }, sleep: { status: 'available' } },
    });
    const pulled = await pulledOf(team, user);
    expect(pulled.water).toBeUndefined();
    expect(pulled.sleep).toMatchObject({ status: 'success' });
    expect(fitbit.calls.slice(before).filter((call) => call.includes('/hydration-log/'))).toEqual([]);
  });

  it('is not pulled if the team excludes it', async () => {
    const { team, user } = await openTeam(fitbit);
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/scope_requirements`;
    const wanted = { user_must_grant: ['sleep', 'profile'], user_may_grant: [] };
    expect((await team.management.post(path, { fitbit: wanted })).status).toBe(200);
    await connectUser({ service, team, standIn: fitbit }, user);
    await service.settle();
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected', error_details: null });
    expect(Object.keys(await pulledOf(team, user)).toSorted()).toEqual(['profile', 'sleep']);
  });

  it('is skipped when only the provider rejects it, and the others are pulled', async () => {
    const { team, user, receiver } = await openTeam(fitbit);
    refused = '/hydration-log/';
    await connectUser({ service, team, standIn: fitbit }, user);
    await service.settle();
    const pulled = await pulledOf(team, user);
    expect(pulled.water).toMatchObject({ status: 'failure', error_details: 'non_retriable_error' });
    expect(pulled.weight).toMatchObject({ status: 'success' });
    expect((await team.post(`/v2/user/refresh/${user}?timeout=30`)).json).toMatchObject({
      refreshed_sources: ['fitbit'],
    });
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected', error_details: null });
    expect(receiver.events()).not.toContain('provider.connection.error');
  });
});
