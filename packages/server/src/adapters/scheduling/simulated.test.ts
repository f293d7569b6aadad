import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { home, HOURS, site, slotBookingRequest, visitRequest } from '../../../test/scheduling.ts';
import { DAY, HOUR, later, MINUTE } from '../../platform/clock.ts';
import { addDays, localDay, localMinutes, weekdayOf } from '../../platform/time-zone.ts';
import type { ProviderVisit, SchedulingProviderName, VisitLocation, VisitSlot } from './port.ts';
import { createSimulatedSchedulingProvider } from './simulated.ts';

const now = new Date('2026-03-02T15:00:00Z');
const DAYS = 14;

const slotsAt = async (
  place: VisitLocation,
  {
    provider = 'quest' as SchedulingProviderName,
    from = '2026-03-02',
    at = now,
    days = DAYS,
    seed = 'aliquot',
  } = {},
): Promise<readonly VisitSlot[]> => {
  const simulated = createSimulatedSchedulingProvider(provider, { seed });
  const [answer] = await simulated.availability({ places: [place], from, days, now: at });
  return answer?.slots ?? [];
};

/** Open around the clock, every day: nothing is left out because it is closed. */
const ALWAYS = Array.from({ length: 7 }, () => [{ opens: '00:00', closes: '24:00' }]);

/** The local times of all slots of a day. Many seeds are combined, because each slot is free for some seed. */
async function wallOf(timeZone: string, day: string): Promise<Map<number, Set<string>>> {
  const times = new Map<number, Set<string>>();
  for (let seed = 0; seed < 40; seed += 1) {
    const at = new Date(`${addDays(day, -3)}T00:00:00Z`);
    const place = site({ timeZone, hours: ALWAYS });
    for (const { startAt } of await slotsAt(place, { from: day, days: 1, at, seed: String(seed) })) {
      const minutes = localMinutes(timeZone, startAt);
      times.set(minutes, (times.get(minutes) ?? new Set()).add(startAt.toISOString()));
    }
  }
  return times;
}

describe('slots on daylight saving days', () => {
  const everyQuarter = (from: number, until: number) =>
    Array.from({ length: (until - from) / 15 }, (_, n) => from + n * 15);

  // prettier-ignore
  const rows: [zone: string, day: string, missing: readonly number[], noon: string][] = [
    ['America/New_York',  '2026-03-08', everyQuarter(120, 180), '2026-03-08T16:00:00.000Z'],
    ['America/New_York',  '2026-11-01', [],                     '2026-11-01T17:00:00.000Z'],
    ['America/Anchorage', '2026-03-08', everyQuarter(120, 180), '2026-03-08T20:00:00.000Z'],
    ['America/Anchorage', '2026-11-01', [],                     '2026-11-01T21:00:00.000Z'],
    ['America/Phoenix',   '2026-03-08', [],                     '2026-03-08T19:00:00.000Z'],
    ['America/Phoenix',   '2026-11-01', [],                     '2026-11-01T19:00:00.000Z'],
    ['Pacific/Honolulu',  '2026-03-08', [],                     '2026-03-08T22:00:00.000Z'],
    ['Pacific/Honolulu',  '2026-11-01', [],                     '2026-11-01T22:00:00.000Z'],
  ];
  it.each(rows)(
    '%s, %s: each time once, and none that the wall does not show',
    async (zone, day, missing, noon) => {
      const times = await wallOf(zone, day);
      const expected = everyQuarter(0, 1440).filter((minutes) => !missing.includes(minutes));
      expect([...times.keys()].toSorted((a, b) => a - b)).toEqual(expected);
      for (const moments of times.values()) expect(moments.size).toBe(1);
      expect([...(times.get(720) ?? [])]).toEqual([noon]);
    },
  );

  it('use the first occurrence of a repeated time, in UTC', async () => {
    const times = await wallOf('America/New_York', '2026-11-01');
    expect([...(times.get(90) ?? [])]).toEqual(['2026-11-01T05:30:00.000Z']);
    expect([...(times.get(120) ?? [])]).toEqual(['2026-11-01T07:00:00.000Z']);
  });
});

