import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { connectUser, setHistoricalDays, standInSettings } from '../../../test/wearable-links.ts';
import { openStandIn, type StandIn, type WireProtocol } from '../../../test/wearable-providers/stand-in.ts';
import { stravaProtocol } from '../../../test/wearable-providers/strava.ts';
import { DAY, HOUR, later, MINUTE } from '../../platform/clock.ts';

interface Ride {
  readonly id: number;
  readonly startsAt: Date;
  name: string;
  /** Strava has none for some activities. */
  readonly calories: number | null;
}

const rides: Ride[] = [];
/** The details that are answered before Strava limits further ones. */
let detailsLeft = Infinity;
const DETAIL = /\/activities\/(\d+)$/;
const athlete: WireProtocol = {
  ...stravaProtocol,
  answerUser: (asked, standIn) => {
    const { path, query } = asked;
    if (path.endsWith('/athlete/activities')) {
      const [after, before] = [Number(query.get('after')), Number(query.get('before'))];
      const isWithin = ({ startsAt }: Ride) =>
        startsAt.getTime() / 1000 > after && startsAt.getTime() / 1000 < before;
      return { body: rides.filter(isWithin).map(toActivity) };
    }
    const ride = rides.find(({ id }) => String(id) === DETAIL.exec(path)?.[1]);
    if (ride) {
      detailsLeft -= 1;
      return detailsLeft < 0
        ? stravaProtocol.busy
        : { body: { ...toActivity(ride), calories: ride.calories } };
    }
    if (path.endsWith('/streams')) return { status: 404, body: { message: 'Record Not Found' } };
    return stravaProtocol.answerUser(asked, standIn);
  },
};

const toActivity = ({ id, startsAt, name }: Ride) => ({
  id,
  name,
  sport_type: 'Ride',
  start_date: startsAt.toISOString(),
  start_date_local: startsAt.toISOString(),
  elapsed_time: 3600,
});

let service: TestService;
let strava: StandIn;
let team: TestTeam;
let user: string;
beforeAll(async () => {
  strava = await openStandIn(athlete);
  service = await openTestService(standInSettings(strava));
});
beforeEach(async () => {
  rides.length = 0;
  strava.calls.length = 0;
  detailsLeft = Infinity;
  team = await service.team();
  await setHistoricalDays(team, 20, strava);
  user = await team.user();
});
afterAll(async () => {
  await service.close();
  await strava.close();
});

const ride = (id: number, agoMs: number, calories: number | null = 500 + id) =>
  rides.push({ id, startsAt: later(service.clock.now(), -agoMs), name: 'Ride', calories });
const refresh = async () => {
  expect((await team.post(`/v2/user/refresh/${user}?timeout=30`)).status).toBe(200);
};
const connect = async () => {
  await connectUser({ service, team, standIn: strava }, user);
  await service.settle();
};

async function listWorkouts(): Promise<{ provider_id: string; title: string; calories: number | null }[]> {
  const range = 'start_date=2020-01-01&end_date=2030-12-31';
  return (await team.get(`/v2/summary/workouts/${user}?${range}`)).json.workouts;
}
const listCalories = async () =>
  Object.fromEntries((await listWorkouts()).map((one) => [one.provider_id, one.calories]));
/** The activities whose detail was requested, in order. */
const listDetails = () =>
  strava.calls.flatMap((call) => {
    const id = DETAIL.exec(call)?.[1];
    return id === undefined ? [] : [Number(id)];
  });

it('reads the calories of each new activity once', async () => {
  ride(21, 2 * DAY);
  ride(22, 3 * HOUR, null);
  await connect();
  expect(await listCalories()).toEqual({ 21: 521, 22: null });
  await refresh();
  await refresh();
  expect(listDetails()).toEqual([21, 22]);

  ride(23, HOUR);
  await refresh();
  expect(await listCalories()).toEqual({ 21: 521, 22: null, 23: 523 });
  expect(listDetails()).toEqual([21, 22, 23]);
});

it('keeps the calories of an activity that was changed since', async () => {
  ride(31, 2 * HOUR);
  await connect();
  for (const one of rides) one.name = 'Ride to the sea';
  await refresh();
  expect(await listWorkouts()).toMatchObject([{ title: 'Ride to the sea', calories: 531 }]);
  expect(listDetails()).toEqual([31]);
});

it('goes on after a rate limit where it was limited', async () => {
  for (let n = 0; n < 7; n += 1) ride(40 + n, (18 - n) * DAY);
  detailsLeft = 3;
  await connect();
  expect(await listCalories()).toEqual({ 40: 540, 41: 541, 42: 542 });
  detailsLeft = Infinity;
  service.clock.move(16 * MINUTE);
  await service.settle();
  expect(Object.keys(await listCalories())).toHaveLength(7);
  // The fourth was refused, so it is requested again.
  expect(listDetails()).toEqual([40, 41, 42, 43, 43, 44, 45, 46]);
});
