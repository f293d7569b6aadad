import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { openCuttableProxy, type CuttableProxy } from '../../../test/cuttable-proxy.ts';
import { home, site } from '../../../test/scheduling.ts';
import { bookAppointment, orderFor, appointmentPath, overrideProvider } from '../../../test/appointments.ts';
import {
  startSchedulingSimulator,
  type SchedulingSimulator,
} from '../../adapters/scheduling/simulator-server.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { addDays, localDay } from '../../platform/time-zone.ts';
import { getAvailability, refreshAvailability, type SlotAvailabilityQuery } from './availability.ts';

const TOKEN = 'token-of-a-simulator';

let service: TestService;
let simulator: SchedulingSimulator;
let line: CuttableProxy;
beforeAll(async () => {
  simulator = await startSchedulingSimulator({ token: TOKEN });
  line = await openCuttableProxy(new URL(simulator.url('quest')));
  service = await openTestService({
    SCHEDULING_QUEST_URL: line.url('quest'),
    SCHEDULING_QUEST_TOKEN: TOKEN,
    SCHEDULING_GETLABS_URL: line.url('getlabs'),
    SCHEDULING_GETLABS_TOKEN: TOKEN,
  });
});
afterAll(async () => {
  await service.close();
  await line.close();
  await simulator.close();
});

/** Production asks the simulator behind its socket, which counts. */
const ask = (team: TestTeam, change: Partial<SlotAvailabilityQuery> = {}) =>
  getAvailability(service.app, team.tenant, {
    provider: 'quest',
    places: [site()],
    from: null,
    days: 14,
    allowStale: true,
    ...change,
  });

/** How often the provider was asked while this was done. */
const heardDuring = async (run: () => Promise<unknown>): Promise<number> => {
  const before = simulator.countRequests();
  await run();
  return simulator.countRequests() - before;
};

const rowsOf = async ({ tenant }: TestTeam) =>
  (
    await service.ownerPool.query<{ place_code: string; refreshed_at: Date }>(
      'select place_code, refreshed_at from kept_availability where team_id = $1 order by place_code',
      [tenant.teamId],
    )
  ).rows;

const timersOf = async ({ tenant }: TestTeam) =>
  (
    await service.ownerPool.query<{ due_at: Date }>(
      "select due_at from timer where team_id = $1 and job = 'availability.refresh'",
      [tenant.teamId],
    )
  ).rows;

/** Lets a minute pass, and whatever comes due in it be done. */
const minute = async () => {
  service.clock.move(MINUTE);
  await service.settle();
};

afterEach(async () => {
  // So that no round of one test falls into the next.
  await service.ownerPool.query("delete from timer where job = 'availability.refresh'");
});

