import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR } from '../../platform/clock.ts';
import { SOURCE_TYPES } from '../../readings/schema.ts';
import { listHourEdges } from './hours.ts';
import { sortByPriority, type RankableSource } from './priority.ts';
import { COUNTED_RESOURCES, toInterval, getUnit } from './resources.ts';
import { roundParts } from './round.ts';

let ids = 0;
const source = (provider: string, type: string, more: Partial<RankableSource> = {}): RankableSource => ({
  id: (ids += 1),
  provider,
  type,
  workoutId: null,
  ...more,
});
const names = (sources: readonly RankableSource[]) =>
  sources.map(({ provider, type, workoutId }) => `${provider} ${type}${workoutId ? ' in a workout' : ''}`);

describe('the order of sources', () => {
  it('is by type by default: worn, carried, typed in', () => {
    const sources = ['app', 'unknown', 'phone', 'multiple_sources', 'ring', 'watch'].map((type) =>
      source('apple_health_kit', type),
    );
    expect(names(sortByPriority([], sources))).toEqual([
      'apple_health_kit watch',
      'apple_health_kit ring',
      'apple_health_kit multiple_sources',
      'apple_health_kit phone',
      'apple_health_kit unknown',
      'apple_health_kit app',
    ]);
  });

  it('is by provider if the team has an order, with others last', () => {
    const sources = [
      source('apple_health_kit', 'watch'),
      source('garmin', 'watch'),
      source('oura', 'ring'),
      source('oura', 'app'),
    ];
    expect(names(sortByPriority(['oura', 'garmin'], sources))).toEqual([
      'oura ring',
      'oura app',
      'garmin watch',
      'apple_health_kit watch',
    ]);
  });

  it('puts workout sources first within a type, then older ones', () => {
    const [later, earlier] = [source('fitbit', 'watch', { id: 12 }), source('fitbit', 'watch', { id: 7 })];
    const inWorkout = source('fitbit', 'watch', { workoutId: 'a' });
    expect(sortByPriority([], [later, earlier, inWorkout])).toEqual([inWorkout, earlier, later]);
  });

  it('is deterministic for every type', () => {
    const sources = SOURCE_TYPES.flatMap((type) => [source('fitbit', type), source('oura', type)]);
    const order = sortByPriority(['oura'], sources);
    fc.assert(
      fc.property(fc.shuffledSubarray(sources, { minLength: sources.length }), (shuffled) => {
        expect(sortByPriority(['oura'], shuffled)).toEqual(order);
      }),
      { numRuns: 20 },
    );
  });
});

describe('the hours of a day', () => {
  // prettier-ignore
  const days = [
    { day: '2026-03-07', zone: 'America/New_York',    hours: 24,   length: 24 },
    { day: '2026-03-08', zone: 'America/New_York',    hours: 23,   length: 23 },
    { day: '2026-11-01', zone: 'America/New_York',    hours: 25,   length: 25 },
    { day: '2026-10-04', zone: 'Australia/Lord_Howe', hours: 24,   length: 23.5 },
    { day: '2026-04-05', zone: 'Australia/Lord_Howe', hours: 25,   length: 24.5 },
    { day: '2026-06-01', zone: 'Asia/Kathmandu',      hours: 24,   length: 24 },
    { day: '2018-11-04', zone: 'America/Sao_Paulo',   hours: 23,   length: 23 },
  ];
  it.each(days)('$day in $zone: $length hours', ({ day, zone, hours, length }) => {
    const edges = listHourEdges(zone, day);
    expect(edges).toHaveLength(hours + 1);
    expect(((edges.at(-1) ?? 0) - (edges[0] ?? 0)) / HOUR).toBe(length);
    edges.slice(1).forEach((edge, index) => expect(edge).toBeGreaterThan(edges[index] ?? 0));
  });
});

describe('counted resources', () => {
  const at = Date.parse('2026-03-02T10:07:00Z');
  const sample = { at, until: null, offset: null, type: null, value: 2, more: null };

  it.each(COUNTED_RESOURCES)('%s has a unit and an interval', (resource) => {
    expect(getUnit(resource)).toMatch(/^(count|m|kcal|min)$/);
    expect(toInterval(resource, { ...sample, until: at + 60 })).toEqual({
      from: at,
      until: at + 60,
      amount: 2,
    });
  });

  it('stand for a quarter of an hour without an end by design, and for an instant if the end is missing', () => {
    const quarter = Date.parse('2026-03-02T10:00:00Z');
    expect(toInterval('floors_climbed', sample)).toEqual({
      from: quarter,
      until: quarter + HOUR / 4,
      amount: 2,
    });
    expect(toInterval('steps', sample)).toEqual({ from: at, until: at, amount: 2 });
    expect(toInterval('steps', { ...sample, until: at - 5 })).toEqual({ from: at, until: at, amount: 2 });
    expect(toInterval('steps', { ...sample, until: at + 900 * HOUR }).until).toBe(at + 24 * HOUR);
  });
});

describe('rounded parts', () => {
  it('add up to the rounded sum, and none is off by one', () => {
    expect(roundParts([1 / 3, 1 / 3, 1 / 3], 0)).toEqual([1, 0, 0]);
    expect(roundParts([0.1 + 0.2, 0.7], 3)).toEqual([0.3, 0.7]);
    expect(roundParts([], 0)).toEqual([]);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e5, noNaN: true }), { maxLength: 25 }), (parts) => {
        const rounded = roundParts(parts, 0);
        const whole = parts.reduce((sum, part) => sum + part, 0);
        const sum = rounded.reduce((one, other) => one + other, 0);
        expect(Math.abs(sum - whole)).toBeLessThanOrEqual(0.5 + 1e-3);
        rounded.forEach((part, index) => expect(Math.abs(part - (parts[index] ?? 0))).toBeLessThan(1 + 1e-3));
      }),
    );
  });
});
