import { expect, it } from 'vitest';
import { createEngine, type SourceComparator } from './engine.ts';
import { DATE_PARTS, PERIOD_UNITS, type DatePart, type PeriodUnit } from './local-time.ts';
import { planQuery } from './plan.ts';
import { toResultTable } from './result-table.ts';
import type { AggregationRow, RowSource } from './row.ts';
import { AggregationQuery } from './schema.ts';
import { createLocalTimeConverter } from './local-time-converter.ts';

/* Random queries over random samples, compared with a naive second implementation written from the docs alone. */

function chance(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface GeneratedData {
  readonly at: number;
  readonly offset: number | null;
  readonly value: number | null;
  readonly type: string | null;
  readonly source: RowSource;
}

const from = (provider: string, type: string): RowSource => ({
  provider,
  type,
  appId: null,
  deviceId: null,
  workoutId: null,
  sport: null,
});
const SOURCES = [from('oura', 'ring'), from('fitbit', 'watch'), from('fitbit', 'phone')];
const prefer: SourceComparator = (one, other) => SOURCES.indexOf(one) - SOURCES.indexOf(other);

/** From before New York left daylight saving time in 2025 to the second week of 2026. */
function samplesOf(below: (n: number) => number): GeneratedData[] {
  const first = Date.parse('2025-10-31T00:00Z');
  return Array.from({ length: 80 }, () => ({
    at: first + below(74 * 24 * 4) * 900_000 + below(60_000),
    offset: [null, null, 3600, -28_800, 20_700][below(5)] ?? null,
    value: below(6) === 0 ? null : below(1000) / 8,
    type: ['a', 'b', null][below(3)] ?? null,
    source: SOURCES[below(3)] ?? from('oura', 'ring'),
  }));
}

const NEW_YORK = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** The local time, as in `2025-11-02 01:30:00`. */
const shownAt = ({ at, offset }: GeneratedData): string =>
  offset === null
    ? NEW_YORK.format(at)
    : new Date(at + offset * 1000).toISOString().slice(0, 19).replace('T', ' ');

const mondayOf = (day: string): string => {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
};

function bucketOf(shown: string, unit: PeriodUnit): string {
  const day = shown.slice(0, 10);
  // prettier-ignore
  const starts: Record<PeriodUnit, string> = {
    minute: `${shown.slice(0, 16)}:00`, hour: `${shown.slice(0, 13)}:00:00`, day: `${day} 00:00:00`,
    week: `${mondayOf(day)} 00:00:00`, month: `${day.slice(0, 7)}-01 00:00:00`, year: `${day.slice(0, 4)}-01-01 00:00:00`,
  };
  return starts[unit].replace(' ', 'T');
}

function partOf(shown: string, part: DatePart): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = shown.split(/\D/).map(Number);
  const date = Date.UTC(year, month - 1, day);
  const thursday = Date.parse(`${mondayOf(shown.slice(0, 10))}T00:00:00Z`) + 3 * 86_400_000;
  const ofYear = (moment: number) =>
    1 + (moment - Date.UTC(new Date(moment).getUTCFullYear(), 0)) / 86_400_000;
  const week = Math.ceil(ofYear(thursday) / 7);
  const weekday = new Date(date).getUTCDay() || 7;
  // prettier-ignore
  const parts: Record<DatePart, number> = {
    minute, hour, day, month, year, week, weekday, week_of_year: week, day_of_year: ofYear(date),
  };
  return parts[part];
}

