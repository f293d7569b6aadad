import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { assessFailure, type EndpointFailures } from './failing.ts';
import { DomainError } from '../../platform/errors.ts';
import { validateFilter, FILTER_TYPE, matchesFilter } from './filter.ts';
import { HeadersInput, MASK, replaceHeaderValues } from './headers.ts';
import { openLanes, INITIAL_ROOM, TROUBLED_ROOM } from './lanes.ts';
import { RETRY_DELAYS_MS, parseRetryAfter, retryDelayAfter } from './schedule.ts';

const NOON = new Date('2026-03-02T12:00:00Z');

describe('the schedule', () => {
  // prettier-ignore
  const rows = [
    [1, 5 * SECOND], [2, 5 * MINUTE], [3, 30 * MINUTE], [4, 2 * HOUR], [5, 5 * HOUR], [6, 10 * HOUR], [7, 10 * HOUR],
  ] as const;

  it.each(rows)('waits after failure %i for %i ms, and at most a tenth longer', (failures, step) => {
    expect(retryDelayAfter(failures, { random: () => 0 })).toBe(step);
    expect(retryDelayAfter(failures, { random: () => 0.999999 })).toBeLessThanOrEqual(step * 1.1);
  });

  it('ends after the eighth failure', () => {
    expect(retryDelayAfter(8, { random: () => 0 })).toBeUndefined();
  });

  it('keeps every delay between its step and a tenth more, or the requested one up to the next step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 0, max: 2 * DAY }),
        (failures, random, retryAfterMs) => {
          const step = RETRY_DELAYS_MS[failures - 1] ?? 0;
          const next = RETRY_DELAYS_MS[failures] ?? step;
          const wait = retryDelayAfter(failures, { random: () => random, retryAfterMs }) ?? -1;
          expect(wait).toBeGreaterThanOrEqual(Math.max(step, Math.min(retryAfterMs, next)));
          expect(wait).toBeLessThanOrEqual(Math.max(step * 1.1 + 1, Math.min(retryAfterMs, next)));
        },
      ),
    );
  });

  // prettier-ignore
  const headers = [
    { status: 429, header: '120',                            ms: 120_000 },
    { status: 503, header: ' 7 ',                            ms: 7000 },
    { status: 503, header: 'Mon, 02 Mar 2026 12:01:00 GMT',  ms: 60_000 },
    { status: 503, header: 'Mon, 02 Mar 2026 11:00:00 GMT',  ms: 0 },
    { status: 500, header: '120',                            ms: undefined },
    { status: 429, header: 'soon',                           ms: undefined },
    { status: 429, header: undefined,                        ms: undefined },
  ];
  it.each(headers)('reads Retry-After $header of a $status', ({ status, header, ms }) => {
    expect(parseRetryAfter(status, header, NOON)).toBe(ms);
  });
});

describe('nothing but failures', () => {
  const none: EndpointFailures = { firstFailureAt: null, lastFailureAt: null, failingSince: null };
  const fail = (hours: readonly number[]) =>
    hours.reduce(
      (before, hour) => ({ ...before, ...assessFailure(before.failures, later(NOON, hour * HOUR)) }),
      { failures: none, changed: false, hopeless: false },
    );

  it('starts to count at a failure at least 12 hours after another one', () => {
    expect(fail([0, 1, 11]).failures.failingSince).toBeNull();
    expect(fail([0, 1, 12]).failures.failingSince).toEqual(later(NOON, 12 * HOUR));
  });

  it('does not count failures that are more than a day apart', () => {
    expect(fail([0, 25, 50, 75, 100, 125, 150]).failures.failingSince).toBeNull();
    expect(fail([0, 13 + 12, 13 + 12 + 12]).failures.failingSince).toEqual(later(NOON, 37 * HOUR));
  });

  it('disables after five days', () => {
    const days = (count: number) => Array.from({ length: count }, (_, index) => index * 12);
    expect(fail([...days(11), 12 + 5 * 24 - 1]).hopeless).toBe(false);
    expect(fail([...days(11), 12 + 5 * 24]).hopeless).toBe(true);
  });

  it('does not save failures of the same minute one by one', () => {
    const once = fail([0]).failures;
    expect(assessFailure(once, later(NOON, 59 * SECOND)).changed).toBe(false);
    expect(assessFailure(once, later(NOON, MINUTE)).changed).toBe(true);
  });
});

describe('a filter', () => {
  // prettier-ignore
  const rows = [
    { filter: null,                       type: 'labtest.order.created', wanted: true },
    { filter: [],                         type: 'labtest.order.created', wanted: true },
    { filter: ['labtest.order.created'],  type: 'labtest.order.created', wanted: true },
    { filter: ['labtest.order.created'],  type: 'labtest.order.updated', wanted: false },
    { filter: ['labtest.*'],              type: 'labtest.order.created', wanted: true },
    { filter: ['labtest.*'],              type: 'labtests.order.created', wanted: false },
    { filter: ['labtest.order.*'],        type: 'labtest.order',         wanted: false },
    { filter: ['a.b', 'daily.data.*'],    type: 'daily.data.sleep.created', wanted: true },
  ];
  it.each(rows)('of $filter answers $wanted for $type', ({ filter, type, wanted }) => {
    expect(matchesFilter(filter, type)).toBe(wanted);
  });

  it.each(['labtest.order.created', 'labtest.*', 'daily.data.sleep_cycle.*', 'a1.b2'])(
    'may say %s',
    (text) => {
      expect(text).toMatch(FILTER_TYPE);
    },
  );
  it.each(['', '*', 'labtest', 'labtest.', '.order', 'labtest.*.created', 'Labtest.order', 'a b.c', 'a.b*'])(
    'may not say "%s"',
    (text) => {
      expect(text).not.toMatch(FILTER_TYPE);
    },
  );
});

