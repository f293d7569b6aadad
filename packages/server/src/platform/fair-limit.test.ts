import { describe, expect, it } from 'vitest';
import { createFairLimit, QueueFullError, type FairLimit } from './fair-limit.ts';

const LIMITS = { concurrency: 2, concurrencyPerKey: 1, waitingMax: 6, waitingPerKeyMax: 4 };

interface Call {
  readonly name: string;
  readonly outcome: Promise<unknown>;
  finish(): void;
  fail(): void;
}

/** Starts calls by name, such as `a1` of key `a`; `started` has the order in which they began to run. */
function openRoom(limit: FairLimit) {
  const started: string[] = [];
  const start = (name: string): Call => {
    let finish = () => {};
    let fail = () => {};
    const ended = new Promise<void>((resolve, reject) => {
      finish = resolve;
      fail = () => reject(new Error('failed'));
    });
    const outcome = limit(name.slice(0, 1), () => {
      started.push(name);
      return ended;
    });
    outcome.catch(() => {});
    ended.catch(() => {});
    return { name, outcome, finish, fail };
  };
  return { started, start };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a fair limit', () => {
  it('keeps a slot free for others while one key has a long queue', async () => {
    const { started, start } = openRoom(createFairLimit(LIMITS));
    const flood = ['a1', 'a2', 'a3', 'a4'].map(start);
    const other = start('b1');
    expect(started).toEqual(['a1', 'b1']);
    flood[0]?.finish();
    other.finish();
    await settled();
    expect(started).toEqual(['a1', 'b1', 'a2']);
  });

  it('lets keys take turns', async () => {
    const { started, start } = openRoom(createFairLimit(LIMITS));
    const calls = ['a1', 'b1', 'a2', 'a3', 'b2', 'c1'].map(start);
    for (const name of ['a1', 'b1', 'a2', 'b2', 'c1', 'a3']) {
      calls.find((call) => call.name === name)?.finish();
      await settled();
    }
    expect(started).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  });

  it('refuses a call when its key, or all together, have too many waiting', async () => {
    const { start } = openRoom(createFairLimit(LIMITS));
    const calls = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(start);
    await expect(calls[5]?.outcome).rejects.toThrow(QueueFullError);
    const others = ['b1', 'b2', 'b3', 'b4'].map(start);
    await expect(others[3]?.outcome).rejects.toThrow(QueueFullError);
    for (const call of [...calls, ...others]) call.finish();
    await Promise.all([...calls.slice(0, 5), ...others.slice(0, 3)].map(({ outcome }) => outcome));
  });

  it('gives the slot of a call that fails to the next, and passes the failure on', async () => {
    const { started, start } = openRoom(createFairLimit(LIMITS));
    const [first, second] = ['a1', 'a2'].map(start);
    first?.fail();
    await expect(first?.outcome).rejects.toThrow('failed');
    expect(started).toEqual(['a1', 'a2']);
    second?.finish();
    await second?.outcome;
    const again = start('a3');
    expect(started).toEqual(['a1', 'a2', 'a3']);
    again.finish();
  });

  it('gives all slots to a key alone, and only its share once another key calls', async () => {
    const { started, start } = openRoom(createFairLimit({ ...LIMITS, concurrencyAlone: 2 }));
    const [a1, a2] = ['a1', 'a2', 'a3'].map(start);
    expect(started).toEqual(['a1', 'a2']);
    const [b1] = ['b1', 'b2'].map(start);
    a1?.finish();
    await settled();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    a2?.finish();
    await settled();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    b1?.finish();
    await settled();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('gives all slots back to a key that has been alone for a thousand calls', async () => {
    const { started, start } = openRoom(createFairLimit({ ...LIMITS, concurrencyAlone: 2 }));
    start('b1').finish();
    await settled();
    const calls = ['a1', 'a2'].map(start);
    expect(started).toEqual(['b1', 'a1']);
    for (let n = 3; n < 1000; n += 1) {
      calls[n - 3]?.finish();
      await settled();
      calls.push(start(`a${n}`));
    }
    await settled();
    const begun = started.length;
    ['a1000', 'a1001'].map(start);
    await settled();
    expect(started.length).toBe(begun + 1);
  });
});
