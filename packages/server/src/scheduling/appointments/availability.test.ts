import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import {
  requestAvailability,
  home,
  orderFor,
  overrideProvider,
  type AvailabilityDay,
} from '../../../test/appointments.ts';
import { DAY } from '../../platform/clock.ts';

const service = useTestService();
const team = useTestTeam(service);

const centers = (query: string, of = team) => of.post(`/v3/order/psc/appointment/availability?${query}`);
const localDate = (moment: string, timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(moment));

/** Every day of an answer once for each place, in order, with its slots on that day there. */
function checkDays(days: AvailabilityDay[], zoneOf: (day: AvailabilityDay) => string, first: string): void {
  const places = new Map<string, AvailabilityDay[]>();
  for (const day of days) {
    const code = day.location?.code ?? 'home';
    places.set(code, [...(places.get(code) ?? []), day]);
  }
  for (const own of places.values()) {
    const dates = own.map(({ date }) => date);
    const wanted = Array.from({ length: 14 }, (_, index) =>
      new Date(Date.parse(`${first}T00:00:00Z`) + index * DAY).toISOString().slice(0, 10),
    );
    expect(dates).toEqual(wanted);
    for (const day of own) {
      for (const slot of day.slots) {
        expect([slot.start, localDate(slot.start, zoneOf(day))]).toEqual([slot.start, day.date]);
        expect(slot.start).toMatch(/\+00:00$/);
      }
    }
    expect(own.some(({ slots }) => slots.length > 0)).toBe(true);
  }
}

describe('the availability of centers', () => {
  it('lists 14 local days per center, also across a DST change', async () => {
    // The clocks go forward on March 8.
    const answer = await centers('lab=quest&zip_code=94104&radius=10');
    const days: AvailabilityDay[] = answer.json.slots;
    checkDays(days, ({ location }) => location?.iana_timezone ?? '', '2026-03-02');
    expect(answer.json.timezone).toBe('America/Los_Angeles');
    expect(days[0]?.location).toMatchObject({
      distance: expect.any(Number),
      iana_timezone: answer.json.timezone,
    });
    const miles = days.map(({ location }) => location?.distance ?? 0);
    expect(miles).toEqual(miles.toSorted((a, b) => a - b));
    expect(Math.max(...miles)).toBeLessThanOrEqual(10);
  });

  it('lists centers in several time zones, each with its own days', async () => {
    const answer = await centers('lab=quest&site_codes=QST-NY-01&site_codes=QST-CA-05');
    const zones = new Set(answer.json.slots.map(({ location }: AvailabilityDay) => location?.iana_timezone));
    expect([...zones]).toEqual(['America/New_York', 'America/Los_Angeles']);
    checkDays(answer.json.slots, ({ location }) => location?.iana_timezone ?? '', '2026-03-02');
  });

  it('starts on the requested day', async () => {
    const answer = await centers('lab=quest&site_codes=QST-CA-05&start_date=2026-10-26');
    expect(answer.json.slots).toHaveLength(14);
    checkDays(answer.json.slots, () => 'America/Los_Angeles', '2026-10-26');
  });

  it('is found near the patient of an order', async () => {
    const id = await orderFor(team, 'psc', { to: null });
    const byOrder = await centers(`lab=quest&order_id=${id}&radius=10`);
    const byZip = await centers('lab=quest&zip_code=94104&radius=10');
    const codes = (answer: typeof byZip) =>
      answer.json.slots.map(({ location }: AvailabilityDay) => location?.code);
    expect(codes(byOrder)).toEqual(codes(byZip));
    const stranger = await service.team();
    expect((await centers(`lab=quest&order_id=${id}`, stranger)).status).toBe(404);
    expect((await centers(`lab=sonora_quest&order_id=${id}`)).status).toBe(400);
  });

  it('is answered from the cache with allow_stale', async () => {
    const query = 'lab=quest&site_codes=QST-CA-05&allow_stale=true';
    const times = (json: { slots: AvailabilityDay[] }) =>
      json.slots.flatMap(({ slots }) => slots.map(({ start }) => start));
    const fresh = await centers(query);
    const kept = await centers(query);
    expect(times(kept.json)).toEqual(times(fresh.json));
  });

  // prettier-ignore
  it.each([
    ['no place',            'lab=quest',                                                       422],
    ['no laboratory',       'zip_code=94104',                                                  422],
    ['another laboratory',  'lab=labcorp&zip_code=94104',                                      422],
    ['four centers',        'lab=quest&site_codes=A&site_codes=B&site_codes=C&site_codes=D',   422],
    ['an unknown center',   'lab=quest&site_codes=QST-CA-05&site_codes=NONE',                  404],
    ['a center of another', 'lab=sonora_quest&site_codes=QST-CA-05',                           404],
    ['an unknown ZIP code', 'lab=quest&zip_code=00000',                                        404],
    ['half a ZIP code',     'lab=quest&zip_code=941',                                          422],
    ['another radius',      'lab=quest&zip_code=94104&radius=30',                              422],
    ['a day that is past',  'lab=quest&zip_code=94104&start_date=2026-03-01',                  422],
    ['a day far away',      'lab=quest&zip_code=94104&start_date=2028-03-01',                  422],
    ['no day',              'lab=quest&zip_code=94104&start_date=soon',                        422],
  ])('is refused with %s', async (_name, query, status) => {
    const answer = await centers(query);
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  });
});