const ZONES = [
  'America/New_York',
  'America/Phoenix',
  'Pacific/Honolulu',
  'America/Anchorage',
  'America/Chicago',
];

describe('the slots of any location', () => {
  const places = fc
    .record({
      timeZone: fc.constantFrom(...ZONES),
      code: fc.stringMatching(/^[A-Z0-9]{3,8}$/),
      opens: fc.integer({ min: 0, max: 20 }),
      length: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ timeZone, code, opens, length }) => {
      const time = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
      const hours = Array.from({ length: 7 }, (_, day) =>
        day === 6 ? [] : [{ opens: time(opens), closes: time(opens + length) }],
      );
      return site({ timeZone, code, hours });
    });
  const asked = fc.record({
    place: places,
    provider: fc.constantFrom('quest' as const, 'sonora_quest' as const, 'getlabs' as const),
    at: fc.date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true }),
    ahead: fc.integer({ min: 0, max: 30 }),
  });

  it('are within opening hours and 14 days, in the future, without overlap, with capacity', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ place, provider, at, ahead }) => {
        const from = addDays(localDay(place.timeZone, at), ahead);
        const slots = await slotsAt(place, { provider, from, at });
        const until = addDays(from, DAYS);
        let last = new Date(0);
        for (const { startAt, endAt, places: free, price } of slots) {
          const day = localDay(place.timeZone, startAt);
          const [hours] = place.hours?.[weekdayOf(day) - 1] ?? [];
          const [opens, closes] = [Number(hours?.opens.slice(0, 2)), Number(hours?.closes.slice(0, 2))];
          expect(day >= from && day < until).toBe(true);
          expect(startAt > at).toBe(true);
          expect(startAt >= last && endAt > startAt).toBe(true);
          expect(localMinutes(place.timeZone, startAt)).toBeGreaterThanOrEqual(opens * 60);
          const end = localMinutes(place.timeZone, new Date(endAt.getTime() - 1));
          expect(end).toBeLessThan(closes * 60);
          expect(free).toBeGreaterThan(0);
          expect(price).toBeGreaterThanOrEqual(0);
          last = endAt;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('span exactly 14 days', async () => {
    const slots = await slotsAt(site({ hours: ALWAYS }), { from: '2026-03-10' });
    const days = [...new Set(slots.map(({ startAt }) => localDay('America/New_York', startAt)))];
    expect(days).toEqual(Array.from({ length: DAYS }, (_, n) => addDays('2026-03-10', n)));
  });

  it('are deterministic, and differ by seed and location', async () => {
    const slots = await slotsAt(site());
    expect(await slotsAt(site())).toEqual(slots);
    const tomorrow = later(now, DAY);
    expect(await slotsAt(site(), { at: tomorrow })).toEqual(
      slots.filter(({ startAt }) => startAt > tomorrow),
    );
    const timesOf = (some: readonly VisitSlot[]) =>
      some.map(({ startAt, places: free }) => `${startAt.toISOString()} ${free}`);
    expect(timesOf(await slotsAt(site({ code: 'NYC02' })))).not.toEqual(timesOf(slots));
    expect(timesOf(await slotsAt(site(), { seed: 'other' }))).not.toEqual(timesOf(slots));
    expect(new Set(slots.map(({ slotId }) => slotId)).size).toBe(slots.length);
  });

  it('are full in the configured share, with varying capacity', async () => {
    const all = 10 * 32 + 2 * 16;
    const slots = await slotsAt(site({ hours: HOURS }), { from: '2026-03-03' });
    expect(slots.length / all).toBeGreaterThan(0.5);
    expect(slots.length / all).toBeLessThan(0.8);
    expect(new Set(slots.map(({ places: free }) => free))).toEqual(new Set([1, 2, 3, 4]));
  });

  it('at home have a surcharge before 7 a.m. and on weekends', async () => {
    const slots = await slotsAt(home(), { provider: 'getlabs' });
    const dear = slots.filter(({ isPriority }) => isPriority);
    for (const { startAt, price } of dear) {
      const isEarly = localMinutes('America/New_York', startAt) < 7 * 60;
      expect(isEarly || weekdayOf(localDay('America/New_York', startAt)) === 6).toBe(true);
      expect(price).toBeGreaterThan(0);
    }
    expect(dear.length).toBeGreaterThan(0);
    expect(slots.every(({ price, isPriority }) => isPriority || price === 0)).toBe(true);
    expect((await slotsAt(site())).every(({ price }) => price === 0)).toBe(true);
  });

  it('are empty for a full location, and unavailable for one that is down', async () => {
    expect(await slotsAt(home('99927'), { provider: 'getlabs' })).toEqual([]);
    expect(await slotsAt(site({ code: 'QST-AK-04' }))).toEqual([]);
    await expect(slotsAt(home('99926'), { provider: 'getlabs' })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
});

describe('a simulated provider', () => {
  it('serves every civilian ZIP code', () => {
    const getlabs = createSimulatedSchedulingProvider('getlabs');
    for (const zip of ['00501', '00901', '10001', '60601-1234', '96813', '99950'])
      expect(getlabs.serves(zip)).toBe(true);
    for (const zip of ['', '1000', '00000', '00500', '09012', '34012', '96201', '10001-1'])
      expect(getlabs.serves(zip)).toBe(false);
  });

  it('is stateless: another process answers the same and continues from the last response', async () => {
    const [slot] = await slotsAt(site());
    if (!slot) throw new Error('There is no slot');
    const booked = await createSimulatedSchedulingProvider('quest').book(slotBookingRequest('a1', slot));
    expect(
      await createSimulatedSchedulingProvider('quest').book(
        slotBookingRequest('a1', slot, { now: later(now, MINUTE) }),
      ),
    ).toEqual(booked);
    const look = (last: ProviderVisit | undefined, at: Date) =>
      createSimulatedSchedulingProvider('quest').look({ appointmentId: 'a1', last, now: at });
    expect(await look(undefined, now)).toBeUndefined();
    expect(await look(booked as ProviderVisit, now)).toEqual(booked);
    // prettier-ignore
    const story: [Date, ProviderVisit['status']][] = [
      [later(slot.startAt, -1), 'confirmed'], [slot.startAt, 'in_progress'], [later(slot.endAt, -1), 'in_progress'], [slot.endAt, 'completed'],
    ];
    for (const [at, status] of story)
      expect(await look(booked as ProviderVisit, at)).toMatchObject({ status });
  });

  it('sets the time of a request hours later, in the daytime of a local working day', async () => {
    const phlebfinders = createSimulatedSchedulingProvider('phlebfinders');
    for (const [n, timeZone] of ZONES.entries()) {
      const asked = visitRequest(`r${n}`, { place: home('99501', { timeZone }) });
      const last = await phlebfinders.request(asked);
      expect(last).toMatchObject({ status: 'pending', startAt: null, endAt: null });
      const seen = (ms: number) =>
        phlebfinders.look({ appointmentId: asked.appointmentId, last, now: later(now, ms) });
      expect(await seen(2 * HOUR - 1)).toEqual(last);
      const set = await seen(7 * HOUR);
      expect(set).toMatchObject({ status: 'confirmed', providerId: last.providerId });
      const startAt = set?.startAt ?? now;
      expect(startAt > later(now, DAY) && startAt < later(now, 5 * DAY)).toBe(true);
      expect(weekdayOf(localDay(timeZone, startAt))).toBeLessThan(6);
      expect(localMinutes(timeZone, startAt)).toBeGreaterThanOrEqual(8 * 60);
      expect(localMinutes(timeZone, startAt)).toBeLessThan(17 * 60);
    }
  });

  it('delays the `slow` behavior and then answers normally', async () => {
    const [slot] = await slotsAt(site());
    if (!slot) throw new Error('There is no slot');
    const started = performance.now();
    const slow = createSimulatedSchedulingProvider('quest', { slowMs: 30 });
    expect(await slow.book(slotBookingRequest('s1', slot, { lastName: 'ProviderSlow' }))).toMatchObject({
      status: 'confirmed',
    });
    expect(performance.now() - started).toBeGreaterThan(25);
  });
});
