import { describe, expect, it } from 'vitest';
import { openRefusalPace, REFUSALS_AT_ONCE, REFUSALS_HELD_MAX } from './refusal-pace.ts';

/** A pace whose delays end when the test says so. */
function openPace() {
  const time = { ms: 0 };
  const releases: (() => void)[] = [];
  const pace = openRefusalPace({
    clock: { now: () => new Date(time.ms) },
    wait: () => new Promise<void>((resolve) => releases.push(resolve)),
  });
  const answered: string[] = [];
  const refuse = (caller: string) => void pace(caller).then(() => answered.push(caller));
  const refuseOften = (caller: string, times: number) => {
    for (let n = 0; n < times; n += 1) refuse(caller);
  };
  return { time, releases, answered, refuse, refuseOften };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('refusals', () => {
  it('are answered at once, until their caller ignores too many', async () => {
    const { releases, answered, refuse, refuseOften } = openPace();
    refuseOften('flood', REFUSALS_AT_ONCE);
    await settled();
    expect([answered.length, releases.length]).toEqual([REFUSALS_AT_ONCE, 0]);
    refuseOften('flood', 3);
    refuse('another');
    await settled();
    expect([answered.length, answered.at(-1), releases.length]).toEqual([REFUSALS_AT_ONCE + 1, 'another', 3]);
    for (const release of releases) release();
    await settled();
    expect(answered.length).toBe(REFUSALS_AT_ONCE + 4);
  });

  it('are answered at once again after their caller has paused', async () => {
    const { time, releases, answered, refuseOften } = openPace();
    refuseOften('flood', REFUSALS_AT_ONCE + 1);
    time.ms += 60_000;
    refuseOften('flood', REFUSALS_AT_ONCE);
    await settled();
    expect([answered.length, releases.length]).toEqual([2 * REFUSALS_AT_ONCE, 1]);
  });

  it('are held only up to a number, so that they fill no memory', async () => {
    const { releases, answered, refuseOften } = openPace();
    refuseOften('flood', REFUSALS_AT_ONCE + REFUSALS_HELD_MAX + 5);
    await settled();
    expect([answered.length, releases.length]).toEqual([REFUSALS_AT_ONCE + 5, REFUSALS_HELD_MAX]);
  });
});
