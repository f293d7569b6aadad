import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { findSampleSpec, TIMESERIES_PATHS } from '../ingestion/ingestion.ts';
import { BODY_SAMPLES, NESTED_SAMPLES, PHONE_SAMPLES } from './resources.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

/** Values that are plausible where 20 is not. */
const VALUES: Readonly<Record<string, number>> = {
  stand_hour: 0,
  heart_rate_alert: 1,
  forced_vital_capacity: 5,
};
const METADATA: Readonly<Record<string, object>> = {
  heart_rate_alert: { type: 'irregular_rhythm' },
  sleep_breathing_disturbance: { category: 'elevated' },
};
const times = { start_date: '2026-03-02T09:00:00Z', end_date: '2026-03-02T09:05:00Z' };
const pushTo = async (url: string, data: unknown, more: object = {}) =>
  team.post(url, { stage: 'daily', provider: 'apple_health_kit', time_zone: 'UTC', data, ...more });

describe('each sample resource of the SDKs', () => {
  const units = Object.entries(PHONE_SAMPLES).flatMap(([name, { units: known }]) =>
    Object.entries(known).map(([unit, factor]): [string, string, number] => [name, unit, factor]),
  );
  it.each(units)('%s in %j is stored in the unit of its resource', async (name, unit, factor) => {
    const user = await team.user();
    const value = VALUES[name] ?? 20;
    const data = [{ value, unit, ...times, metadata: METADATA[name] ?? {} }];
    const { status, json } = await pushTo(`/v2/timeseries/${user}/${name}`, data);
    expect([status, json]).toMatchObject([200, { received: 1, created: 1, refused: [] }]);
    const { resource } = PHONE_SAMPLES[name] ?? { resource: 'steps' };
    expect(TIMESERIES_PATHS).toContain(resource);
    const read = await team.get(`/v2/timeseries/${user}/${resource}/grouped?start_date=2026-03-02`);
    const [sample] = read.json.groups.apple_health_kit[0].data;
    expect(sample).toMatchObject({
      unit: findSampleSpec(resource)?.unit,
      timestamp: '2026-03-02T09:00:00.000+00:00',
    });
    expect(sample.value).toBeCloseTo(value * factor, 6);
  });

  it('covers what bodies, activities, sleeps and workouts contain', () => {
    for (const name of Object.values(NESTED_SAMPLES)) expect(PHONE_SAMPLES).toHaveProperty(name);
    for (const { resource, units: known } of Object.values(BODY_SAMPLES))
      expect(known).toHaveProperty([findSampleSpec(resource)?.unit ?? '']);
  });
});

