import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { openLine, type Line } from '../../../test/line.ts';
import { home, site } from '../../../test/scheduling.ts';
import { book, orderFor, pathOf, standIn } from '../../../test/visits.ts';
import { openSimulator, type SimulatorServer } from '../../adapters/scheduling/simulator-server.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { dayAfter, localDay } from '../../platform/time-zone.ts';
import { availabilityOf, refreshAvailability, type AvailabilityWanted } from './availability.ts';

const TOKEN = 'token-of-a-simulator';

let house: House;
let simulator: SimulatorServer;
let line: Line;
beforeAll(async () => {
  simulator = await openSimulator({ token: TOKEN });
  line = await openLine(new URL(simulator.url('quest')));
  house = await openHouse({
    SCHEDULING_QUEST_URL: line.url('quest'),
    SCHEDULING_QUEST_TOKEN: TOKEN,
    SCHEDULING_GETLABS_URL: line.url('getlabs'),
    SCHEDULING_GETLABS_TOKEN: TOKEN,
  });
});
afterAll(async () => {
  await house.close();
  await line.close();
  await simulator.close();
});

/** Production asks the simulator behind its socket, which counts. */
const ask = (team: TeamInHand, change: Partial<AvailabilityWanted> = {}) =>
  availabilityOf(house.app, team.tenant, {
    provider: 'quest',
    places: [site()],
    from: null,
    days: 14,
    allowStale: true,
    ...change,
  });

/** How often the provider was asked while this was done. */
const heardDuring = async (run: () => Promise<unknown>): Promise<number> => {
  const before = simulator.heard();
  await run();
  return simulator.heard() - before;
};

const rowsOf = async ({ tenant }: TeamInHand) =>
  (
    await house.owner.query<{ place_code: string; refreshed_at: Date }>(
      'select place_code, refreshed_at from kept_availability where team_id = $1 order by place_code',
      [tenant.teamId],
    )
  ).rows;

const timersOf = async ({ tenant }: TeamInHand) =>
  (
    await house.owner.query<{ due_at: Date }>(
      "select due_at from timer where team_id = $1 and job = 'availability.refresh'",
      [tenant.teamId],
    )
  ).rows;

/** Lets a minute pass, and whatever comes due in it be done. */
const minute = async () => {
  house.clock.move(MINUTE);
  await house.settle();
};

afterEach(async () => {
  // So that no round of one test falls into the next.
  await house.owner.query("delete from timer where job = 'availability.refresh'");
});

