import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as stories from '../../../test/device-files/tracks.ts';
import {
  fitRun,
  openFolder,
  readBytes,
  START,
  tcxRun,
  writeZip,
  type ParsedFile,
} from '../../../test/wearable-files.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.close());

const read = (bytes: Buffer | string) => readBytes(bytes, folder);
const workouts = ({ readings }: ParsedFile) =>
  readings.flatMap((one) => (one.kind === 'summary' && one.resource === 'workouts' ? [one] : []));
const streams = ({ readings }: ParsedFile) =>
  readings.flatMap((one) => (one.kind === 'workout_stream' ? [one.columns] : []));
const wire = (second: number) => new Date(START + second * 1000).toISOString().replace('Z', '+00:00');

describe('TCX', () => {
  it.each([
    ['blanks', stories.tcxOfBulkExport],
    ['empty lines after a byte order mark', stories.tcxAfterEmptyLines],
  ])('is read with %s before its declaration, packed or not', async (_what, story) => {
    const plain = await read(tcxRun());
    expect((await read(story())).readings).toEqual(plain.readings);
    expect((await read(gzipSync(story()))).readings).toEqual(plain.readings);
  });

  it('names the line of a fault after empty lines', async () => {
    const file = await read(
      stories.tcxAfterEmptyLines().replace('<Value>123</Value>', '<Value>fast</Value>'),
    );
    expect(file.report.faults[0]?.place).toBe('line 5');
  });

  it('begins with its first lap, not at its Id', async () => {
    const [workout] = workouts(await read(stories.tcxWithOlderId()));
    expect(workout?.body).toMatchObject({ time_start: wire(0), time_end: wire(60) });
    expect(workout?.key).toBe(`tcx-${START / 1000 - 1800}`);
  });
});

describe('GPX whose times go back', () => {
  it('counts the distance in the order of the file', async () => {
    const file = await read(stories.gpxWithClockPutBack());
    const [workout] = workouts(file);
    expect(workout?.body['distance']).toBeCloseTo(2100, 0);
    expect(workout?.body).toMatchObject({ time_start: wire(0), time_end: wire(395) });
    const [stream] = streams(file);
    expect(stream?.time).toEqual(stream?.time.toSorted((one, other) => one - other));
    expect(stream?.distance).toEqual(stream?.distance?.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
    expect(file.report.faults).toEqual([
      { place: 'line 2', reason: '30 points whose time goes back count for the distance and the map only' },
    ]);
  });

  it('takes segments in the order of time if they do not overlap', async () => {
    const file = await read(stories.gpxWithSwappedSegments());
    expect(workouts(file)[0]?.body['distance']).toBeCloseTo(2100, 0);
    expect(streams(file)[0]?.time).toHaveLength(71);
    expect(file.report.faultCount).toBe(0);
  });
});

describe('GPX with a pause between two segments', () => {
  it('does not count the way that was not recorded', async () => {
    const file = await read(stories.gpxWithDriveInPause());
    expect(workouts(file)[0]?.body['distance']).toBeCloseTo(34 * 30 + 35 * 30, 0);
    expect(Math.max(...(streams(file)[0]?.distance ?? []).map((meters) => meters ?? 0))).toBeCloseTo(2070, 0);
    expect(file.report.faultCount).toBe(0);
  });
});

describe('a number as the type of a GPX track', () => {
  it.each([
    ['1', 'cycling'],
    ['2', 'alpine_skiing'],
    ['3', 'backcountry_skiing'],
    ['4', 'hiking'],
    ['5', 'ice_skating'],
    ['6', 'inline_skating'],
    ['7', 'cross_country_skiing'],
    ['9', 'running'],
    ['10', 'walking'],
    ['12', 'snowboarding'],
    ['13', 'snowshoeing'],
    ['16', 'swimming'],
    ['17', 'indoor_cycling'],
    ['18', 'e_biking'],
    ['22', 'kayaking'],
    ['23', 'rowing'],
    ['24', 'stand_up_paddling'],
    ['27', 'elliptical'],
    ['28', 'climbing'],
    ['30', 'strength_training'],
    ['31', 'yoga'],
    ['51', 'hand_cycling'],
    ['52', 'wheelchair_push'],
    ['53', 'treadmill_running'],
    ['99', 'other'],
  ])('is the sport that Strava means: %s', async (type, slug) => {
    const [workout] = workouts(await read(stories.gpxOfStravaType(type)));
    expect(workout?.body).toMatchObject({ sport: { slug } });
  });

  it('means nothing if another site wrote it', async () => {
    const [workout] = workouts(await read(stories.gpxOfStravaType('9').replace('StravaGPX', 'Another')));
    expect(workout?.body).toMatchObject({ sport: { slug: 'other' } });
  });
});

describe('a zip of FIT files', () => {
  const zipped = async (entries: Readonly<Record<string, Buffer | string>>): Promise<Buffer> => {
    const path = folder.path('original.zip');
    await writeZip(path, entries);
    return readFile(path);
  };

  it('is read as the one in it', async () => {
    const file = await read(await zipped({ '15011922_ACTIVITY.fit': fitRun() }));
    expect(file.kind).toBe('fit');
    expect(file.readings).toEqual((await read(fitRun())).readings);
  });

  it('is rejected with the reason if there are several', async () => {
    const several = await zipped({ 'one.fit': fitRun(), 'two.fit': fitRun({ seconds: 30 }) });
    await expect(read(several)).rejects.toThrow('the archive has 2 files; expected a single FIT file');
  });

  it('is rejected with the reason if its content is damaged', async () => {
    const bytes = await zipped({ 'one.fit': fitRun() });
    bytes.writeUInt8(bytes.readUInt8(400) ^ 0xff, 400);
    await writeFile(folder.path('damaged.zip'), bytes);
    await expect(read(bytes)).rejects.toThrow(/one\.fit|byte/);
  });
});
