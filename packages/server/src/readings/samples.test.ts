import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RESOURCES } from './resources.ts';
import { ProviderSlug, SourceType } from './source.ts';
import { hypnogram, TIMESERIES, type TimeseriesName } from './timeseries/timeseries.ts';

const moment = { timestamp: '2026-01-15T09:30:00Z', timezone_offset: -28_800, type: null };
const time = { ...moment, start: moment.timestamp, end: '2026-01-15T09:45:00+01:00' };

interface SampleSchemaCase {
  what: string;
  of: TimeseriesName;
  sample: Record<string, unknown>;
  fits: boolean;
}

// prettier-ignore
const rows: SampleSchemaCase[] = [
  { what: 'a number at a moment',       of: 'glucose',           fits: true,  sample: { ...moment, unit: 'mmol/L', value: 5.4 } },
  { what: 'another unit',               of: 'glucose',           fits: false, sample: { ...moment, unit: 'mg/dL', value: 97 } },
  { what: 'a text for a number',        of: 'glucose',           fits: false, sample: { ...moment, unit: 'mmol/L', value: '5.4' } },
  { what: 'no moment',                  of: 'glucose',           fits: false, sample: { unit: 'mmol/L', value: 5.4, type: null, timezone_offset: null } },
  { what: 'a moment without a zone',    of: 'glucose',           fits: false, sample: { ...moment, timestamp: '2026-01-15T09:30:00', unit: 'mmol/L', value: 5.4 } },
  { what: 'a number over a time',       of: 'steps',             fits: true,  sample: { ...time, unit: 'count', value: 17 } },
  { what: 'no time',                    of: 'steps',             fits: false, sample: { ...moment, unit: 'count', value: 17 } },
  { what: 'two pressures',              of: 'blood_pressure',    fits: true,  sample: { ...moment, unit: 'mmHg', systolic: 120, diastolic: 80 } },
  { what: 'one pressure',               of: 'blood_pressure',    fits: false, sample: { ...moment, unit: 'mmHg', value: 120 } },
  { what: 'words and their tags',       of: 'note',              fits: true,  sample: { ...time, unit: 'text', value: 'ran', tags: ['exercise'] } },
  { what: 'words of no kind',           of: 'note',              fits: true,  sample: { ...time, unit: 'text', value: 'ran', tags: null } },
  { what: 'a kind that must be said',   of: 'insulin_injection', fits: false, sample: { ...time, unit: 'unit', value: 4, delivery_mode: null, delivery_form: null, bolus_purpose: null } },
  { what: 'a kind that is said',        of: 'insulin_injection', fits: true,  sample: { ...time, type: 'rapid_acting', unit: 'unit', value: 4, delivery_mode: 'bolus', delivery_form: null, bolus_purpose: 'meal' } },
  { what: 'an alert, which is one',     of: 'heart_rate_alert',  fits: true,  sample: { ...time, type: 'irregular_rhythm', unit: 'count', value: 1 } },
  { what: 'two alerts in one',          of: 'heart_rate_alert',  fits: false, sample: { ...time, type: 'irregular_rhythm', unit: 'count', value: 2 } },
  { what: 'a temperature somewhere',    of: 'body_temperature',  fits: true,  sample: { ...time, unit: '°C', value: 36.6, sensor_location: 'toe' } },
  { what: 'a temperature of no place',  of: 'body_temperature',  fits: false, sample: { ...time, unit: '°C', value: 36.6 } },
];

describe('a sample', () => {
  it.each(rows)('$of: $what, fits: $fits', ({ of, sample, fits }) => {
    expect(TIMESERIES[of].sample.safeParse(sample).success).toBe(fits);
  });

  it('is emitted with its source and its user', () => {
    const source = {
      provider: 'fitbit',
      type: 'watch',
      app_id: null,
      device_id: null,
      sport: null,
      workout_id: null,
      name: 'Fitbit',
      slug: 'fitbit',
      logo: '',
    };
    const sample = { ...time, unit: 'count', value: 17 };
    const told = { user_id: randomUUID(), source_id: 7, source, data: [sample, sample] };
    const { data } = RESOURCES.steps;
    expect(data.safeParse(told).success).toBe(true);
    for (const left of ['user_id', 'source_id', 'source', 'data'] as const) {
      expect(data.safeParse({ ...told, [left]: undefined }).success, left).toBe(false);
    }
  });
});

describe('open enums', () => {
  it('accept new values and list the known ones', () => {
    expect(SourceType.safeParse('glove').success).toBe(true);
    expect(ProviderSlug.safeParse('tomorrow_health').success).toBe(true);
    expect(SourceType.meta()?.['enum']).toContain('chest_strap');
  });
});

describe('the resources', () => {
  it('have unique labels and paths', () => {
    const labels = Object.values(RESOURCES).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.filter((label) => !/^[A-Za-z]/.test(label) || label.includes('_'))).toEqual([]);
    const paths = Object.entries(TIMESERIES).map(([name, row]) => ('path' in row ? row.path : name));
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toContain('body_weight');
  });

  it('have no events for the hypnogram', () => {
    expect(Object.keys(RESOURCES)).not.toContain('hypnogram');
    expect(hypnogram.sample.safeParse({ ...time, unit: 'sleep_stage', value: 3 }).success).toBe(true);
  });
});