describe('availability', () => {
  it('is asked for each time, unless it may be a little old', async () => {
    const team = await house.team('production');
    const one = await ask(team, { allowStale: false });
    expect(await heardDuring(() => ask(team, { allowStale: false }))).toBe(1);
    expect(one).toMatchObject({ isCached: false, asOf: house.clock.now() });
    expect(await rowsOf(team)).toEqual([]);
    expect(await heardDuring(() => ask(team))).toBe(1);
    const kept = await ask(team);
    expect(kept).toEqual({ ...one, isCached: true });
    expect(await heardDuring(() => ask(team))).toBe(0);
  });

  it('of kept places leaves out what has begun, and keeps to the days', async () => {
    const team = await house.team('production');
    const start = house.clock.now();
    await ask(team);
    house.clock.move(MINUTE);
    for (const days of [1, 3, 14]) {
      for (const ahead of [0, 2, 7]) {
        const from = dayAfter(localDay('America/New_York', start), ahead);
        const [fresh, kept] = [
          await ask(team, { from, days, allowStale: false }),
          await ask(team, { from, days }),
        ];
        expect(kept.isCached).toBe(true);
        expect(kept.places).toEqual(fresh.places);
      }
    }
  });

  it('is fresh for two minutes of the tenant’s clock, and not longer', async () => {
    const team = await house.team('production');
    const asOf = house.clock.now();
    await ask(team);
    line.cut();
    try {
      const seen: (string | boolean)[] = [];
      for (const ms of [0, 30 * SECOND, 30 * SECOND, MINUTE - 1, 1, 1, HOUR]) {
        house.clock.move(ms);
        await house.settle();
        seen.push(
          await ask(team).then(
            (answer) => answer.isCached && answer.asOf.getTime() === asOf.getTime(),
            (error: DomainError) => error.kind,
          ),
        );
      }
      expect(seen).toEqual([true, true, true, true, true, 'unavailable', 'unavailable']);
    } finally {
      line.mend();
    }
    await minute();
    expect(await ask(team)).toMatchObject({ isCached: true, asOf: house.clock.now() });
  });

  it('is refreshed every minute for a day after it was last wanted', async () => {
    const team = await house.team('production');
    await ask(team);
    for (let n = 0; n < 2; n += 1) {
      expect(await heardDuring(minute)).toBe(1);
      expect(await rowsOf(team)).toMatchObject([{ refreshed_at: house.clock.now() }]);
    }
    expect(await heardDuring(() => ask(team))).toBe(0);
    house.clock.move(DAY - 3 * MINUTE);
    await house.settle();
    expect(await rowsOf(team)).toHaveLength(1);
    // It was wanted again meanwhile, though it was not written down to the minute.
    await ask(team);
    house.clock.move(DAY - 2 * MINUTE);
    await house.settle();
    expect(await rowsOf(team)).toHaveLength(1);
    house.clock.move(3 * MINUTE);
    await house.settle();
    expect([await rowsOf(team), await timersOf(team)]).toEqual([[], []]);
    expect(await heardDuring(minute)).toBe(0);
  });

  it('is not refreshed while the provider wants to be left alone', async () => {
    const team = await house.team();
    await ask(team);
    let asked = 0;
    const restore = standIn(house, 'quest', () => ({
      availability: async () => {
        asked += 1;
        throw new DomainError('unavailable', 'Too many at once', 600);
      },
    }));
    for (let minutes = 0; minutes < 10; minutes += 1) await minute();
    expect(asked).toBe(1);
    await minute();
    expect(asked).toBe(2);
    restore();
    for (let minutes = 0; minutes < 10; minutes += 1) await minute();
    expect(await ask(team)).toMatchObject({ isCached: true });
  });

  it('comes from what is kept for all places or for none', async () => {
    const team = await house.team('production');
    const places = ['A', 'B', 'C'].map((code) => site({ code }));
    await ask(team, { places: places.slice(0, 2) });
    expect((await ask(team, { places: places.slice(1, 2) })).isCached).toBe(true);
    const all = await ask(team, { places });
    expect(all).toMatchObject({ isCached: false });
    expect(all.places.map(({ place }) => place.code)).toEqual(['A', 'B', 'C']);
    const reversed = await ask(team, { places: places.toReversed() });
    expect(reversed).toMatchObject({ isCached: true });
    expect(reversed.places).toEqual(all.places.toReversed());
  });

  it('asks the provider once for many who miss at once', async () => {
    const team = await house.team('production');
    const answers = Promise.all(Array.from({ length: 30 }, () => ask(team)));
    expect(await heardDuring(() => answers)).toBe(1);
    const [first, ...others] = await answers;
    for (const other of others) expect(other.places).toEqual(first?.places);
    expect(await timersOf(team)).toHaveLength(1);
  });

  it('of one team is not another’s', async () => {
    const [one, other] = [await house.team('production'), await house.team('production')];
    await ask(one);
    expect((await ask(other)).isCached).toBe(false);
  });

  it('is asked for anew when the place is not as it was', async () => {
    const team = await house.team('production');
    await ask(team);
    const shorter = site({ hours: Array.from({ length: 7 }, () => [{ opens: '10:00', closes: '11:00' }]) });
    house.clock.move(1);
    expect((await ask(team, { places: [shorter] })).isCached).toBe(false);
    expect((await ask(team, { places: [shorter] })).isCached).toBe(true);
    expect(await rowsOf(team)).toHaveLength(1);
  });

  it('is not kept of homes, nor of days too far ahead', async () => {
    const team = await house.team('production');
    const getlabs = { provider: 'getlabs', places: [home()] } as const;
    await ask(team, getlabs);
    expect((await ask(team, getlabs)).isCached).toBe(false);
    const from = dayAfter(localDay('America/New_York', house.clock.now()), 8);
    await ask(team, { from });
    expect((await ask(team, { from })).isCached).toBe(false);
    expect(await rowsOf(team)).toEqual([]);
  });

  it('is kept of two hundred places, those that were wanted last', async () => {
    const team = await house.team('production');
    const hours = Array.from({ length: 7 }, () => [{ opens: '10:00', closes: '10:30' }]);
    const named = (n: number) => site({ code: `S${n}`, hours });
    for (let batch = 0; batch < 6; batch += 1) {
      await ask(team, { places: Array.from({ length: 40 }, (_, n) => named(batch * 40 + n)) });
      house.clock.move(1);
    }
    expect(await rowsOf(team)).toHaveLength(200);
    expect((await ask(team, { places: [named(239)] })).isCached).toBe(true);
    expect((await ask(team, { places: [named(0)] })).isCached).toBe(false);
    expect(await heardDuring(minute)).toBe(10);
  });

  it('begins with each place’s own day', async () => {
    const team = await house.team('production');
    const hour = HOUR - (house.clock.now().getTime() % HOUR);
    house.clock.move(hour);
    const places = [site({ code: 'EAST' }), site({ code: 'WEST', timeZone: 'Pacific/Honolulu' })];
    for (let n = 0; n < 24; n += 3) {
      house.clock.move(3 * HOUR);
      for (const { place, slots } of (await ask(team, { places })).places) {
        const today = localDay(place.timeZone, house.clock.now());
        const days = slots.map(({ startAt }) => localDay(place.timeZone, startAt));
        expect(days.every((day) => day >= today && day < dayAfter(today, 14))).toBe(true);
        expect(days.toSorted().at(-1)?.localeCompare(dayAfter(today, 11))).toBeGreaterThan(0);
      }
    }
  });

  it('is nobody’s where no provider is connected', async () => {
    const team = await house.team('production');
    await expect(ask(team, { provider: 'sonora_quest' })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await ask(team, { places: [] })).toMatchObject({ places: [], isCached: false });
  });

  it('in a sandbox grows old by the sandbox’s clock', async () => {
    const team = await house.team();
    await ask(team);
    expect((await ask(team)).isCached).toBe(true);
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    const moved = await team.management.post(path, { advance_seconds: 5 * 60 });
    expect(moved.status).toBe(200);
    expect((await ask(team)).asOf).toEqual(later(house.clock.now(), 5 * MINUTE));
  });

  it('keeps no sandbox clock that goes far from what happens at its own time', async () => {
    const team = await house.team();
    const clock = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    const id = await orderFor(team, 'phlebotomy');
    const { json: visit } = await book(team, 'phlebotomy', id);
    await ask(team);
    let asked = 0;
    const restore = standIn(house, 'quest', (own) => ({
      availability: (places) => ((asked += 1), own.availability(places)),
    }));
    await team.management.post(clock, { advance_seconds: (20 * MINUTE) / SECOND });
    restore();
    expect(asked).toBe(1);
    await team.management.post(clock, { advance_seconds: (30 * DAY) / SECOND });
    const { events } = (await team.get(pathOf('phlebotomy', id))).json;
    expect(events.slice(1)).toMatchObject([
      { status: 'in_progress', created_at: visit.start_at },
      { status: 'completed', created_at: visit.end_at },
    ]);
  });

  it('is kept again when a clock was wrong and is put right', async () => {
    const team = await house.team('production');
    house.clock.move(30 * MINUTE);
    await ask(team);
    house.clock.move(-30 * MINUTE);
    expect(await ask(team)).toMatchObject({ isCached: false, asOf: house.clock.now() });
    expect((await ask(team)).isCached).toBe(true);
    expect(await timersOf(team)).toMatchObject([{ due_at: later(house.clock.now(), MINUTE) }]);
  });

  it('is refreshed by one round, however often one is run, and by another where one was lost', async () => {
    const team = await house.team('production');
    await ask(team);
    const run = () => refreshAvailability.run(house.app, team.tenant, { provider: 'quest' });
    await Promise.all([run(), run(), run()]);
    expect(await timersOf(team)).toHaveLength(1);
    await house.owner.query("delete from timer where team_id = $1 and job = 'availability.refresh'", [
      team.tenant.teamId,
    ]);
    house.clock.move(2 * MINUTE + 1);
    await ask(team);
    expect(await timersOf(team)).toHaveLength(0);
    house.clock.move(3 * MINUTE);
    await ask(team);
    expect(await timersOf(team)).toHaveLength(1);
  });

  it('from what is kept is what the provider says, whatever is asked for', async () => {
    const team = await house.team('production');
    const places = ['P1', 'P2', 'P3'].map((code, n) =>
      site({ code, timeZone: ['America/New_York', 'America/Phoenix', 'America/Anchorage'][n] ?? 'UTC' }),
    );
    await ask(team, { places });
    const asked = fc.record({
      some: fc.subarray(places, { minLength: 1 }),
      ahead: fc.integer({ min: 1, max: 7 }),
      days: fc.integer({ min: 1, max: 13 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ some, ahead, days }) => {
        const from = dayAfter(localDay('America/New_York', house.clock.now()), ahead);
        const kept = await ask(team, { places: some, from, days });
        expect(kept.isCached).toBe(true);
        expect(kept.places).toEqual(
          (await ask(team, { places: some, from, days, allowStale: false })).places,
        );
      }),
      { numRuns: 25 },
    );
  });
});
