import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  fitRun,
  gpxRun,
  openFolder,
  readBytes,
  START,
  tcxRun,
  type ParsedFile,
} from '../../../test/wearable-files.ts';
import type { HealthReading, SummaryReading, WorkoutStreamReading } from '../../readings/readings.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.close());

const read = (bytes: Buffer | string) => readBytes(bytes, folder);
const summaries = ({ readings }: ParsedFile): SummaryReading[] =>
  readings.filter((one) => one.kind === 'summary');
const streams = ({ readings }: ParsedFile): WorkoutStreamReading[] =>
  readings.filter((one) => one.kind === 'workout_stream');
const samples = ({ readings }: ParsedFile, resource: string) =>
  readings.flatMap((one) => (one.kind === 'samples' && one.resource === resource ? one.samples : []));

const run = {
  time_start: '2024-05-12T06:30:00.000+00:00',
  time_end: '2024-05-12T06:31:00.000+00:00',
  average_hr: 134,
  max_hr: 149,
  average_watts: 250,
};

describe('a run in each format', () => {
  const FORMATS = [
    {
      format: 'fit',
      bytes: () => fitRun(),
      provider: 'garmin',
      sport: 'trail_running',
      more: {
        ...run,
        distance: 198,
        calories: 12,
        total_elevation_gain: 21,
        moving_time: 55,
        timezone_offset: 7200,
      },
    },
    {
      format: 'tcx',
      bytes: () => tcxRun(),
      provider: 'garmin',
      sport: 'running',
      more: { ...run, distance: 198, calories: 12, max_speed: 3.5 },
    },
    {
      format: 'gpx',
      bytes: () => gpxRun(),
      provider: 'strava',
      sport: 'running',
      more: { ...run, title: 'Morning & Run', calories: null },
    },
  ];

  for (const { format, bytes, provider, sport, more } of FORMATS) {
    it(`becomes a workout, its stream and its heart rates: ${format}`, async () => {
      const file = await read(bytes());
      expect(file.kind).toBe(format);
      expect(file.report.faultCount).toBe(0);
      expect(file.readings.map(({ kind }) => kind)).toEqual(['summary', 'workout_stream', 'samples']);
      const [workout] = summaries(file);
      expect(workout).toMatchObject({
        resource: 'workouts',
        day: '2024-05-12',
        at: START,
        origin: { provider },
      });
      expect(workout?.body).toMatchObject({ ...more, sport: { slug: sport } });
      const [stream] = streams(file);
      expect(stream?.workoutKey).toBe(workout?.key);
      expect(stream?.columns.time).toHaveLength(61);
      expect(stream?.columns.lat?.[60]).toBeCloseTo(52.5018, 5);
      expect(stream?.columns).toMatchObject({
        heartrate: expect.arrayContaining([120, 149]),
        cadence: expect.arrayContaining([84]),
      });
      const last = samples(file, 'heartrate').at(-1);
      expect(last).toMatchObject({ at: START + 60_000, value: 120 });
    });

    it(`is the same when it comes again, and when it is packed: ${format}`, async () => {
      const [first, again, packed] = [
        await read(bytes()),
        await read(bytes()),
        await read(gzipSync(bytes())),
      ];
      expect(again.readings).toEqual(first.readings);
      expect(packed.readings).toEqual(first.readings);
    });
  }

  it('computes missing totals from the points', async () => {
    const [workout] = summaries(await read(gpxRun({ seconds: 120 })));
    expect(workout?.body['distance']).toBeCloseTo(400.3, 0);
    expect(workout?.body['moving_time']).toBe(120);
    expect(workout?.body['elev_high']).toBe(53);
    expect(workout?.body['map']).toMatchObject({ polyline: expect.stringContaining('_|l_I') });
  });
});

