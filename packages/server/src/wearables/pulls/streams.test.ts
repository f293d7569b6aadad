import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { connectUser, standInSettings, setHistoricalDays } from '../../../test/wearable-links.ts';
import { openStandIn, type StandIn, type WireProtocol } from '../../../test/wearable-providers/stand-in.ts';
import { stravaProtocol } from '../../../test/wearable-providers/strava.ts';
import { DAY, HOUR, later } from '../../platform/clock.ts';

interface Ride {
  readonly id: number;
  readonly startsAt: Date;
  hasStream: boolean;
}

/** The uploads of the athlete so far, in any order. */
const rides: Ride[] = [];
/** How many streams the athlete's limit still allows. */
let streamsLeft = Infinity;
const STREAM = /\/activities\/(\d+)\/streams$/;
const athlete: WireProtocol = {
  ...stravaProtocol,
  answerUser: (asked, standIn) => {
    const { path, query } = asked;
    if (path.endsWith('/athlete/activities')) {
      const [after, before] = [Number(query.get('after')), Number(query.get('before'))];
      const within = ({ startsAt }: Ride) =>
        startsAt.getTime() / 1000 > after && startsAt.getTime() / 1000 < before;
      return { body: rides.filter(within).map(activityOf) };
    }
    const id = Number(STREAM.exec(path)?.[1]);
    if (!Number.isNaN(id)) {
      if (streamsLeft === 0) return { ...stravaProtocol.busy, headers: { 'retry-after': '900' } };
      streamsLeft -= 1;
    }
    const ride = rides.find((one) => one.id === id);
    if (ride && !ride.hasStream) return { status: 404, body: { message: 'Record Not Found' } };
    // One of the workouts for which the stand-in always has a stream.
    return stravaProtocol.answerUser({ ...asked, path: path.replace(String(id), '8') }, standIn);
  },
};

const activityOf = ({ id, startsAt }: Ride) => ({
  id,
  name: 'Ride',
  sport_type: 'Ride',
  start_date: startsAt.toISOString(),
  start_date_local: startsAt.toISOString(),
  elapsed_time: 3600,
});

let service: TestService;
let strava: StandIn;
beforeAll(async () => {
  strava = await openStandIn(athlete);
  service = await openTestService(standInSettings(strava));
});
afterAll(async () => {
  await service.close();
  await strava.close();
});

/** The Strava ids of the workouts with a stream. */
async function streamed(team: TestTeam, user: string): Promise<string[]> {
  const { workouts } = (
    await team.get(`/v2/summary/workouts/${user}?start_date=2026-01-01&end_date=2026-12-31`)
  ).json;
  const found = await Promise.all(
    workouts.map(async ({ id, provider_id }: { id: string; provider_id: string }) => {
      const { json } = await team.get(`/v2/timeseries/workouts/${id}/stream`);
      return json.time.length > 0 ? [provider_id] : [];
    }),
  );
  return found.flat().toSorted();
}

const asksFor = (id: number) =>
  strava.calls.filter((call) => call.endsWith(`/activities/${id}/streams`)).length;

it('pulls streams of late uploads, and streams that arrive after their workout', async () => {
  const team = await service.team();
  await setHistoricalDays(team, 1, strava);
  const user = await team.user();
  const ride = (id: number, agoMs: number, hasStream: boolean) =>
    rides.push({ id, startsAt: later(service.clock.now(), -agoMs), hasStream });
  const look = async () => {
    expect((await team.post(`/v2/user/refresh/${user}?timeout=30`)).status).toBe(200);
  };
  ride(11, 2 * HOUR, true);
  await connectUser({ service, team, standIn: strava }, user);
  await service.settle();
  expect(await streamed(team, user)).toEqual(['11']);

  // One that is uploaded days late, and one that Strava has not processed yet.
  ride(12, 10 * DAY, true);
  ride(13, HOUR, false);
  await look();
  expect(await streamed(team, user)).toEqual(['11', '12']);

  service.clock.move(5 * DAY);
  await service.settle();
  ride(14, HOUR, true);
  await look();
  const late = rides.find(({ id }) => id === 13);
  if (late) late.hasStream = true;
  await look();
  expect(await streamed(team, user)).toEqual(['11', '12', '13', '14']);

  // Stored streams that are not recent are not pulled again.
  const before = [11, 12, 13].map(asksFor);
  await look();
  expect([11, 12, 13].map(asksFor)).toEqual(before);
});

it('goes on with the history after a limit, and does not ask again for what is stored', async () => {
  rides.length = 0;
  const team = await service.team();
  await setHistoricalDays(team, 20, strava);
  const user = await team.user();
  // A workout without a stream takes a request, too.
  const ids = Array.from({ length: 10 }, (_, index) => 101 + index);
  for (const id of ids)
    rides.push({ id, startsAt: later(service.clock.now(), (id - 120) * DAY), hasStream: id % 3 !== 0 });
  streamsLeft = 4;
  await connectUser({ service, team, standIn: strava }, user);
  await service.settle();
  expect(ids.map(asksFor)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  for (const left of [4, Infinity]) {
    streamsLeft = left;
    service.clock.move(HOUR);
    await service.settle();
  }
  expect(await streamed(team, user)).toEqual(ids.filter((id) => id % 3 !== 0).map(String));
  const asks = ids.map(asksFor);
  // Besides the one that was refused, only the last one before each limit is asked for again.
  expect(asks.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(ids.length + 4);
  expect(Math.max(...asks)).toBeLessThanOrEqual(3);
});