describe('a filter is refused at the entry that matches no event', () => {
  const types = ['labtest.order.created', 'daily.data.sleep.created'];
  // prettier-ignore
  const rows: { filter: string[] | null; places: number[] }[] = [
    { filter: null,                                          places: [] },
    { filter: [],                                            places: [] },
    { filter: ['labtest.order.created', 'daily.*'],          places: [] },
    { filter: ['daily.data.*', 'daily.data.sleep.*'],        places: [] },
    { filter: ['labtest.order.creatd'],                      places: [0] },
    { filter: ['labtest.*', 'labtests.*', 'weekly.*'],       places: [1, 2] },
    { filter: ['labtest.order.created.*'],                   places: [0] },
  ];
  it.each(rows)('$filter', ({ filter, places }) => {
    const faults = () => {
      try {
        validateFilter(types, filter);
      } catch (error) {
        return error instanceof DomainError ? error.detail : error;
      }
      return [];
    };
    expect(faults()).toMatchObject(places.map((place) => ({ loc: ['body', 'filter_types', place] })));
    expect(faults()).toHaveLength(places.length);
  });
});

describe('custom headers', () => {
  it('keep a value that is sent back masked, and drop omitted ones', () => {
    const before = { authorization: 'Bearer 1', 'x-a': '1' };
    expect(replaceHeaderValues(before, { Authorization: MASK, 'X-B': '2' })).toEqual({
      authorization: 'Bearer 1',
      'x-b': '2',
    });
  });

  // prettier-ignore
  const ours = ['content-type', 'Content-Length', 'content-encoding', 'Host', 'Transfer-Encoding', 'connection', 'Keep-Alive', 'upgrade', 'HTTP2-Settings', 'expect', 'TE', 'trailer', 'Trailers', 'proxy-authorization', 'Proxy-Connection', 'user-agent', 'webhook-id', 'Webhook-Test', 'svix-signature'];
  it.each(ours)('may not be %s, which is set by the service', (name) => {
    const { error } = HeadersInput.safeParse({ 'x-a': '1', [name]: '1' });
    expect(error?.issues).toMatchObject([{ path: [name], message: 'this header is set by the service' }]);
  });

  // prettier-ignore
  const rows: { why: string; headers: Record<string, string>; place: string }[] = [
    { why: 'a line break',           headers: { 'x-a': 'one\r\nx-b: 2' },       place: 'x-a' },
    { why: 'a carriage return',      headers: { 'x-a': 'one\rtwo' },            place: 'x-a' },
    { why: 'a line feed',            headers: { 'x-a': 'one\ntwo' },            place: 'x-a' },
    { why: 'a NUL',                  headers: { 'x-a': 'one\0two' },            place: 'x-a' },
    { why: 'a delete character',     headers: { 'x-a': '\x7f' },                place: 'x-a' },
    { why: 'a letter above ASCII',   headers: { 'x-a': 'ü' },                   place: 'x-a' },
    { why: 'a letter above Latin 1', headers: { 'x-a': '漢' },                  place: 'x-a' },
    { why: 'a long value',           headers: { 'x-a': 'a'.repeat(4097) },      place: 'x-a' },
    { why: 'a space in a name',      headers: { 'x a': '1' },                   place: 'x a' },
    { why: 'a line break in a name', headers: { 'x-a\r\nx-b': '1' },            place: 'x-a\r\nx-b' },
    { why: 'a colon in a name',      headers: { ':path': '1' },                 place: ':path' },
    { why: 'no name',                headers: { '': '1' },                      place: '' },
    { why: 'a long name',            headers: { ['a'.repeat(129)]: '1' },       place: 'a'.repeat(129) },
    { why: 'one name twice',         headers: { 'X-A': '1', 'x-a': '2' },       place: 'x-a' },
  ];
  it.each(rows)('may not have $why', ({ headers, place }) => {
    expect(HeadersInput.safeParse(headers).error?.issues.map(({ path }) => path)).toEqual([[place]]);
  });

  it('may be fifty of 8 KiB in total', () => {
    const many = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, value]));
    expect(HeadersInput.safeParse(many(50, '1')).success).toBe(true);
    expect(HeadersInput.safeParse(many(51, '1')).success).toBe(false);
    expect(HeadersInput.safeParse(many(3, 'a'.repeat(4000))).success).toBe(false);
  });
});

describe('lanes', () => {
  const roomOf = (lanes: ReturnType<typeof openLanes>, id: string) => {
    const { ids, rooms } = lanes.rooms();
    return ids.includes(id) ? rooms[ids.indexOf(id)] : INITIAL_ROOM;
  };

  it('grow with quick successes and halve with failures, between their bounds', () => {
    const lanes = openLanes();
    const finish = (ok: boolean, durationMs: number) => {
      lanes.start('a', false);
      lanes.finish('a', { ok, durationMs });
    };
    for (let index = 0; index < 100; index += 1) finish(true, 5);
    expect(roomOf(lanes, 'a')).toBe(64);
    finish(true, 5000);
    expect(roomOf(lanes, 'a')).toBe(64);
    for (let index = 0; index < 10; index += 1) finish(false, 5);
    expect(roomOf(lanes, 'a')).toBe(2);
    expect(roomOf(lanes, 'b')).toBe(INITIAL_ROOM);
  });

  it('start narrow for a failing endpoint', () => {
    const lanes = openLanes();
    lanes.start('a', true);
    expect(roomOf(lanes, 'a')).toBe(TROUBLED_ROOM - 1);
  });

  it('count messages in flight', () => {
    const lanes = openLanes();
    for (let index = 0; index < 12; index += 1) lanes.start('a', false);
    expect(roomOf(lanes, 'a')).toBe(0);
  });
});