describe('FIT', () => {
  it('keeps the records of chained files apart', async () => {
    const file = await read(Buffer.concat([fitRun(), fitRun({ start: START + 3_600_000, seconds: 30 })]));
    expect(streams(file).map(({ columns }) => columns.time.length)).toEqual([61, 31]);
  });

  it('splits the records of a triathlon by session', async () => {
    const part = (from: number, to: number, sport: string) => ({
      startTime: new Date(START + from * 1000),
      timestamp: new Date(START + to * 1000),
      totalElapsedTime: to - from,
      sport,
    });
    const sessions = [part(0, 20, 'swimming'), part(20, 22, 'transition'), part(22, 50, 'cycling')];
    const file = await read(fitRun({ sessions }));
    expect(summaries(file).map(({ body }) => body['sport'])).toMatchObject([
      { slug: 'swimming' },
      { slug: 'cycling' },
    ]);
    expect(streams(file).map(({ columns }) => columns.time.length)).toEqual([21, 29]);
  });

  it('reads a workout without a session', async () => {
    const [workout] = summaries(await read(fitRun({ sessions: [] })));
    expect(workout?.body).toMatchObject({ ...run, distance: 198, sport: { slug: 'other' } });
  });

  it('skips records with an unset clock', async () => {
    const file = await read(
      fitRun({
        others: [['RECORD', { timestamp: new Date(631_065_600_000 + 5000), heartRate: 99 }]],
      }),
    );
    expect(file.report.faults).toEqual([{ place: 'byte 0', reason: '1 records without a time' }]);
    expect(streams(file)[0]?.columns.time).toHaveLength(61);
  });

  it('reads messages with compressed timestamps, which the SDK does not', async () => {
    const file = await read(compressedFit());
    expect(file.report.faultCount).toBe(0);
    expect(samples(file, 'heartrate').map(({ at, value }) => [at - START, value])).toEqual([
      [0, 100],
      [1000, 101],
      [31_000, 102],
      [33_000, 103],
    ]);
  });

  it('reads measurements outside workouts', async () => {
    const at = (second: number) => new Date(START + second * 1000);
    const low = ((START - 631_065_600_000) / 1000 + 90) % 65_536;
    const others = [
      ['STRESS_LEVEL', { stressLevelTime: at(0), stressLevelValue: 31 }],
      ['STRESS_LEVEL', { stressLevelTime: at(180), stressLevelValue: -1 }],
      [
        'MONITORING',
        { timestamp: at(60), activityType: 'walking', cycles: 600, distance: 800, activeCalories: 40 },
      ],
      ['MONITORING', { timestamp16: low, heartRate: 61 }],
      ['WEIGHT_SCALE', { timestamp: at(5), weight: 71.5, percentFat: 18.5 }],
      ['BLOOD_PRESSURE', { timestamp: at(6), systolicPressure: 121, diastolicPressure: 79 }],
    ] as const;
    const file = await read(fitRun({ others, seconds: 1 }));
    expect(samples(file, 'stress_level').map(({ value }) => value)).toEqual([31]);
    expect(samples(file, 'weight')).toMatchObject([{ at: START + 5000, value: 71.5, offset: 7200 }]);
    expect(samples(file, 'blood_pressure')).toMatchObject([
      { value: null, more: { systolic: 121, diastolic: 79 } },
    ]);
    expect(samples(file, 'heartrate').find(({ value }) => value === 61)?.at).toBe(START + 90_000);
    const activity = summaries(file).find(({ resource }) => resource === 'activity');
    expect(activity).toMatchObject({
      day: '2024-05-12',
      body: { steps: 1200, distance: 800, calories_active: 40 },
    });
  });
});

/** A file with one full timestamp and three compressed ones, one of which rolls over. */
function compressedFit(): Buffer {
  const full = Buffer.alloc(5);
  full.writeUInt32LE((START - 631_065_600_000) / 1000, 0);
  full.writeUInt8(100, 4);
  const bits = (second: number) => 0x80 | (1 << 5) | (((START - 631_065_600_000) / 1000 + second) & 0x1f);
  const data = Buffer.concat([
    Buffer.of(0x40, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2),
    Buffer.of(0x00),
    full,
    Buffer.of(0x41, 0, 0, 20, 0, 1, 3, 1, 2),
    Buffer.of(bits(1), 101, bits(31), 102, bits(33), 103),
  ]);
  return withHeader(data);
}

