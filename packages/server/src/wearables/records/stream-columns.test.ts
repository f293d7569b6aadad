import { describe, expect, it } from 'vitest';
import type { StreamColumns } from '../../readings/readings.ts';
import { packStream, STREAM_COLUMNS, unpackStream } from './stream-columns.ts';

const START = 1_772_355_600;

/** An hour of running at one point per second. */
function run(points: number): StreamColumns {
  const every = <T>(of: (second: number) => T): T[] =>
    Array.from({ length: points }, (_, second) => of(second));
  return {
    time: every((second) => START + second),
    cadence: every((second) => 85 + Math.round(3 * Math.sin(second / 20))),
    altitude: every((second) => Number((34 + 8 * Math.sin(second / 300)).toFixed(1))),
    velocity_smooth: every((second) => Number((2.9 + 0.3 * Math.cos(second / 60)).toFixed(3))),
    heartrate: every((second) => (second % 97 === 0 ? null : 140 + Math.round(12 * Math.sin(second / 90)))),
    lat: every((second) => Number((52.520_008 + second * 0.000_021_3).toFixed(7))),
    lng: every((second) => Number((-13.404_954 - second * 0.000_013_7).toFixed(7))),
    distance: every((second) => Number((second * 2.913).toFixed(2))),
  };
}

describe('a packed stream', () => {
  // prettier-ignore
  const streams: [string, StreamColumns][] = [
    ['an hour of running',        run(3600)],
    ['one point',                 { time: [START], heartrate: [61] }],
    ['a column without a value',  { time: [START, START + 1], power: [null, null] }],
    ['an empty stream',           { time: [] }],
    ['the ends of the earth',     { time: [0, 1, 2], lat: [-90, 90, -89.9999999], lng: [180, -180, 179.9999999] }],
    ['gaps and steps back',       { time: [5, 5, 900_000], temperature: [-40.5, null, 61.25], altitude: [null, 0, -420] }],
  ];

  it.each(streams)('round-trips %s', (_what, columns) => {
    expect(unpackStream(packStream(columns))).toEqual(columns);
  });

  it('rounds values to the resolution of the column', () => {
    const { lat, distance } = unpackStream(
      packStream({ time: [0], lat: [1.123_456_789], distance: [0.123_456] }),
    );
    expect([lat, distance]).toEqual([[1.123_456_8], [0.123]]);
  });

  it('is smaller than a quarter of its JSON', () => {
    const columns = run(3600);
    expect(packStream(columns).length * 4).toBeLessThan(JSON.stringify(columns).length);
  });

  it('has every column, in a fixed order', () => {
    expect(STREAM_COLUMNS.join(' ')).toBe(
      'time cadence altitude velocity_smooth heartrate lat lng distance power resistance temperature',
    );
  });

  it('is rejected when truncated or invalid', () => {
    const packed = packStream(run(10));
    expect(() => unpackStream(Buffer.from('no'))).toThrow('Not a packed stream');
    expect(() => unpackStream(packed.subarray(0, -3))).toThrow();
  });
});