describe('the availability of phlebotomists', () => {
  it('is 14 days in the time zone of the address', async () => {
    const answer = await requestAvailability(team, 'phlebotomy', '?start_date=2026-03-05');
    expect(answer.json.timezone).toBe('America/Los_Angeles');
    checkDays(answer.json.slots, () => 'America/Los_Angeles', '2026-03-05');
    expect(answer.json.slots.every(({ location }: AvailabilityDay) => location === null)).toBe(true);
  });

  it.each(['99501', '96813', '82001', '04101-1234'])('is there for %s, too', async (zip_code) => {
    const path = '/v3/order/phlebotomy/appointment/availability';
    const answer = await team.post(path, { ...home, zip_code });
    expect(answer.status).toBe(200);
    expect(answer.json.slots).toHaveLength(14);
  });

  it('lists 14 days without slots if no provider with slots serves the address', async () => {
    const restore = overrideProvider(service, 'getlabs', () => ({ serves: () => false }));
    const { json } = await requestAvailability(team, 'phlebotomy', '?start_date=2026-03-05');
    restore();
    expect(json.timezone).toBe('America/Los_Angeles');
    const days = Array.from({ length: 14 }, (_, index) => String(index + 5).padStart(2, '0'));
    expect(json.slots).toEqual(days.map((day) => ({ location: null, date: `2026-03-${day}`, slots: [] })));
  });

  it.each([{ second_line: null }, { second_line: '' }])(
    'tells the provider the second line under its older name, too: %j',
    async (more) => {
      const lines: unknown[] = [];
      const restore = overrideProvider(service, 'getlabs', (own) => ({
        availability: (wanted) => {
          lines.push(...wanted.places.map(({ address }) => address.secondLine));
          return own.availability(wanted);
        },
      }));
      const path = '/v3/order/phlebotomy/appointment/availability';
      expect((await team.post(path, { ...home, unit: 'Apt 9', ...more })).status).toBe(200);
      restore();
      expect(lines).toEqual(['Apt 9']);
    },
  );

  // prettier-ignore
  it.each([
    ['a ZIP code that is nowhere', '',                       { zip_code: '00000' }, 404],
    ['half a ZIP code',            '',                       { zip_code: '941' },   422],
    ['no city',                    '',                       { city: undefined },   422],
    ['a day that is past',         '?start_date=2026-02-27', {},                    422],
  ])('is refused for %s', async (_name, query, more, status) => {
    const path = `/v3/order/phlebotomy/appointment/availability${query}`;
    expect((await team.post(path, { ...home, ...more })).status).toBe(status);
  });

  it('is the same for every caller with a valid key', async () => {
    const path = '/v3/order/phlebotomy/appointment/availability';
    expect((await service.client({}).post(path, home)).status).toBe(401);
  });
});
