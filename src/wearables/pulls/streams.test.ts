import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connected, linkedTo, readBack } from '../../../test/linked.ts';
import { openStandIn, type StandIn, type Wire } from '../../../test/wearable-providers/core.ts';
import { stravaWire } from '../../../test/wearable-providers/strava.ts';
import { DAY, HOUR, later } from '../../platform/clock.ts';

interface Ride {
  readonly id: number;
  readonly startsAt: Date;
  hasStream: boolean;
}

/** What the athlete has uploaded so far, in whatever order. */
const rides: Ride[] = [];
const STREAM = /\/activities\/(\d+)\/streams$/;
const athlete: Wire = {
  ...stravaWire,
  data: (asked, standIn) => {
    const { path, query } = asked;
    if (path.endsWith('/athlete/activities')) {
      const [after, before] = [Number(query.get('after')), Number(query.get('before'))];
      const within = ({ startsAt }: Ride) =>
        startsAt.getTime() / 1000 > after && startsAt.getTime() / 1000 < before;
      return { body: rides.filter(within).map(activityOf) };
    }
    const id = Number(STREAM.exec(path)?.[1]);
    const ride = rides.find((one) => one.id === id);
    if (ride && !ride.hasStream) return { status: 404, body: { message: 'Record Not Found' } };
    // One of those that the stand-in always has a stream of.
    return stravaWire.data({ ...asked, path: path.replace(String(id), '8') }, standIn);
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

let house: House;
let strava: StandIn;
beforeAll(async () => {
  strava = await openStandIn(athlete);
  house = await openHouse(linkedTo(strava));
});
afterAll(async () => {
  await house.close();
  await strava.close();
});

/** The ids of the workouts that have a stream to be read, as Strava calls them. */
async function streamed(team: TeamInHand, user: string): Promise<string[]> {
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

it('has the streams of what was uploaded late, and those that came after their workout', async () => {
  const team = await house.team();
  await readBack(team, 1, strava);
  const user = await team.user();
  const ride = (id: number, agoMs: number, hasStream: boolean) =>
    rides.push({ id, startsAt: later(house.clock.now(), -agoMs), hasStream });
  const look = async () => {
    expect((await team.post(`/v2/user/refresh/${user}?timeout=30`)).status).toBe(200);
  };
  ride(11, 2 * HOUR, true);
  await connected({ house, team, standIn: strava }, user);
  await house.settle();
  expect(await streamed(team, user)).toEqual(['11']);

  // Days old, when it comes; and one that Strava has not worked off yet.
  ride(12, 10 * DAY, true);
  ride(13, HOUR, false);
  await look();
  expect(await streamed(team, user)).toEqual(['11', '12']);

  house.clock.move(5 * DAY);
  await house.settle();
  ride(14, HOUR, true);
  await look();
  const late = rides.find(({ id }) => id === 13);
  if (late) late.hasStream = true;
  await look();
  expect(await streamed(team, user)).toEqual(['11', '12', '13', '14']);

  // What is kept and not young any more is not asked for again.
  const before = [11, 12, 13].map(asksFor);
  await look();
  expect([11, 12, 13].map(asksFor)).toEqual(before);
});
