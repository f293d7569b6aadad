import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connected, linkedTo, linkToken, readBack, wayBack } from '../../../test/linked.ts';
import { CLIENT, openStandIn, type StandIn, type Wire } from '../../../test/wearable-providers/core.ts';
import { fitbitWire } from '../../../test/wearable-providers/fitbit.ts';
import { ouraWire } from '../../../test/wearable-providers/oura.ts';
import { ProviderSilent, type WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { DAY, isoDay, later, MINUTE } from '../../platform/clock.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { pullDue } from './pull-due.ts';
import * as store from './store.ts';

const ALWAYS = '9999-12-31';
/** Up to which day the ring has met its phone: of the days after it Oura knows nothing. */
let handedOver = ALWAYS;
/** Collections of which nothing can be understood. */
const broken = new Set<string>();
const ring: Wire = {
  ...ouraWire,
  data: (asked, standIn) => {
    const name = asked.path.split('/').at(-1) ?? '';
    if (broken.has(name)) return { status: 400, body: { detail: 'no' } };
    if (name === 'heartrate') return { body: { data: [], next_token: null } };
    const query = new URLSearchParams(asked.query);
    if ((query.get('end_date') ?? '') > handedOver) query.set('end_date', handedOver);
    return ouraWire.data({ ...asked, query }, standIn);
  },
};
/** Fitbit, which may refuse what the user has granted. */
let refused: string | undefined;
const bracelet: Wire = {
  ...fitbitWire,
  data: (asked, standIn) =>
    refused !== undefined && asked.path.includes(refused)
      ? { status: 403, body: { errors: [{ errorType: 'insufficient_scope', message: 'n/a' }] } }
      : fitbitWire.data(asked, standIn),
};

/** A test walks through days of a connection: dozens of jobs with their requests, one after the other. */
const PATIENCE_MS = 60_000;

let house: House;
let oura: StandIn;
let fitbit: StandIn;
beforeAll(async () => {
  [oura, fitbit] = await Promise.all([openStandIn(ring), openStandIn(bracelet)]);
  house = await openHouse(linkedTo(oura, fitbit));
});
afterEach(async () => {
  handedOver = ALWAYS;
  broken.clear();
  refused = undefined;
  await house.owner.query(`delete from timer where job like 'wearables.%'`);
});
afterAll(async () => {
  await house.close();
  await Promise.all([oura.close(), fitbit.close()]);
});

async function openTeam(standIn: StandIn) {
  const team = await house.team();
  await readBack(team, 1, standIn);
  return { team, receiver: await team.endpoint(), user: await team.user() };
}

const idOf = async (user: string): Promise<string> =>
  (await house.owner.query('select id from connection where user_id = $1', [user])).rows[0].id;
const statusOf = async (team: TeamInHand, user: string) =>
  (await team.get(`/v2/user/providers/${user}`)).json.providers[0];
const pulledOf = async (team: TeamInHand, user: string) =>
  (await team.get(`/v2/introspect/historical_pull?user_id=${user}`)).json.data[0].provider.fitbit.pulled;
const nightsOf = async (team: TeamInHand, user: string): Promise<string[]> =>
  (await team.get(`/v2/summary/sleep/${user}?start_date=2026-03-01&end_date=2026-03-31`)).json.sleep.map(
    ({ calendar_date: day }: { calendar_date: string }) => day,
  );

/** Oura says that there is a new night. It does not say which. */
async function tellNight(team: TeamInHand): Promise<void> {
  const { teamId, environment } = team.tenant;
  const event_time = house.clock.now().toISOString();
  const news = { event_type: 'create', data_type: 'sleep', object_id: 'o', event_time, user_id: 'a1b2c3' };
  const payload = JSON.stringify(news);
  const signature = createHmac('sha256', CLIENT.clientSecret).update(`77${payload}`).digest('hex');
  const answer = await house.http.server.inject({
    method: 'POST',
    url: `/v2/provider_webhook/oura/${teamId}/${environment}`,
    headers: { 'content-type': 'application/json', 'x-oura-timestamp': '77', 'x-oura-signature': signature },
    payload,
  });
  expect(answer.statusCode).toBe(200);
}

describe('what a ring hands over after six days', { timeout: PATIENCE_MS }, () => {
  /** For six days it is asked, and nothing comes. */
  async function openLate() {
    const today = house.clock.now();
    handedOver = isoDay(today);
    const opened = await openTeam(oura);
    await connected({ house, team: opened.team, standIn: oura }, opened.user);
    await house.settle();
    house.clock.move(6 * DAY);
    await house.settle();
    expect((await nightsOf(opened.team, opened.user)).at(-1)).toBe(handedOver);
    handedOver = ALWAYS;
    return { ...opened, days: [1, 2, 3, 4, 5, 6].map((n) => isoDay(later(today, n * DAY))) };
  }

  it('comes when the provider says that there is something new', async () => {
    const { team, user, days } = await openLate();
    await tellNight(team);
    await house.settle();
    expect(await nightsOf(team, user)).toEqual(expect.arrayContaining(days));
  });

  it('comes the next day when nobody says anything', async () => {
    const { team, user, days } = await openLate();
    house.clock.move(DAY);
    await house.settle();
    expect(await nightsOf(team, user)).toEqual(expect.arrayContaining(days));
  });
});

describe('a resource that cannot be read', { timeout: PATIENCE_MS }, () => {
  it('keeps none of the others back, and is asked for again', async () => {
    const { team, user, receiver } = await openTeam(oura);
    await connected({ house, team, standIn: oura }, user);
    await house.settle();
    broken.add('daily_activity').add('workout');
    house.clock.move(DAY);
    await house.settle();
    expect(receiver.events()).toContain('daily.data.sleep.created');
    expect(receiver.events()).not.toContain('daily.data.activity.created');
    broken.clear();
    house.clock.move(15 * MINUTE);
    await house.settle();
    expect(receiver.events()).toContain('daily.data.activity.created');
    expect(receiver.events()).toContain('daily.data.workouts.created');
  });

  it('is waited for twice at most where the provider is silent: others want to be asked', async () => {
    const { team, user } = await openTeam(oura);
    await connected({ house, team, standIn: oura }, user);
    await house.settle();
    const real = house.app.wearableProviders.find('oura');
    if (!real) throw new Error('There is no Oura');
    const asked: string[] = [];
    const body: WearableProvider = {
      ...real,
      // oxlint-disable-next-line require-yield
      async *pull(_grant, { resource }) {
        asked.push(resource);
        throw new ProviderSilent('Nobody is there');
      },
    };
    const app = { ...house.app, wearableProviders: { ...house.app.wearableProviders, find: () => body } };
    const connectionId = await idOf(user);
    const [from, to] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];
    const wanted = ['activity', 'hrv', 'sleep'].map((resource) => ({ connectionId, resource, from, to }));
    await inTenant(app, team.tenant, (work) => store.wantPulls(work, wanted));
    await pullDue.run(app, team.tenant, { connection_id: connectionId });
    expect(asked).toEqual(['activity', 'hrv']);
    const due = await inTenant(app, team.tenant, (work) => store.listDue(work, [connectionId]));
    expect(due).toHaveLength(3);
  });
});

