import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import { createTokenBuckets } from './token-buckets.ts';

const TEAM = { bucket: 'team', perMinute: 60 };
const KEY = { bucket: 'key', perMinute: 6 };

/** Buckets, and the time that they read. */
function openBuckets() {
  const time = { ms: HOUR };
  return { time, take: createTokenBuckets(() => time.ms) };
}

describe('token buckets', () => {
  it('are full at first, and fill again within a minute', () => {
    const { time, take } = openBuckets();
    expect(take([TEAM], 60)).toEqual({ isTaken: true, levels: [0] });
    expect(take([TEAM], 1).isTaken).toBe(false);
    time.ms += SECOND;
    expect(take([TEAM], 1)).toEqual({ isTaken: true, levels: [0] });
    time.ms += MINUTE;
    expect(take([TEAM], 1)).toEqual({ isTaken: true, levels: [59] });
  });

  it('take from all or from none', () => {
    const { take } = openBuckets();
    take([KEY], 5);
    expect(take([TEAM, KEY], 2)).toEqual({ isTaken: false, levels: [60, 1] });
    expect(take([TEAM, KEY], 1)).toEqual({ isTaken: true, levels: [59, 0] });
  });

  it('run an operation that costs more than a full bucket when the bucket is full', () => {
    const { time, take } = openBuckets();
    expect(take([KEY], 10)).toEqual({ isTaken: true, levels: [0] });
    time.ms += MINUTE - SECOND;
    expect(take([KEY], 10).isTaken).toBe(false);
    time.ms += SECOND;
    expect(take([KEY], 10).isTaken).toBe(true);
  });

  it('neither fill nor lock when the clock is set back', () => {
    const { time, take } = openBuckets();
    take([TEAM], 60);
    time.ms -= HOUR;
    expect(take([TEAM], 1).isTaken).toBe(false);
    time.ms += SECOND;
    expect(take([TEAM], 1).isTaken).toBe(true);
    expect(take([TEAM], 1).isTaken).toBe(false);
  });

  it('are full at most when the clock jumps ahead', () => {
    const { time, take } = openBuckets();
    take([TEAM], 60);
    time.ms += 24 * HOUR;
    expect(take([TEAM], 0).levels).toEqual([60]);
  });

  it('follow a limit that changes', () => {
    const { time, take } = openBuckets();
    take([TEAM], 10);
    expect(take([{ ...TEAM, perMinute: 6 }], 1).levels).toEqual([5]);
    time.ms += 30 * SECOND;
    expect(take([{ ...TEAM, perMinute: 600 }], 0).levels).toEqual([305]);
  });

  it('forget the buckets that were not used for longest, which are full again', () => {
    const { take } = openBuckets();
    take([KEY], 6);
    for (let n = 0; n < 50_000; n += 1) take([{ bucket: `other ${n}`, perMinute: 6 }], 1);
    expect(take([KEY], 0).levels).toEqual([6]);
  });
});