function withHeader(data: Buffer): Buffer {
  const header = Buffer.from([14, 0x20, 0, 0, 0, 0, 0, 0, 0x2e, 0x46, 0x49, 0x54, 0, 0]);
  header.writeUInt32LE(data.length, 4);
  const whole = Buffer.concat([header, data]);
  const crc = Buffer.alloc(2);
  crc.writeUInt16LE(crcOf(whole));
  return Buffer.concat([whole, crc]);
}

/** CRC-16/ARC, bit by bit, independent of the SDK. */
function crcOf(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}

it('yields a workout before its stream and samples', async () => {
  const seen = new Set<string>();
  const known = (reading: HealthReading) => {
    if (reading.kind === 'summary') seen.add(reading.key);
    const key =
      reading.kind === 'workout_stream'
        ? reading.workoutKey
        : reading.kind === 'samples'
          ? reading.origin.workout?.key
          : undefined;
    return key === undefined || seen.has(key);
  };
  const { readings } = await read(Buffer.concat([fitRun(), fitRun({ start: START + 86_400_000 })]));
  expect(readings.every(known)).toBe(true);
});

describe('an implausible value', () => {
  // prettier-ignore
  const BAD: [string, () => string | Buffer, string, string][] = [
    ['a heart rate',          () => tcxRun().replace('<Value>123</Value>', '<Value>999</Value>'),          'line 3', '1 implausible values of heartrate were ignored'],
    ['what is no number',     () => tcxRun().replace('<Value>123</Value>', '<Value>fast</Value>'),         'line 3', '1 implausible values of heartrate were ignored'],
    ['a height',              () => gpxRun().replace('<ele>37</ele>', '<ele>90000</ele>'),                 'line 4', '1 implausible values of altitude were ignored'],
    ['a place',               () => gpxRun().replace('lat="52.50003"', 'lat="152.5"'),                     'line 4', '1 implausible values of position were ignored'],
    ['a time',                () => gpxRun().replace(/(<ele>39<.*\s*)<time>[^<]*/, '$1<time>now'), 'line 4', '1 points without a time'],
    ['a power',               () => fitRun({ others: [['RECORD', { timestamp: new Date(START + 30_000), power: 9000 }]] }), 'byte 0', '1 implausible values of power were ignored'],
  ];
  it.each(BAD)('is reported with its position: %s', async (_what, bytes, place, reason) => {
    const file = await read(bytes());
    expect(file.report.faults).toEqual([{ place, reason }]);
    expect(summaries(file)).toHaveLength(1);
  });

  const far = {
    timestamp: new Date(START + 60_000),
    startTime: new Date(START),
    sport: 'running',
    totalElapsedTime: 60,
    totalTimerTime: 60,
    totalDistance: 40_000_000,
    totalAscent: 21,
    avgSpeed: 3.3,
  };
  // prettier-ignore
  const TOTALS: [string, () => string | Buffer, string, string][] = [
    ['tcx', () => tcxRun().replace(/(<MaximumHeartRateBpm><Value>)\d+/, '$1999'),          'max_hr',        'max_hr of 999 is implausible and was ignored'],
    ['fit', () => fitRun({ sessions: [far] }),                                              'distance',      'distance of 40000000 is implausible and was ignored'],
    ['gpx', () => gpxRun().replace(/(lat="52.5" lon=")13/, '$1-160'),                        'average_speed', expect.stringMatching(/^average_speed of \d+/)],
  ];
  it.each(TOTALS)('does not invalidate the workout: a total in %s', async (_format, bytes, field, reason) => {
    const file = await read(bytes());
    expect(file.report.faults).toContainEqual({ place: expect.any(String), reason });
    const [workout] = summaries(file);
    expect(workout?.body[field]).toBeNull();
    expect(streams(file)).toHaveLength(1);
  });

  it('is not reported for a sensor without contact', async () => {
    const file = await read(tcxRun().replaceAll('<Value>123</Value>', '<Value>0</Value>'));
    expect(file.report.faults).toEqual([]);
    expect(streams(file)[0]?.columns.heartrate).toContain(null);
  });

  it.each([
    ['gpx', '<gpx><wpt lat="1" lon="2"/><rte/></gpx>'],
    ['tcx', '<TrainingCenterDatabase><Courses/></TrainingCenterDatabase>'],
  ])('reports a file without recordings: %s', async (_format, text) => {
    expect((await read(text)).report.faults).toMatchObject([{ place: 'line 1' }]);
  });
});

describe('a sport', () => {
  it.each([
    ['street_running', 'running'],
    ['ultra_run', 'running'],
    ['obstacle_run', 'running'],
    ['indoor_running', 'treadmill_running'],
    ['road_biking', 'cycling'],
    ['cyclocross', 'cycling'],
    ['recumbent_cycling', 'cycling'],
    ['track_cycling', 'cycling'],
    ['bmx', 'cycling'],
    ['downhill_biking', 'mountain_biking'],
  ])('is known by the word of the site that exported it: %s', async (word, slug) => {
    const [workout] = summaries(await read(gpxRun().replace('<type>running', `<type>${word}`)));
    expect(workout?.body).toMatchObject({ sport: { slug } });
  });
});

describe('a document', () => {
  const titled = (encoding: string, title: string) =>
    gpxRun().replace('"UTF-8"', `"${encoding}"`).replace('Morning &amp; Run', title);

  it.each([
    ['ISO-8859-1', Buffer.from(titled('ISO-8859-1', 'Läufe'), 'latin1')],
    ['windows-1252', Buffer.from(titled('windows-1252', 'Läufe'), 'latin1')],
    ['UTF-8', Buffer.from(titled('UTF-8', 'Läufe'))],
    ['UTF-16, as it says and is not', Buffer.from(titled('UTF-16', 'Läufe'))],
    ['UTF-16', Buffer.from(`\ufeff${titled('UTF-16', 'Läufe')}`, 'utf16le')],
  ])('is read in the encoding that it names: %s', async (_encoding, bytes) => {
    expect(summaries(await read(bytes))[0]?.body).toMatchObject({ title: 'Läufe' });
  });

  // Another process compiles its sources first, which takes a while on a busy machine.
  it('without a time zone is read as UTC on any machine', { timeout: 60_000 }, async () => {
    const script = fileURLToPath(new URL('../../../test/read-files-in-time-zone.ts', import.meta.url));
    const files = { 'no-zone.gpx': gpxRun(), 'no-zone.tcx': tcxRun() };
    for (const [name, text] of Object.entries(files))
      await writeFile(folder.path(name), text.replaceAll(/(T\d\d:\d\d:\d\d(?:\.\d+)?)Z/g, '$1'));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', script, ...Object.keys(files).map((name) => folder.path(name))],
      { env: { TZ: 'America/New_York' } },
    );
    expect(JSON.parse(stdout)).toEqual([START, START]);
  });

  it('in an unknown encoding is rejected', async () => {
    await expect(read(titled('x-unheard-of', 'a'))).rejects.toThrow('unknown encoding x-unheard-of');
  });
});

describe('a long FIT file', () => {
  // Creating the file takes longer than reading it, and the thread loads the profile first.
  it('is decoded without blocking the event loop', { timeout: 60_000 }, async () => {
    // The thread is already running, as it is after the first file.
    await read(fitRun());
    const bytes = fitRun({ seconds: 10_000 });
    let turns = 0;
    let turnsBefore: number | undefined;
    let isRead = false;
    const turn = () => {
      turns += 1;
      if (!isRead) setImmediate(turn);
    };
    const { postMessage } = Worker.prototype;
    const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function handOver(
      this: Worker,
      ...given: Parameters<typeof postMessage>
    ) {
      turnsBefore ??= turns;
      postMessage.apply(this, given);
    });
    try {
      turn();
      await read(bytes);
    } finally {
      isRead = true;
      post.mockRestore();
    }
    // Counts event loop turns instead of time, which depends on the machine: there are thousands while the thread
    // decodes. If the file were decoded here, there would be one per piece.
    expect(turns - (turnsBefore ?? turns)).toBeGreaterThan(200);
  });
});