const FUNCTIONS = ['mean', 'min', 'max', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest'] as const;

function recomputed(func: (typeof FUNCTIONS)[number], given: readonly GeneratedData[]): number | null {
  const values = given.map(({ value }) => value ?? 0);
  if (func === 'count') return values.length;
  if (values.length === 0) return null;
  const sum = values.reduce((all, one) => all + one, 0);
  const mean = sum / values.length;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const squares = values.reduce((all, one) => all + (one - mean) ** 2, 0);
  const byTime = given.toSorted((one, other) => (shownAt(one) < shownAt(other) ? -1 : 1));
  // prettier-ignore
  const answers: Record<(typeof FUNCTIONS)[number], number | null> = {
    sum, mean, count: values.length, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0,
    median: ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2,
    stddev: values.length < 2 ? null : Math.sqrt(squares / (values.length - 1)),
    oldest: byTime[0]?.value ?? 0, newest: byTime.at(-1)?.value ?? 0,
  };
  return answers[func];
}

/** A way to tell samples apart, as a query says it and as it is. */
function keyOf(below: (n: number) => number): { says: object; of: (given: GeneratedData) => unknown } {
  const arg = { index: 'timeseries' };
  const unit = PERIOD_UNITS[below(PERIOD_UNITS.length)] ?? 'day';
  const part = DATE_PARTS[below(DATE_PARTS.length)] ?? 'day';
  const keys = [
    { says: { date_trunc: { unit }, arg }, of: (one: GeneratedData) => bucketOf(shownAt(one), unit) },
    { says: { date_part: part, arg }, of: (one: GeneratedData) => partOf(shownAt(one), part) },
    { says: { source: 'source_provider' }, of: ({ source }: GeneratedData) => source.provider },
    { says: { timeseries: 'glucose', field: 'type' }, of: ({ type }: GeneratedData) => type },
  ];
  return keys[below(keys.length)] ?? { says: { source: 'source_type' }, of: ({ source }) => source.type };
}

const WHERES = [
  { says: undefined, fits: () => true },
  { says: 'value >= 60', fits: ({ value }: GeneratedData) => value !== null && value >= 60 },
  {
    says: "type != 'a' OR source_type = 'phone'",
    fits: ({ type, source }: GeneratedData) => (type !== null && type !== 'a') || source.type === 'phone',
  },
  {
    says: "NOT (value BETWEEN 20 AND 40) AND index < '2025-12-24'",
    fits: (one: GeneratedData) =>
      one.value !== null && (one.value < 20 || one.value > 40) && shownAt(one) < '2025-12-24',
  },
];

it.each(Array.from({ length: 60 }, (_, seed) => seed + 1))(
  'matches the naive implementation: seed %i',
  (seed) => {
    const below = chance(seed);
    const all = samplesOf(below);
    const [first, second] = [keyOf(below), keyOf(below)];
    const where = WHERES[below(WHERES.length)];
    const isTwice = 'date_trunc' in first.says && 'date_trunc' in second.says;
    const keys = isTwice ? [first] : [first, second];
    const plan = planQuery(
      AggregationQuery.parse({
        select: [
          { group_key: '*' },
          ...FUNCTIONS.map((func) => ({ func, arg: { timeseries: 'glucose', field: 'value' } })),
        ],
        group_by: keys.map(({ says }) => says),
        where: where?.says,
      }),
      [],
    );
    const wall = createLocalTimeConverter('America/New_York');
    const engine = createEngine(plan, prefer);
    for (const { at, offset, value, type, source } of all) {
      const row: AggregationRow = {
        at: wall(at, offset),
        source,
        fields: { value, type },
        toLocalTime: (moment) => moment,
      };
      engine.addRow(row);
    }
    const table = toResultTable(plan, engine.finish());
    const rows = (table['group_key.0'] ?? []).map((_, place) =>
      Object.values(table).map((column) => column[place] as number),
    );

    const groups = new Map<string, GeneratedData[]>();
    for (const one of all.filter((each) => where?.fits(each))) {
      const name = JSON.stringify(keys.map(({ of }) => of(one)));
      groups.set(name, [...(groups.get(name) ?? []), one]);
    }
    expect(rows.map((row) => JSON.stringify(row.slice(0, keys.length))).toSorted()).toEqual(
      [...groups.keys()].toSorted(),
    );
    for (const row of rows) {
      const group = groups.get(JSON.stringify(row.slice(0, keys.length))) ?? [];
      const said = group.filter(({ value }) => value !== null);
      const best = SOURCES.find((source) => said.some((one) => one.source === source));
      const own = said.filter(({ source }) => source === best);
      for (const [place, func] of FUNCTIONS.entries()) {
        const [answered, expected] = [row[keys.length + place] ?? null, recomputed(func, own)];
        // No value is below 0, so that -1 stands for nothing.
        expect(answered ?? -1, func).toBeCloseTo(expected ?? -1, 6);
      }
    }
  },
);
