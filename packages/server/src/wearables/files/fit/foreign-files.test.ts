import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fitCompressed,
  fitData,
  fitDefinition,
  fitMessage,
  rawFitFile,
  type RawFitField,
} from '../../../../test/device-files/raw-fit.ts';
import { openFolder, readBytes, type ParsedFile } from '../../../../test/wearable-files.ts';
import { UnreadableFile } from '../files.ts';

/**
 * FIT files as devices of many makers write them, byte by byte after the published protocol, each with what has to be
 * read of it. Written before our reader was looked at.
 */

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.close());

/** 2024-05-12T06:30:00Z, in seconds since the epoch of FIT. */
const T0 = (Date.UTC(2024, 4, 12, 6, 30) - 631_065_600_000) / 1000;
type Options = Parameters<typeof fitMessage>[2];

const FILE_ID: readonly RawFitField[] = [
  [0, 'enum', 4],
  [1, 'uint16', 1],
  [2, 'uint16', 4024],
  [3, 'uint32z', 4711],
  [4, 'uint32', T0],
];
const fileId = (options?: Options, type = 4) =>
  fitMessage(0, [[0, 'enum', type], ...FILE_ID.slice(1)], options);
const timed = (second: number): RawFitField => [253, 'uint32', T0 + second];
/** A record with a heart rate. */
const beat = (
  second: number,
  rate: number | undefined = 100 + second,
  more: readonly RawFitField[] = [],
  options?: Options,
) => fitMessage(20, [timed(second), [3, 'uint8', rate], ...more], options);
const beats = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => beat(from + at));
/** A session of a sport, by default running (1), of its time in seconds. */
const session = (
  from: number,
  to: number,
  {
    sport = 1,
    more = [],
    options,
  }: { sport?: number; more?: readonly RawFitField[]; options?: Options } = {},
) =>
  fitMessage(
    18,
    [
      timed(to),
      [2, 'uint32', T0 + from],
      [5, 'enum', sport],
      [7, 'uint32', (to - from) * 1000],
      [8, 'uint32', (to - from) * 1000],
      ...more,
    ],
    options,
  );
const activity = (at: number, offsetSeconds: number) =>
  fitMessage(34, [timed(at), [5, 'uint32', T0 + at + offsetSeconds], [1, 'uint16', 1]]);
const file = (...messages: readonly Buffer[]) => rawFitFile([fileId(), ...messages]);

// prettier-ignore
const FIELDS = ['distance', 'calories', 'average_hr', 'total_elevation_gain'] as const;
const clock = (at: number) => new Date(at).toISOString().slice(11, 19);
const list = (column: readonly (number | null)[] | undefined) =>
  column?.map((one) => (one === null ? '-' : Math.round(one * 100) / 100)).join(' ');

/** What is read: workouts with their streams, samples outside of workouts, days, and what is skipped or at fault. */
function show({ readings, report }: ParsedFile): string[] {
  const lines = readings.flatMap((one): string[] => {
    if (one.kind === 'samples') {
      if (one.origin.workout) return [];
      return one.samples.map(
        ({ at, value, more }) =>
          `${one.resource} ${clock(at)} ${value ?? Object.values(more ?? {}).join('/')}`,
      );
    }
    if (one.kind === 'workout_stream') {
      const { time, ...columns } = one.columns;
      const shown = (
        ['heartrate', 'distance', 'altitude', 'power', 'temperature', 'velocity_smooth', 'lat'] as const
      ).flatMap((name) => {
        const column = columns[name];
        return column?.some((each) => each !== null) ? [` ${name}=${list(column)}`] : [];
      });
      return [`stream ${time.map((at) => at - (T0 + 631_065_600)).join(' ')}${shown.join('')}`];
    }
    const { body, day, resource } = one;
    if (resource === 'activity') return [`activity ${day} steps=${String(body['steps'])}`];
    if (resource !== 'workouts') return [];
    const totals = FIELDS.flatMap((name) =>
      body[name] === null || body[name] === undefined ? [] : [` ${name}=${String(body[name])}`],
    );
    const sport =
      typeof body['sport'] === 'object' && body['sport'] !== null && 'slug' in body['sport']
        ? body['sport'].slug
        : '';
    return [
      `${String(sport)} ${day} ${String(body['time_start']).slice(11, 19)}-${String(body['time_end']).slice(11, 19)} offset=${String(body['timezone_offset'] ?? '-')}${totals.join('')}`,
    ];
  });
  return [
    ...lines,
    ...[...report.skipped].map(([kind, times]) => `skipped ${kind}: ${times}`),
    ...report.faults.map(({ reason }) => `fault: ${reason}`),
  ];
}

