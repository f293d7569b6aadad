import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { connectUser, setHistoricalDays, standInSettings } from '../../../test/wearable-links.ts';
import { CLIENT, openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { whoopProtocol } from '../../../test/wearable-providers/whoop.ts';
import { DAY, isoDay, later } from '../../platform/clock.ts';

const PATIENCE_MS = 60_000;
let service: TestService;
let whoop: StandIn;
beforeAll(async () => {
  whoop = await openStandIn(whoopProtocol);
  service = await openTestService(standInSettings(whoop));
});
afterAll(async () => {
  await service.close();
  await whoop.close();
});

async function sendNotification(team: TestTeam, news: object): Promise<number> {
  const { teamId, environment } = team.tenant;
  const payload = JSON.stringify({ user_id: 10_129, trace_id: 't', ...news });
  const signature = createHmac('sha256', CLIENT.clientSecret).update(`77${payload}`).digest('base64');
  const answer = await service.http.server.inject({
    method: 'POST',
    url: `/v2/provider_webhook/whoop_v2/${teamId}/${environment}`,
    headers: {
      'content-type': 'application/json',
      'x-whoop-signature-timestamp': '77',
      'x-whoop-signature': signature,
    },
    payload,
  });
  return answer.statusCode;
}

interface SampleGroup {
  readonly data: readonly { readonly start?: string; readonly timestamp?: string }[];
}

const RECOVERY_SERIES = ['hrv', 'blood_oxygen', 'body_temperature'];

describe('a deletion at WHOOP', { timeout: PATIENCE_MS }, () => {
  it.each([
    ['of a sleep deletes the values of its recovery, and no others', 'sleep.deleted', true],
    ['of a recovery deletes its values, and not its sleep', 'recovery.deleted', false],
  ])('%s', async (_what, type, withSleep) => {
    const team = await service.team();
    await setHistoricalDays(team, 4, whoop);
    const user = await team.user();
    await connectUser({ service, team, standIn: whoop }, user);
    await service.settle();
    const now = service.clock.now();
    const range = `start_date=${isoDay(later(now, -9 * DAY))}&end_date=${isoDay(now)}`;
    const sleeps = async () => (await team.get(`/v2/summary/sleep/${user}?${range}`)).json.sleep;
    const listTimes = async (resource: string): Promise<string[]> => {
      const { json } = await team.get(`/v2/timeseries/${user}/${resource}/grouped?${range}`);
      return Object.values<SampleGroup[]>(json.groups)
        .flat()
        .flatMap(({ data }) => data.map(({ start, timestamp }) => start ?? timestamp ?? ''));
    };
    const readTimes = () => Promise.all(RECOVERY_SERIES.map(listTimes));
    const [before, times] = [await sleeps(), await readTimes()];
    const [night] = before;
    const woke = Date.parse(night.bedtime_stop);
    const others = times.map((list) => list.filter((time) => Math.abs(Date.parse(time) - woke) > DAY / 2));
    expect(others.map((list) => list.length)).toEqual(times.map((list) => list.length - 1));
    const { rows } = await service.ownerPool.query(`select key from wearable_summary where id = $1`, [
      night.id,
    ]);
    expect(await sendNotification(team, { type, id: rows[0].key })).toBe(200);
    expect(await readTimes()).toEqual(others);
    expect((await sleeps()).map(({ id }: { id: string }) => id).includes(night.id)).toBe(!withSleep);
  });
});
