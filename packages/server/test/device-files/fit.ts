import { Encoder, Profile } from '@garmin/fitsdk';
import { START } from '../wearable-files.ts';

/** Small FIT files, each named by the story that it tells. Written by the SDK's encoder. */

type FitFields = Readonly<Record<string, unknown>>;
type NamedFitMessage = readonly [string, FitFields];

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const date = (second: number): Date => new Date(START + second * 1000);

/** A FIT file of these messages, after a file id of a watch. */
function fitFile(messages: readonly NamedFitMessage[]): Buffer {
  const encoder = new Encoder();
  const write = ([kind, fields]: NamedFitMessage) => {
    const mesgNum = Profile.MesgNum[kind];
    if (mesgNum === undefined) throw new Error(`The profile has no ${kind}`);
    encoder.onMesg(mesgNum, { mesgNum, ...fields });
  };
  const maker = { manufacturer: 'garmin', product: 4024, serialNumber: 4711 };
  write(['FILE_ID', { type: 'activity', ...maker, timeCreated: date(0) }]);
  messages.forEach(write);
  return Buffer.from(encoder.close());
}

/** Records from one second to another, both inclusive, of three meters each. */
const records = (
  from: number,
  to: number,
  { meters = 0, ...more }: FitFields & { readonly meters?: number } = {},
): NamedFitMessage[] =>
  Array.from({ length: to - from + 1 }, (_, index) => [
    'RECORD',
    { timestamp: date(from + index), distance: meters + 3 * index, ...more },
  ]);

const session = (from: number, to: number, more: FitFields = {}): NamedFitMessage => [
  'SESSION',
  { startTime: date(from), timestamp: date(to), totalElapsedTime: to - from, sport: 'running', ...more },
];

/** The watch asked whether to save the run, and was answered three days later. */
export const savedThreeDaysLater = (): Buffer =>
  fitFile([...records(0, 60), session(0, 60, { timestamp: date(3 * DAY_S) })]);

/** The watch forgot the pause in the session's time, but recorded after it until it was stopped. */
export const elapsedWithoutThePause = (): Buffer =>
  fitFile([...records(0, 60), ...records(660, 720), session(0, 720, { totalElapsedTime: 121 })]);

/** Records from before the start button was pressed and from long after the run was stopped. */
export const recordsOutsideOfTheSession = (): Buffer =>
  fitFile([...records(-90, -31), ...records(0, 60), ...records(DAY_S, DAY_S + 9), session(0, 60)]);

/** The first session states no start, the second neither; each is where its records are. */
export const sessionsWithoutStart = (): Buffer =>
  fitFile([
    ...records(0, 60),
    session(0, 61, { startTime: undefined, totalElapsedTime: undefined }),
    ...records(100, 160),
    session(100, 161, { startTime: undefined, totalElapsedTime: undefined, sport: 'cycling' }),
  ]);

/** A swim of 750 m, the way to the bicycle, a ride: the watch goes on counting meters from the swim's start. */
export const triathlonWithOneOdometer = (): Buffer =>
  fitFile([
    ...records(0, 250),
    session(0, 250, { sport: 'swimming' }),
    ...records(251, 300, { meters: 753 }),
    session(251, 300, { sport: 'transition' }),
    ...records(301, 400, { meters: 903 }),
    session(301, 400, { sport: 'cycling' }),
  ]);

/** The same with a watch that counts each sport from zero. The record at the change still has the old count. */
export const triathlonWithThreeOdometers = (): Buffer =>
  fitFile([
    ...records(0, 250),
    session(0, 250, { sport: 'swimming' }),
    ...records(251, 299),
    session(251, 300, { sport: 'transition' }),
    ['RECORD', { timestamp: date(300), distance: 150 }],
    ...records(301, 400, { meters: 3 }),
    session(300, 400, { sport: 'cycling' }),
  ]);

/** Beats every second from `from`, as a strap stores them: an anchor, then eight beats of 12 bits per message. */
function strapBeats(from: number, count: number, bpm: (index: number) => number): NamedFitMessage[] {
  const clock = 4190.5;
  const anchor: NamedFitMessage = [
    'HR',
    { timestamp: date(from), fractionalTimestamp: 0, filteredBpm: [bpm(0)], eventTimestamp: [clock] },
  ];
  const packs = Array.from({ length: Math.ceil((count - 1) / 8) }, (_, pack): NamedFitMessage => {
    const indexes = Array.from({ length: 8 }, (__, place) => 1 + pack * 8 + place);
    const low12 = indexes.map((index) => ((clock + index) * 1024) & 0xfff);
    return ['HR', { filteredBpm: indexes.map(bpm), eventTimestamp12: pack12(low12) }];
  });
  return [anchor, ...packs];
}

const pack12 = (values: readonly number[]): number[] =>
  values.flatMap((value, index) => {
    const next = values[index + 1] ?? 0;
    return index % 2 === 0 ? [value & 0xff, (value >> 8) | ((next & 0xf) << 4), next >> 4] : [];
  });

/** A swim: the strap kept its beats to itself and handed them over afterwards, as a second FIT file behind the first. */
export const swimWithStrapInSecondFile = (): Buffer =>
  Buffer.concat([
    fitFile([...records(0, 40), session(0, 40, { sport: 'swimming' })]),
    fitFile(strapBeats(0, 41, (index) => 120 + index)),
  ]);

/** The same in one file. */
export const swimWithStrapInOneFile = (): Buffer =>
  fitFile([
    ...records(0, 40),
    session(0, 40, { sport: 'swimming' }),
    ...strapBeats(0, 41, (index) => 120 + index),
  ]);

/** The strap's file came behind another day's swim. */
export const strapOfAnotherDay = (): Buffer =>
  Buffer.concat([
    fitFile([...records(0, 40), session(0, 40, { sport: 'swimming' })]),
    fitFile(strapBeats(DAY_S, 41, () => 120)),
  ]);
