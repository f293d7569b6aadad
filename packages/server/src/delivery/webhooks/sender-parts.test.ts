import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { manualClock, MINUTE, SECOND } from '../../platform/clock.ts';
import { groupIntoBundles, leaseIdOf } from './bundle.ts';
import { openLanes } from './lanes.ts';
import { openParkedMessages } from './parked-messages.ts';
import { openSignal } from './signal.ts';

describe('the lease of a message', () => {
  const bundle = { id: 'bundle', place: '(0,1)', size: 4, unpacked: false };
  it('is that of its bundle until the bundle is unpacked', () => {
    expect(leaseIdOf({ id: 'message', bundle: undefined })).toBe('message');
    expect(leaseIdOf({ id: 'message', bundle })).toBe('bundle');
    expect(leaseIdOf({ id: 'message', bundle: { ...bundle, unpacked: true } })).toBe('message');
  });
});

describe('messages that are enqueued at once', () => {
  it.each([
    [0, [], 0],
    [3, [], 3],
    [4, [4], 0],
    [10, [10], 0],
    [13, [10], 3],
    [14, [10, 4], 0],
    [25, [10, 10, 5], 0],
  ])('%i of them are in bundles of %j, and %i single', (count, sizes, rest) => {
    const items = Array.from({ length: count }, (_, n) => n);
    const { bundles, single } = groupIntoBundles(items);
    expect([bundles.map(({ length }) => length), single.length]).toEqual([sizes, rest]);
    expect([...bundles.flat(), ...single]).toEqual(items);
  });
});

describe('a parked message', () => {
  it('keeps its lease for a minute', () => {
    const clock = manualClock(new Date('2026-03-02T12:00:00Z'));
    const parked = openParkedMessages({ clock });
    parked.add('one');
    clock.move(SECOND);
    parked.add('two');
    clock.move(MINUTE - SECOND - 1);
    expect(parked.ids()).toEqual(['one', 'two']);
    clock.move(1);
    expect(parked.ids()).toEqual(['two']);
    clock.move(SECOND);
    expect(parked.ids()).toEqual([]);
  });
});

describe('a signal', () => {
  const LONG_MS = 60_000;
  it('ends a wait, also when it came before', async () => {
    const signal = openSignal();
    signal.wake();
    await signal.wait(LONG_MS);
    const waiting = signal.wait(LONG_MS).then(() => 'ended');
    signal.wake();
    expect(await waiting).toBe('ended');
  });

  it('ends one wait only', async () => {
    const signal = openSignal();
    signal.wake();
    await signal.wait(LONG_MS);
    const second = signal.wait(LONG_MS).then(() => 'ended');
    expect(await Promise.race([second, sleep(20, 'waits')])).toBe('waits');
    signal.wake();
    expect(await second).toBe('ended');
  });

  it('ends a wait after its time', async () => {
    expect(await openSignal().wait(1)).toBeUndefined();
  });
});

describe('the lane of an endpoint', () => {
  const QUICK = { ok: true, durationMs: 999 };
  const roomOf = (lanes: ReturnType<typeof openLanes>): unknown => lanes.rooms().rooms[0];

  it('has room for ten less those in flight, and is forgotten when it is as at first', () => {
    const lanes = openLanes();
    for (let n = 0; n < 3; n += 1) lanes.start('a', false);
    expect(lanes.rooms()).toEqual({ ids: ['a'], rooms: [7] });
    lanes.finish('a', { ok: true, durationMs: 1000 });
    expect(lanes.rooms()).toEqual({ ids: ['a'], rooms: [8] });
    for (let n = 0; n < 2; n += 1) lanes.finish('a', { ok: true, durationMs: 5000 });
    expect(lanes.rooms()).toEqual({ ids: [], rooms: [] });
  });

  it('grows by one with a quick success, and halves with a failure', () => {
    const lanes = openLanes();
    for (let n = 0; n < 3; n += 1) lanes.start('a', false);
    lanes.finish('a', QUICK);
    expect(roomOf(lanes)).toBe(9);
    lanes.finish('a', { ok: false, durationMs: 1 });
    expect(roomOf(lanes)).toBe(4);
    lanes.finish('a', QUICK);
    expect(roomOf(lanes)).toBe(6);
    lanes.start('a', true);
    expect(roomOf(lanes)).toBe(5);
  });

  it('of a failing endpoint has room for two', () => {
    const lanes = openLanes();
    lanes.start('a', true);
    expect(roomOf(lanes)).toBe(1);
    lanes.finish('a', { ok: false, durationMs: 1 });
    expect(roomOf(lanes)).toBe(2);
  });
});