async function read(bytes: Buffer): Promise<string[] | string> {
  try {
    return show(await readBytes(bytes, folder));
  } catch (error) {
    if (error instanceof UnreadableFile) return 'refused';
    throw error;
  }
}

const RUN = 'running 2024-05-12 06:30:00-06:30:02 offset=- average_hr=101';
const THREE_BEATS = 'stream 0 1 2 heartrate=100 101 102';
const WHOLE = [RUN, THREE_BEATS];
const NO_DATA = 'fault: the file contains no supported data';
const big = { isBigEndian: true } as const;
const position = (degrees: number) => Math.round((degrees * 2 ** 31) / 180);
const compressed: readonly RawFitField[] = [[3, 'uint8', 0]];
const monitoring = (second: number, cycles: number, kind: number) =>
  fitMessage(55, [timed(second), [3, 'uint32', cycles], [5, 'enum', kind]]);

// prettier-ignore
const FILES: readonly (readonly [string, Buffer, readonly string[] | 'refused'])[] = [
  ['a run',                              file(...beats(0, 2), session(0, 2)),                                              WHOLE],
  ['numbers of the other byte order',    rawFitFile([fileId(big), ...[0, 1, 2].map((at) => beat(at, 100 + at, [], big)), session(0, 2, { options: big })]), WHOLE],
  ['both byte orders',                   file(beat(0), beat(1, 101, [], big), beat(2), session(0, 2, { options: big })), WHOLE],
  ['a header of 12 bytes',               rawFitFile([fileId(), ...beats(0, 2), session(0, 2)], { headerSize: 12 }),        WHOLE],
  ['a header without a checksum',        rawFitFile([fileId(), ...beats(0, 2), session(0, 2)], { headerCrc: 'none' }),     WHOLE],
  ['a local type for each message',      file(beat(0, 100, [], { local: 1 }), beat(1, 101, [], { local: 15 }), beat(2, 102, [], { local: 7 }), session(0, 2, { options: { local: 3 } })), WHOLE],
  ['a local type that is defined again', file(beat(0), fitMessage(21, [timed(1), [0, 'enum', 0]]), beat(1), beat(2), session(0, 2)), WHOLE],
  ['one definition for several messages', file(fitDefinition(20, [timed(0), [3, 'uint8', 0]], { local: 2 }), ...[0, 1, 2].map((at) => fitData([timed(at), [3, 'uint8', 100 + at]], { local: 2 })), session(0, 2)), WHOLE],
  ['compressed timestamps',              file(beat(0), fitDefinition(20, compressed, { local: 1 }), fitCompressed(T0 + 1, [[3, 'uint8', 101]], { local: 1 }), fitCompressed(T0 + 2, [[3, 'uint8', 102]], { local: 1 }), session(0, 2)), WHOLE],
  ['compressed timestamps that roll over', file(beat(0), fitDefinition(20, compressed, { local: 3 }), fitCompressed(T0 + 30, [[3, 'uint8', 101]], { local: 3 }), fitCompressed(T0 + 40, [[3, 'uint8', 102]], { local: 3 }), session(0, 40)), ['running 2024-05-12 06:30:00-06:30:40 offset=- average_hr=101', 'stream 0 30 40 heartrate=100 101 102']],
  ['developer fields',                   file(fitMessage(207, [[3, 'uint8', 0]]), fitMessage(206, [[0, 'uint8', 0], [1, 'uint8', 0], [2, 'uint8', 2], [3, 'string', 'Form']]), ...[0, 1, 2].map((at) => beat(at, 100 + at, [], { developer: [7] })), session(0, 2)), WHOLE],
  ['developer fields without a description', file(...[0, 1, 2].map((at) => beat(at, 100 + at, [], { developer: [7, 8, 9] })), session(0, 2)), WHOLE],
  ['unknown messages and fields',        file(fitMessage(0xff00, [[1, 'uint32', 5], [2, 'string', 'x']]), ...[0, 1, 2].map((at) => beat(at, 100 + at, [[200, 'uint16', 5]])), session(0, 2)), WHOLE],
  ['a heart rate of another size',       file(...[0, 1, 2].map((at) => fitMessage(20, [timed(at), [3, 'uint16', 100 + at]])), session(0, 2)), WHOLE],
  ['invalid values',                     file(beat(0, 100, [[7, 'uint16', undefined], [5, 'uint32', undefined], [2, 'uint16', undefined], [13, 'sint8', undefined]]), fitMessage(20, [timed(1), [3, 'uint8', undefined]]), beat(2), session(0, 2, { more: [[9, 'uint32', undefined], [11, 'uint16', undefined], [16, 'uint8', undefined]] })), [RUN, 'stream 0 1 2 heartrate=100 - 102']],
  ['values in their scale',              file(beat(0, 100, [[5, 'uint32', 1234], [2, 'uint16', 2450], [7, 'uint16', 0], [13, 'sint8', -10], [6, 'uint16', 3300]]), beat(1, 101, [[5, 'uint32', 1567], [2, 'uint16', 2500], [7, 'uint16', 250], [13, 'sint8', -9], [6, 'uint16', 3333]]), session(0, 1, { more: [[9, 'uint32', 1567], [11, 'uint16', 12], [16, 'uint8', 101], [22, 'uint16', 10]] })), ['running 2024-05-12 06:30:00-06:30:01 offset=- distance=15.67 calories=12 average_hr=101 total_elevation_gain=10', 'stream 0 1 heartrate=100 101 distance=12.34 15.67 altitude=-10 0 power=0 250 temperature=-10 -9 velocity_smooth=3.3 3.33']],
  ['enhanced fields',                    file(beat(0, 100, [[78, 'uint32', 2750], [73, 'uint32', 3300]]), beat(1, 101, [[78, 'uint32', 50_000], [73, 'uint32', 3300]]), session(0, 1)), ['running 2024-05-12 06:30:00-06:30:01 offset=- average_hr=101 total_elevation_gain=9450', 'stream 0 1 heartrate=100 101 altitude=50 9500 velocity_smooth=3.3 3.3']],
  ['a position, and none',               file(beat(0, 100, [[0, 'sint32', position(52.5)], [1, 'sint32', position(13.4)]]), beat(1, 101, [[0, 'sint32', undefined], [1, 'sint32', undefined]]), session(0, 1)), ['running 2024-05-12 06:30:00-06:30:01 offset=- distance=0 average_hr=101', 'stream 0 1 heartrate=100 101 distance=0 - lat=52.5 -']],
  ['a position in the south-west',       file(beat(0, 100, [[0, 'sint32', position(-33.25)], [1, 'sint32', position(-70.5)]]), beat(1, 101, [[0, 'sint32', position(-33.25)], [1, 'sint32', position(-70.5)]]), session(0, 1)), ['running 2024-05-12 06:30:00-06:30:01 offset=- distance=0 average_hr=101', 'stream 0 1 heartrate=100 101 distance=0 0 lat=-33.25 -33.25']],
  ['a local time in the east',           file(...beats(0, 2), session(0, 2), activity(2, 7200)),                           ['running 2024-05-12 06:30:00-06:30:02 offset=7200 average_hr=101', THREE_BEATS]],
  ['a local time of the day before',     file(...beats(0, 2), session(0, 2), activity(2, -34_200)),                        ['running 2024-05-11 06:30:00-06:30:02 offset=-34200 average_hr=101', THREE_BEATS]],
  ['a summary before its records',       file(session(0, 2), ...beats(0, 2)),                                              WHOLE],
  ['no session',                         file(...beats(0, 2)),                                                             [expect.stringMatching(/ 2024-05-12 06:30:00-06:30:02 offset=- average_hr=101$/), THREE_BEATS] as string[]],
  ['records that are not in order',      file(beat(2), beat(0), beat(1), session(0, 2)),                                   WHOLE],
  ['a second that is there twice',       file(beat(0), beat(1, 50), beat(1, 101), beat(2), session(0, 2)),                 [expect.stringMatching(/^running/), THREE_BEATS] as string[]],
  ['a triathlon, whose change of clothes is no workout',                        file(...beats(0, 4), session(0, 1, { sport: 5 }), session(1, 2, { sport: 3 }), session(2, 4, { sport: 2 })), [expect.stringMatching(/^(?:lap_|open_water_)?swimming 2024-05-12 06:30:00-06:30:01 /), expect.stringMatching(/^stream 0( 1)? /), expect.stringMatching(/^cycling 2024-05-12 06:30:02-06:30:04 /), 'stream 2 3 4 heartrate=102 103 104'] as string[]],
  ['two files in one',                   Buffer.concat([file(...beats(0, 2), session(0, 2)), rawFitFile([fileId(), ...[3600, 3601].map((at) => beat(at, 90)), session(3600, 3601)])]), [...WHOLE, 'running 2024-05-12 07:30:00-07:30:01 offset=- average_hr=90', 'stream 3600 3601 heartrate=90 90']],
  ['a clock that was never set',         file(fitMessage(20, [[253, 'uint32', 500], [3, 'uint8', 99]]), ...beats(0, 2), session(0, 2)), [...WHOLE, 'fault: 1 records without a time']],
  ['a respiration rate, and none',       file(fitMessage(297, [timed(0), [0, 'sint16', 1450]]), fitMessage(297, [timed(60), [0, 'sint16', -100]]), fitMessage(297, [timed(120), [0, 'sint16', undefined]])), ['respiratory_rate 06:30:00 14.5']],
  ['oxygen, and none',                   file(fitMessage(269, [timed(0), [0, 'uint8', 97]]), fitMessage(269, [timed(60), [0, 'uint8', undefined]])), ['blood_oxygen 06:30:00 97']],
  ['stress, and none',                   file(fitMessage(227, [[1, 'uint32', T0], [0, 'sint16', 31]]), fitMessage(227, [[1, 'uint32', T0 + 180], [0, 'sint16', -2]]), fitMessage(227, [[1, 'uint32', T0 + 360], [0, 'sint16', 1]])), ['stress_level 06:30:00 31', 'stress_level 06:36:00 1']],
  ['a weight, and one that is calculated', file(fitMessage(30, [timed(0), [0, 'uint16', 7150]]), fitMessage(30, [timed(60), [0, 'uint16', 0xfffe]])), ['weight 06:30:00 71.5']],
  ['a blood pressure',                   file(fitMessage(51, [timed(0), [0, 'uint16', 121], [1, 'uint16', 79]])),          ['blood_pressure 06:30:00 121/79']],
  ['a blood pressure without its half',  file(fitMessage(51, [timed(0), [0, 'uint16', 121], [1, 'uint16', undefined]])),   [expect.stringMatching(/^(?:skipped|fault)/)] as string[]],
  ['steps of two kinds of movement',     file(monitoring(60, 1000, 6), monitoring(120, 300, 1), monitoring(180, 1500, 6)), ['activity 2024-05-12 steps=1800']],
  ['a heart rate with 16 bits of its time', file(monitoring(60, 1000, 6), fitMessage(55, [[26, 'uint16', (T0 + 90) & 0xffff], [27, 'uint8', 61]])), ['heartrate 06:31:30 61', 'activity 2024-05-12 steps=1000']],
  ['sleep levels and beat intervals',    file(fitMessage(275, [timed(0), [0, 'enum', 2]]), fitMessage(275, [timed(60), [0, 'enum', 3]]), fitMessage(78, [[0, 'uint16', 812]])), [expect.stringMatching(/^skipped .*: 2$/), expect.stringMatching(/^skipped .*: 1$/), NO_DATA] as string[]],
  ['a heart rate variability of a night', file(fitMessage(371, [timed(0), [0, 'uint16', 5824]])),                          ['hrv 06:30:00 45.5']],
  ['a wrong checksum',                   Buffer.concat([file(...beats(0, 2), session(0, 2)).subarray(0, -2), Buffer.of(1, 2)]), 'refused'],
  ['a wrong checksum of the header, which that of the file covers',  rawFitFile([fileId(), ...beats(0, 2), session(0, 2)], { headerCrc: 'wrong' }),    WHOLE],
  ['a changed byte',                     Buffer.from(file(...beats(0, 2), session(0, 2))).fill(1, 60, 61),                 'refused'],
  ['a cut end',                          file(...beats(0, 2), session(0, 2)).subarray(0, -20),                             'refused'],
  ['data of size 0 in the header, as of a device that lost its power', rawFitFile([fileId(), ...beats(0, 2)], { dataSize: 0 }), 'refused'],
  ['a message without its definition',   rawFitFile([fileId(), fitData([timed(0)], { local: 9 })]),                        'refused'],
  ['a header alone',                     rawFitFile([]), [NO_DATA]],
];

describe('a FIT file with', () => {
  it.each(FILES)('%s', async (_what, bytes, shown) => {
    expect(await read(bytes)).toEqual(shown);
  });
});