describe('a push of a phone', () => {
  it('is answered with 200 where nothing can be stored, and says why', async () => {
    const user = await team.user();
    const data = [
      { value: 1, unit: 'stone', ...times },
      { value: 'x', unit: 'bpm', ...times },
      { value: 900, unit: 'bpm', ...times },
    ];
    const { status, json } = await pushTo(`/v2/timeseries/${user}/heartrate`, data);
    expect(status).toBe(200);
    expect(json).toMatchObject({ received: 3, created: 0, refused_count: 3 });
    expect(json.refused.map(({ loc }: { loc: unknown[] }) => loc.at(-1))).toEqual(
      expect.arrayContaining(['unit', 'value']),
    );
  });

  it('of blood pressure is one measurement, with its pulse', async () => {
    const user = await team.user();
    const of = (value: number, unit = 'mmHg') => ({ value, unit, ...times });
    const data = [{ systolic: of(121), diastolic: of(79), pulse: of(66, 'bpm') }];
    expect((await pushTo(`/v2/timeseries/${user}/blood_pressure`, data)).json).toMatchObject({
      created: 2,
      refused: [],
    });
    const { json } = await team.get(`/v2/timeseries/${user}/blood_pressure/grouped?start_date=2026-03-02`);
    expect(json.groups.apple_health_kit[0].data).toMatchObject([
      { systolic: 121, diastolic: 79, unit: 'mmHg' },
    ]);
  });

  it.each([
    ['both parts', { active_energy_burned_sum: 300, basal_energy_burned_sum: 1200 }, 300, 1500],
    ['no basal part', { active_energy_burned_sum: 300 }, 300, null],
    ['no active part', { basal_energy_burned_sum: 1200 }, null, null],
  ])('of a day of activity with %s has a total only of both', async (_name, energy, active, total) => {
    const user = await team.user();
    const day = { calendar_date: '2026-03-02', steps_sum: 4000, ...energy };
    await pushTo(`/v2/summary/activity/${user}`, [{ day_summary: day }]);
    const { json } = await team.get(`/v2/summary/activity/${user}?start_date=2026-03-02`);
    expect(json.activity).toMatchObject([{ calories_active: active, calories_total: total }]);
  });

  it('of an unknown resource or provider is a 422', async () => {
    const user = await team.user();
    expect((await pushTo(`/v2/timeseries/${user}/brain_waves`, [])).status).toBe(422);
    expect((await pushTo(`/v2/timeseries/${user}/steps`, [], { provider: 'oura' })).status).toBe(422);
  });

  it('of meals, cycles and electrocardiograms is stored in the form of the contract', async () => {
    const user = await team.user();
    const gram = (value: number, unit: string) => [{ value, unit, ...times }];
    const meal = {
      healthkit: {
        source_bundle: 'com.example.food',
        energy_total: gram(500, 'kcal'),
        protein: gram(30, 'gram'),
        sodium: gram(800, 'mg'),
        vitamin_b12: gram(2, 'μg'),
      },
    };
    expect((await pushTo(`/v2/summary/meal/${user}`, [meal])).json).toMatchObject({
      created: 1,
      refused: [],
    });
    const [stored] = (await team.get(`/v2/summary/meal/${user}?start_date=2026-03-01`)).json.meals;
    expect(stored).toMatchObject({
      energy: { value: 500 },
      macros: { protein: 30 },
      micros: { minerals: { sodium: 0.8 } },
    });
    expect(stored.micros.vitamins.vitamin_b12).toBeCloseTo(2e-6, 12);
    const record = {
      start_time: times.start_date,
      end_time: times.end_date,
      energy: 200,
      total_carbohydrate: 40,
      meal_type: 1,
      metadata: {},
    };
    const collection = { health_connect: { source_bundle: 'com.example.food', nutrition_records: [record] } };
    expect(
      (await pushTo(`/v2/summary/meal/${user}`, [collection], { provider: 'health_connect' })).json,
    ).toMatchObject({ created: 1 });
    const cycle = {
      period_start: '2026-02-20',
      period_end: '2026-02-24',
      cycle_end: null,
      menstrual_flow: [{ date: '2026-02-20', flow: 'medium' }],
      source: { provider: 'apple_health_kit', type: 'phone' },
    };
    expect(
      (await pushTo(`/v2/summary/menstrual_cycle/${user}`, [{ source_bundle: 'com.apple.Health', cycle }]))
        .json,
    ).toMatchObject({ created: 1, refused: [] });
    const electrocardiogram = {
      id: 'E-1',
      session_start: times.start_date,
      session_end: times.end_date,
      voltage_sample_count: 2,
      heart_rate_mean: 70,
      classification: 'sinus_rhythm',
      source_bundle: 'com.apple.health.1',
    };
    const voltage_data = { session_start_offset_millisecond: [0, 2], lead1: [0.1, null] };
    expect(
      (await pushTo(`/v2/summary/electrocardiogram/${user}`, [{ electrocardiogram, voltage_data }])).json,
    ).toMatchObject({ created: 2, refused: [] });
  });
});

describe('a team without stage', () => {
  it('pushes in its own form, and with at least one item', async () => {
    const user = await team.user();
    expect((await team.post(`/v2/timeseries/${user}/steps`, { data: [] })).status).toBe(422);
    expect((await team.post(`/v2/summary/body/${user}`, { data: { body_mass: [] } })).status).toBe(422);
  });
});