describe('availability', () => {
  it('is queried each time, unless stale slots are allowed', async () => {
    const team = await service.team('production');
    const one = await ask(team, { allowStale: false });
    expect(await heardDuring(() => ask(team, { allowStale: false }))).toBe(1);
    expect(one).toMatchObject({ isCached: false, asOf: service.clock.now() });
    expect(await rowsOf(team)).toEqual([]);
    expect(await heardDuring(() => ask(team))).toBe(1);
    const kept = await ask(team);
    expect(kept).toEqual({ ...one, isCached: true });
    expect(await heardDuring(() => ask(team))).toBe(0);
  });

  it('from the cache omits slots that have begun, and contains only the requested days', async () => {
    const team = await service.team('production');
    const start = service.clock.now();
    await ask(team);
    service.clock.move(MINUTE);
    for (const days of [1, 3, 14]) {
      for (const ahead of [0, 2, 7]) {
        const from = addDays(localDay('America/New_York', start), ahead);
        const [fresh, kept] = [
          await ask(team, { from, days, allowStale: false }),
          await ask(team, { from, days }),
        ];
        expect(kept.isCached).toBe(true);
        expect(kept.places).toEqual(fresh.places);
      }
    }
  });

  it('is fresh for two minutes on the tenant’s clock', async () => {
    const team = await service.team('production');
    const asOf = service.clock.now();
    await ask(team);
    line.cut();
    try {
      const seen: (string | boolean)[] = [];
      for (const ms of [0, 30 * SECOND, 30 * SECOND, MINUTE - 1, 1, 1, HOUR]) {
        service.clock.move(ms);
        await service.settle();
        seen.push(
          await ask(team).then(
            (answer) => answer.isCached && answer.asOf.getTime() === asOf.getTime(),
            (error: DomainError) => error.kind,
          ),
        );
      }
      expect(seen).toEqual([true, true, true, true, true, 'unavailable', 'unavailable']);
    } finally {
      line.restore();
    }
    await minute();
    expect(await ask(team)).toMatchObject({ isCached: true, asOf: service.clock.now() });
  });

  it('is refreshed every minute for a day after the last request', async () => {
    const team = await service.team('production');
    await ask(team);
    for (let n = 0; n < 2; n += 1) {
      expect(await heardDuring(minute)).toBe(1);
      expect(await rowsOf(team)).toMatchObject([{ refreshed_at: service.clock.now() }]);
    }
    expect(await heardDuring(() => ask(team))).toBe(0);
    service.clock.move(DAY - 3 * MINUTE);
    await service.settle();
    expect(await rowsOf(team)).toHaveLength(1);
    // It was wanted again meanwhile, though it was not written down to the minute.
    await ask(team);
    service.clock.move(DAY - 2 * MINUTE);
    await service.settle();
    expect(await rowsOf(team)).toHaveLength(1);
    service.clock.move(3 * MINUTE);
    await service.settle();
    expect([await rowsOf(team), await timersOf(team)]).toEqual([[], []]);
    expect(await heardDuring(minute)).toBe(0);
  });

  it('is not refreshed during the pause that the provider asks for', async () => {
    const team = await service.team();
    await ask(team);
    let asked = 0;
    const restore = overrideProvider(service, 'quest', () => ({
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

  it('comes from the cache for all places or for none', async () => {
    const team = await service.team('production');
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

  it('queries the provider once for concurrent cache misses', async () => {
    const team = await service.team('production');
    const answers = Promise.all(Array.from({ length: 30 }, () => ask(team)));
    expect(await heardDuring(() => answers)).toBe(1);
    const [first, ...others] = await answers;
    for (const other of others) expect(other.places).toEqual(first?.places);
    expect(await timersOf(team)).toHaveLength(1);
  });

  it('is not shared between teams', async () => {
    const [one, other] = [await service.team('production'), await service.team('production')];
    await ask(one);
    expect((await ask(other)).isCached).toBe(false);
  });

  it('is queried again when the place has changed', async () => {
    const team = await service.team('production');
    await ask(team);
    const shorter = site({ hours: Array.from({ length: 7 }, () => [{ opens: '10:00', closes: '11:00' }]) });
    service.clock.move(1);
    expect((await ask(team, { places: [shorter] })).isCached).toBe(false);
    expect((await ask(team, { places: [shorter] })).isCached).toBe(true);
    expect(await rowsOf(team)).toHaveLength(1);
  });

  it('is not cached for homes or for days too far ahead', async () => {
    const team = await service.team('production');
    const getlabs = { provider: 'getlabs', places: [home()] } as const;
    await ask(team, getlabs);
    expect((await ask(team, getlabs)).isCached).toBe(false);
    const from = addDays(localDay('America/New_York', service.clock.now()), 8);
    await ask(team, { from });
    expect((await ask(team, { from })).isCached).toBe(false);
    expect(await rowsOf(team)).toEqual([]);
  });

  it('is cached for the two hundred most recently requested places', async () => {
    const team = await service.team('production');
    const hours = Array.from({ length: 7 }, () => [{ opens: '10:00', closes: '10:30' }]);
    const named = (n: number) => site({ code: `S${n}`, hours });
    for (let batch = 0; batch < 6; batch += 1) {
      await ask(team, { places: Array.from({ length: 40 }, (_, n) => named(batch * 40 + n)) });
      service.clock.move(1);
    }
    expect(await rowsOf(team)).toHaveLength(200);
    expect((await ask(team, { places: [named(239)] })).isCached).toBe(true);
    expect((await ask(team, { places: [named(0)] })).isCached).toBe(false);
    expect(await heardDuring(minute)).toBe(10);
  });

  it('begins with the local day of each place', async () => {
    const team = await service.team('production');
    const hour = HOUR - (service.clock.now().getTime() % HOUR);
    service.clock.move(hour);
    const places = [site({ code: 'EAST' }), site({ code: 'WEST', timeZone: 'Pacific/Honolulu' })];
    for (let n = 0; n < 24; n += 3) {
      service.clock.move(3 * HOUR);
      for (const { place, slots } of (await ask(team, { places })).places) {
        const today = localDay(place.timeZone, service.clock.now());
        const days = slots.map(({ startAt }) => localDay(place.timeZone, startAt));
        expect(days.every((day) => day >= today && day < addDays(today, 14))).toBe(true);
        expect(days.toSorted().at(-1)?.localeCompare(addDays(today, 11))).toBeGreaterThan(0);
      }
    }
  });

  it('is unavailable without a connected provider', async () => {
    const team = await service.team('production');
    await expect(ask(team, { provider: 'sonora_quest' })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await ask(team, { places: [] })).toMatchObject({ places: [], isCached: false });
  });

  it('in a sandbox expires by the sandbox clock', async () => {
    const team = await service.team();
    await ask(team);
    expect((await ask(team)).isCached).toBe(true);
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    const moved = await team.management.post(path, { advance_seconds: 5 * 60 });
    expect(moved.status).toBe(200);
    expect((await ask(team)).asOf).toEqual(later(service.clock.now(), 5 * MINUTE));
  });

  it('does not hold back a sandbox clock that is moved far ahead', async () => {
    const team = await service.team();
    const clock = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`;
    const id = await orderFor(team, 'phlebotomy');
    const { json: visit } = await bookAppointment(team, 'phlebotomy', id);
    await ask(team);
    let asked = 0;
    const restore = overrideProvider(service, 'quest', (own) => ({
      availability: (places) => ((asked += 1), own.availability(places)),
    }));
    await team.management.post(clock, { advance_seconds: (20 * MINUTE) / SECOND });
    restore();
    expect(asked).toBe(1);
    await team.management.post(clock, { advance_seconds: (30 * DAY) / SECOND });
    const { events } = (await team.get(appointmentPath('phlebotomy', id))).json;
    expect(events.slice(1)).toMatchObject([
      { status: 'in_progress', created_at: visit.start_at },
      { status: 'completed', created_at: visit.end_at },
    ]);
  });

  it('is cached again after a wrong clock was corrected', async () => {
    const team = await service.team('production');
    service.clock.move(30 * MINUTE);
    await ask(team);
    service.clock.move(-30 * MINUTE);
    expect(await ask(team)).toMatchObject({ isCached: false, asOf: service.clock.now() });
    expect((await ask(team)).isCached).toBe(true);
    expect(await timersOf(team)).toMatchObject([{ due_at: later(service.clock.now(), MINUTE) }]);
  });

  it('is refreshed by one round even if it runs repeatedly, and by a new one if a round was lost', async () => {
    const team = await service.team('production');
    await ask(team);
    const run = () => refreshAvailability.run(service.app, team.tenant, { provider: 'quest' });
    await Promise.all([run(), run(), run()]);
    expect(await timersOf(team)).toHaveLength(1);
    await service.ownerPool.query("delete from timer where team_id = $1 and job = 'availability.refresh'", [
      team.tenant.teamId,
    ]);
    service.clock.move(2 * MINUTE + 1);
    await ask(team);
    expect(await timersOf(team)).toHaveLength(0);
    service.clock.move(3 * MINUTE);
    await ask(team);
    expect(await timersOf(team)).toHaveLength(1);
  });

  it('from the cache equals the provider’s answer for any query', async () => {
    const team = await service.team('production');
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
        const from = addDays(localDay('America/New_York', service.clock.now()), ahead);
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