it('is not forgotten when it is wanted anew while somebody asks for what was wanted before', async () => {
  const { team, user } = await openTeam(oura);
  await connected({ house, team, standIn: oura }, user);
  await house.settle();
  const connectionId = await idOf(user);
  const working = <T>(run: (work: Work) => Promise<T>) => inTenant(house.app, team.tenant, run);
  const [from, to] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];
  const want = () =>
    working((work) => store.wantPulls(work, [{ connectionId, resource: 'sleep', from, to }]));
  const list = () => working((work) => store.listDue(work, [connectionId]));
  await want();
  // Two jobs at once: one that a timer began does not wait for the others.
  const [[first], [second]] = [await list(), await list()];
  if (!first || !second) throw new Error('Nothing is due');
  await working((work) => store.settleDue(work, first));
  await want();
  await working((work) => store.settleDue(work, second));
  const left = await list();
  expect(left).toHaveLength(1);
  for (const one of left) await working((work) => store.settleDue(work, one));
  expect(await list()).toEqual([]);
});

describe('what a user does not grant', { timeout: PATIENCE_MS }, () => {
  it('is not asked for, and the rest comes', async () => {
    const { team, user } = await openTeam(fitbit);
    const before = fitbit.calls.length;
    const token = await linkToken(team, user);
    const begun = await house.caller({ 'x-service-link-token': token }).get('/v2/link/provider/oauth/fitbit');
    const url = new URL(begun.json.oauth_url);
    const scopes = url.searchParams.get('scope')?.split(' ') ?? [];
    url.searchParams.set('scope', scopes.filter((scope) => scope !== 'nutrition').join(' '));
    await house.caller({}).get(await wayBack(fitbit, url.href));
    await house.settle();
    house.clock.move(DAY);
    await house.settle();
    const shown = await statusOf(team, user);
    expect(shown).toMatchObject({
      status: 'connected',
      resource_availability: { water: { status: 'unavailable' }, sleep: { status: 'available' } },
    });
    const pulled = await pulledOf(team, user);
    expect(pulled.water).toBeUndefined();
    expect(pulled.sleep).toMatchObject({ status: 'success' });
    expect(fitbit.calls.slice(before).filter((call) => call.includes('/water/'))).toEqual([]);
  });

  it('is not asked for where the team does not want it', async () => {
    const { team, user } = await openTeam(fitbit);
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/scope_requirements`;
    const wanted = { user_must_grant: ['sleep', 'profile'], user_may_grant: [] };
    expect((await team.management.post(path, { fitbit: wanted })).status).toBe(200);
    await connected({ house, team, standIn: fitbit }, user);
    await house.settle();
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected', error_details: null });
    expect(Object.keys(await pulledOf(team, user)).toSorted()).toEqual(['profile', 'sleep']);
  });

  it('ends with what only the provider knows of: the rest comes', async () => {
    const { team, user, receiver } = await openTeam(fitbit);
    refused = '/water/';
    await connected({ house, team, standIn: fitbit }, user);
    await house.settle();
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
