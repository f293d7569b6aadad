import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  ingestReadings,
  origin,
  sample,
  samplesReading,
  summaryReading,
} from '../../../test/wearable-data.ts';
import { connectUser, setHistoricalDays, standInSettings } from '../../../test/wearable-links.ts';
import { KEYSET_PATH, signNotification } from '../../../test/wearable-providers/fitbit-keys.ts';
import { fitbitProtocol, HEALTH_USER } from '../../../test/wearable-providers/fitbit.ts';
import { CLIENT, dayNumber, openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { createNotificationToken } from '../../adapters/wearable-provider/webhook-authentication.ts';
import { DAY, isoDay, later } from '../../platform/clock.ts';
import { inTenant } from '../../platform/work.ts';
import type { ReadingOrigin } from '../../readings/readings.ts';
import { openConnection, sealConnectionSecrets } from '../connections/connection.ts';
import * as connections from '../connections/store.ts';

const PATIENCE_MS = 60_000;
let service: TestService;
let google: StandIn;
beforeAll(async () => {
  google = await openStandIn(fitbitProtocol);
  service = await openTestService(standInSettings(google));
});
afterAll(async () => {
  await service.close();
  await google.close();
});

async function openUser() {
  const team = await service.team();
  await setHistoricalDays(team, 3, google);
  const receiver = await team.endpoint();
  const user = await team.user();
  await connectUser({ service, team, standIn: google }, user);
  await service.settle();
  const { rows } = await service.ownerPool.query('select id from connection where user_id = $1', [user]);
  return { team, user, receiver, id: String(rows[0].id) };
}

const statusOf = async (team: TestTeam, user: string) =>
  (await team.get(`/v2/user/providers/${user}`)).json.providers[0];

/** Makes a connection one of the earlier API, whose grants name no issuer. */
const makeEarlier = (team: TestTeam, id: string) =>
  inTenant(service.app, team.tenant, async (work) => {
    const row = await connections.lock(work, id);
    if (!row) throw new Error('There is no connection');
    const { grant, faultMessage } = openConnection(work.cipher, row);
    if (!grant) throw new Error('There is no grant');
    const earlier = {
      ...grant,
      accessToken: 'of-the-web-api',
      refreshToken: 'of-the-web-api',
      issuer: undefined,
    };
    await connections.update(work, id, {
      private: sealConnectionSecrets(work.cipher, { grant: earlier, faultMessage }),
    });
  });

describe('a connection of the earlier API', { timeout: PATIENCE_MS }, () => {
  it('asks for consent again after the migration, and sends no token to Google', async () => {
    const { team, user, receiver, id } = await openUser();
    await makeEarlier(team, id);
    const before = google.calls.length;
    const migration = new URL('../../../migrations/0090_fitbit_consent.sql', import.meta.url);
    await service.ownerPool.query(await readFile(migration, 'utf8'));
    // The database has its own clock; the test's is behind.
    await service.ownerPool.query(
      `update timer set due_wall = $1, due_at = $1 where job = 'wearables.poll'`,
      [service.clock.now()],
    );
    service.clock.move(1000);
    await service.settle();
    expect(await statusOf(team, user)).toMatchObject({
      status: 'error',
      error_details: { error_type: 'token_refresh_failed' },
    });
    const told = receiver.received.find(({ body }) => body.event_type === 'provider.connection.error');
    expect(told?.body.data).toMatchObject({ provider: 'fitbit', error_type: 'token_refresh_failed' });
    expect(google.calls.slice(before)).toEqual([]);
    await connectUser({ service, team, standIn: google }, user);
    await service.settle();
    expect(await statusOf(team, user)).toMatchObject({ status: 'connected', external_user_id: HEALTH_USER });
  });

  it('can be removed without a request to Google', async () => {
    const { team, user, id } = await openUser();
    await makeEarlier(team, id);
    const before = google.calls.length;
    expect((await team.delete(`/v2/user/${user}/fitbit`)).status).toBe(200);
    await service.settle();
    expect(google.calls.slice(before)).toEqual([]);
  });
});

describe('data of the earlier API', { timeout: PATIENCE_MS }, () => {
  it('are neither lost nor doubled when the same days come again', async () => {
    const team = await service.team();
    await setHistoricalDays(team, 3, google);
    const user = await team.user();
    const day = isoDay(later(service.clock.now(), -DAY));
    const evening = isoDay(later(service.clock.now(), -2 * DAY));
    const zone = (await offsetHours(day)) * 3600;
    const at = (local: string) => Date.parse(`${local}Z`) - zone * 1000;
    const tracker: ReadingOrigin = origin({
      device: { id: null, manufacturer: 'Fitbit', model: null, version: null },
    });
    const night = { bedtime_start: `${evening}T23:00:00Z`, bedtime_stop: `${day}T07:00:00Z` };
    const seconds = { duration: 28_800, total: 27_000, awake: 1800, light: 15_000, rem: 6000, deep: 6000 };
    const kept = [
      summaryReading({
        resource: 'sleep',
        key: '38017432210',
        origin: tracker,
        at: at(`${evening}T23:00:00`),
        day,
        body: { ...night, ...seconds, efficiency: 93 },
      }),
      summaryReading({
        resource: 'profile',
        key: 'GGNJL9',
        origin: tracker,
        at: 0,
        day: '1970-01-01',
        body: { height: 171, birth_date: '1990-12-10', sex: 'female' },
      }),
      summaryReading({
        resource: 'activity',
        key: day,
        origin: tracker,
        at: at(`${day}T00:00:00`),
        day,
        body: { steps: 12 },
      }),
      samplesReading('heartrate', [sample({ at: at(`${day}T10:00:00`), offset: zone, value: 66 })], tracker),
      samplesReading('hrv', [sample({ at: at(`${day}T00:00:00`), offset: zone, value: 34.9 })], tracker),
    ];
    await ingestReadings({ service, team, userId: user }, kept);
    await connectUser({ service, team, standIn: google }, user);
    await service.settle();
    const range = `start_date=${day}&end_date=${day}`;
    const sleeps = (await team.get(`/v2/summary/sleep/${user}?${range}`)).json.sleep;
    expect(sleeps).toHaveLength(1);
    expect(sleeps[0]).toMatchObject({ efficiency: 93, total: 26_400 });
    const profile = (await team.get(`/v2/summary/profile/${user}`)).json;
    expect(profile).toMatchObject({ height: 172, birth_date: '1990-12-10', sex: 'female' });
    const activities = (await team.get(`/v2/summary/activity/${user}?${range}`)).json.activity;
    expect(activities).toHaveLength(1);
    expect(activities[0]).toMatchObject({ steps: 8000 + (dayNumber(day) % 1000) });
    const samplesOf = async (resource: string) =>
      Object.values((await team.get(`/v2/timeseries/${user}/${resource}/grouped?${range}`)).json.groups)
        .flat()
        .flatMap((group) => (group as { data: { timestamp: string; value: number }[] }).data);
    const beats = await samplesOf('heartrate');
    const times = beats.map(({ timestamp }) => timestamp);
    expect(new Set(times).size).toBe(times.length);
    expect(beats.find(({ timestamp }) => Date.parse(timestamp) === at(`${day}T10:00:00`))?.value).toBe(65);
    expect(
      (await samplesOf('hrv')).filter(({ timestamp }) => Date.parse(timestamp) === at(`${day}T00:00:00`)),
    ).toHaveLength(1);
    const devices = (await team.get(`/v2/user/${user}/device`)).json;
    expect(
      devices.filter((one: { device_manufacturer: string }) => one.device_manufacturer === 'Fitbit'),
    ).toHaveLength(1);
  });
});

/** New York's offset on a day of the stand-in. */
const offsetHours = async (day: string): Promise<number> => Promise.resolve(day >= '2026-03-08' ? -4 : -5);

describe('a notification', { timeout: PATIENCE_MS }, () => {
  const send = async (team: TestTeam, payload: string, signature: string) => {
    const { teamId, environment } = team.tenant;
    const token = createNotificationToken({ ...CLIENT, redirectUri: '' }, 'fitbit');
    const answer = await service.http.server.inject({
      method: 'POST',
      url: `/v2/provider_webhook/fitbit/${teamId}/${environment}/sleep`,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'x-healthapi-signature': signature,
      },
      payload,
    });
    return answer.statusCode;
  };

  it('is answered as Google expects, and pulls what changed', async () => {
    const { team, receiver } = await openUser();
    const day = isoDay(later(service.clock.now(), -20 * DAY));
    const interval = { startTime: `${day}T01:00:00Z`, endTime: `${day}T02:00:00Z` };
    const payload = JSON.stringify({
      data: {
        healthUserId: HEALTH_USER,
        operation: 'UPSERT',
        dataType: 'sleep',
        intervals: [{ physicalTimeInterval: interval }],
      },
    });
    google.behavior = 'down';
    expect(await send(team, payload, signNotification(payload))).toBe(503);
    google.behavior = 'well';
    expect(await send(team, payload, signNotification(`${payload} `))).toBe(401);
    expect(await send(team, payload, signNotification(payload))).toBe(204);
    await service.settle();
    expect(google.calls).toContain(`GET ${KEYSET_PATH}`);
    const told = receiver.received.filter(({ body }) => body.event_type === 'daily.data.sleep.created');
    expect(told.map(({ body }) => body.data.calendar_date)).toContain(day);
  });
});
