import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  appleDocument,
  appleWorkout,
  fitRun,
  gpxRun,
  openFolder,
  readBytes,
  tcxRun,
} from '../../../test/wearable-files.ts';
import { toLocalDay, toStartOfDay } from './local-day.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.close());

/** Half past ten in the evening of 12 May in UTC: the next day in Tokyo, half past midnight two hours east. */
const LATE = Date.UTC(2024, 4, 12, 22, 30);
const ZONES = { none: null, tokyo: 'Asia/Tokyo', newYork: 'America/New_York' };

/** The same instants, written two hours east of UTC. */
const withOffset = (text: string) => text.replaceAll(/2024-05-12T22:([^<"Z]*)Z/g, '2024-05-13T00:$1+02:00');

async function apple(): Promise<string> {
  let text = '';
  for await (const piece of appleDocument([appleWorkout(LATE, 10)])) text += piece;
  return text;
}

// prettier-ignore
const CASES: { file: string; bytes: () => Buffer | string | Promise<string>; states: boolean }[] = [
  { file: 'FIT with a local time',    bytes: () => fitRun({ start: LATE }),                           states: true },
  { file: 'FIT without a local time', bytes: () => fitRun({ start: LATE, activity: { localTimestamp: undefined } }), states: false },
  { file: 'TCX with an offset',       bytes: () => withOffset(tcxRun({ start: LATE })),               states: true },
  { file: 'TCX in UTC',               bytes: () => tcxRun({ start: LATE }),                           states: false },
  { file: 'GPX with an offset',       bytes: () => withOffset(gpxRun({ start: LATE })),               states: true },
  { file: 'GPX in UTC',               bytes: () => gpxRun({ start: LATE }),                           states: false },
  { file: 'GPX with the offset 0',    bytes: () => gpxRun({ start: LATE }).replaceAll('Z</time>', '+00:00</time>'), states: false },
  { file: 'Apple Health',             bytes: apple,                                                   states: true },
];

describe.each(CASES)('the day of a workout: $file', ({ bytes, states }) => {
  it.each([
    ['of the file', ZONES.none, states ? '2024-05-13' : '2024-05-12'],
    ['of the user in Tokyo', ZONES.tokyo, '2024-05-13'],
    ['of the user in New York', ZONES.newYork, states ? '2024-05-13' : '2024-05-12'],
  ])('is the one %s', async (_whose, timeZone, day) => {
    const { readings } = await readBytes(await bytes(), folder, timeZone);
    const workout = readings.find((one) => one.kind === 'summary' && one.resource === 'workouts');
    expect(workout).toMatchObject({ at: LATE, day, body: { calendar_date: day } });
    expect(workout).toMatchObject({ body: { timezone_offset: states ? 7200 : null } });
  });
});

it('is the one of the user for the counts of a watch that states no local time', async () => {
  const others = [
    ['MONITORING', { timestamp: new Date(LATE), activityType: 'walking', cycles: 600 }],
  ] as const;
  const bytes = fitRun({ start: LATE, others, activity: { localTimestamp: undefined } });
  const { readings } = await readBytes(bytes, folder, 'Asia/Tokyo');
  const activity = readings.find((one) => one.kind === 'summary' && one.resource === 'activity');
  expect(activity).toMatchObject({ day: '2024-05-13', at: Date.UTC(2024, 4, 12, 15) });
});

describe('a local day', () => {
  it.each([
    [LATE, 7200, 'America/New_York', '2024-05-13'],
    [LATE, 0, 'Asia/Tokyo', '2024-05-12'],
    [LATE, null, 'Asia/Tokyo', '2024-05-13'],
    [LATE, null, null, '2024-05-12'],
    // The clock is put forward in New York on 10 March at two in the morning.
    [Date.UTC(2024, 2, 10, 4, 30), null, 'America/New_York', '2024-03-09'],
    [Date.UTC(2024, 2, 11, 3, 30), null, 'America/New_York', '2024-03-10'],
  ])('is that of the offset, else of the zone, else of UTC: %i, %s, %s', (at, offset, zone, day) => {
    expect(toLocalDay(at, offset, zone)).toBe(day);
  });

  it('begins at midnight there', () => {
    expect(toStartOfDay('2024-05-13', 7200, 'Asia/Tokyo')).toBe(Date.UTC(2024, 4, 12, 22));
    expect(toStartOfDay('2024-05-13', null, 'Asia/Tokyo')).toBe(Date.UTC(2024, 4, 12, 15));
    expect(toStartOfDay('2024-05-13', null, null)).toBe(Date.UTC(2024, 4, 13));
  });
});
