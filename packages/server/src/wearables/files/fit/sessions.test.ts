import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as stories from '../../../../test/device-files/fit.ts';
import { openFolder, readBytes, START, type ParsedFile } from '../../../../test/wearable-files.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.close());

const read = (bytes: Buffer) => readBytes(bytes, folder);
const workouts = ({ readings }: ParsedFile) =>
  readings.flatMap((one) => (one.kind === 'summary' && one.resource === 'workouts' ? [one.body] : []));
const streams = ({ readings }: ParsedFile) =>
  readings.flatMap((one) => (one.kind === 'workout_stream' ? [one.columns] : []));
const wire = (second: number) => new Date(START + second * 1000).toISOString().replace('Z', '+00:00');

describe('the end of a session', () => {
  it('is its start plus its elapsed time, not when it was saved', async () => {
    const file = await read(stories.savedThreeDaysLater());
    expect(workouts(file)).toMatchObject([{ time_start: wire(0), time_end: wire(60) }]);
    expect(streams(file)[0]?.time).toHaveLength(61);
    expect(file.report.faultCount).toBe(0);
  });

  it('keeps records that follow the stated elapsed time until it was stopped, and says so', async () => {
    const file = await read(stories.elapsedWithoutThePause());
    expect(workouts(file)).toMatchObject([{ time_start: wire(0), time_end: wire(121) }]);
    expect(streams(file)[0]?.time).toHaveLength(122);
    expect(file.report.faults).toEqual([
      { place: 'byte 0', reason: '61 records after the stated end of their session were kept' },
    ]);
  });
});

it('reports records outside of every session', async () => {
  const file = await read(stories.recordsOutsideOfTheSession());
  expect(workouts(file)).toMatchObject([{ time_start: wire(0), time_end: wire(60) }]);
  expect(streams(file)[0]?.time).toHaveLength(61);
  expect(file.report.faults).toEqual([
    { place: 'byte 0', reason: '70 records outside of every session were left out' },
  ]);
});

it('takes the times of a session without a start from its records', async () => {
  const file = await read(stories.sessionsWithoutStart());
  expect(workouts(file)).toMatchObject([
    { time_start: wire(0), time_end: wire(60), sport: { slug: 'running' } },
    { time_start: wire(100), time_end: wire(160), sport: { slug: 'cycling' } },
  ]);
  expect(streams(file).map(({ time }) => time.length)).toEqual([61, 61]);
  expect(file.report.faultCount).toBe(0);
});

describe('the distance of a sport in a multisport workout', () => {
  it.each([
    ['one odometer', stories.triathlonWithOneOdometer],
    ['an odometer per sport', stories.triathlonWithThreeOdometers],
  ])('counts from its own zero with %s', async (_what, story) => {
    const file = await read(story());
    const [swim, ride] = workouts(file);
    expect(swim?.['distance']).toBe(750);
    expect(ride?.['distance']).toBe(300);
    expect(streams(file)[1]?.distance?.at(-1)).toBe(300);
    expect(streams(file)[1]?.distance?.find((meters) => meters !== null)).toBeLessThanOrEqual(3);
  });
});

describe('the beats of a strap', () => {
  it.each([
    ['a second FIT file', stories.swimWithStrapInSecondFile],
    ['the same FIT file', stories.swimWithStrapInOneFile],
  ])('are merged into the records: %s', async (_where, story) => {
    const file = await read(story());
    expect(streams(file)).toHaveLength(1);
    expect(streams(file)[0]?.heartrate).toEqual(Array.from({ length: 41 }, (_, second) => 120 + second));
    expect(workouts(file)).toMatchObject([{ average_hr: 140, max_hr: 160 }]);
    expect(file.report.faultCount).toBe(0);
  });

  it('that match no record are reported', async () => {
    const file = await read(stories.strapOfAnotherDay());
    expect(streams(file)[0]?.heartrate).toBeUndefined();
    expect(file.report.faults).toEqual([
      { place: expect.stringMatching(/^byte \d+$/), reason: '41 heart rates of a strap match no record' },
    ]);
  });
});
