import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  appleDocument,
  applePressure,
  appleRecord,
  appleSleep,
  appleWorkout,
  gpxRun,
  openFolder,
  readPath,
  START,
  writeAppleZip,
  type AppleFiles,
  type ParsedFile,
} from '../../../../test/wearable-files.ts';
import { convertUnit } from './units.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
let count = 0;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.close());

async function read(records: string[], rest: Omit<AppleFiles, 'document'> = {}): Promise<ParsedFile> {
  const path = folder.path(`${(count += 1)}.zip`);
  await writeAppleZip(path, { document: appleDocument(records), ...rest });
  return readPath(path);
}

const samples = ({ readings }: ParsedFile, resource: string) =>
  readings.flatMap((one) => (one.kind === 'samples' && one.resource === resource ? one.samples : []));
const summary = ({ readings }: ParsedFile, resource: string) =>
  readings.flatMap((one) => (one.kind === 'summary' && one.resource === resource ? [one] : []));
const quantity = (name: string, value: number | string, unit: string, end = START) =>
  appleRecord(`HKQuantityTypeIdentifier${name}`, { value, unit, start: START, end });

describe('an Apple Health export', () => {
  it('converts quantities to our units', async () => {
    // prettier-ignore
    const CASES: [string, string | number, string, string, number][] = [
      ['HeartRate', 61, 'count/min', 'heartrate', 61],
      ['OxygenSaturation', '0.97', '%', 'blood_oxygen', 97],
      ['BodyMass', 160, 'lb', 'weight', 72.5747792],
      ['BodyTemperature', '98.6', 'degF', 'body_temperature', 37],
      ['BloodGlucose', 90, 'mg/dL', 'glucose', 4.99567412],
      ['BloodGlucose', '5.5', 'mmol&lt;180.1558800000541&gt;/L', 'glucose', 5.5],
      ['DistanceCycling', '3.1', 'mi', 'distance', 4988.9664],
      ['ActiveEnergyBurned', 100, 'kJ', 'calories_active', 23.9005736],
      ['DietaryWater', 8, 'fl_oz_us', 'water', 236.5882365],
      ['DietaryCaffeine', 95, 'mg', 'caffeine', 0.095],
      ['VO2Max', '41.5', 'mL/min·kg', 'vo2_max', 41.5],
    ];
    for (const [name, value, unit, resource, expected] of CASES) {
      const [sample] = samples(await read([quantity(name, value, unit)]), resource);
      expect([name, sample?.value]).toEqual([name, expect.closeTo(expected, 6)]);
      expect(sample).toMatchObject({ at: START, offset: 7200 });
    }
  });

  it('separates watch and phone, and drops the name of the owner', async () => {
    const steps = (by: 'watch' | 'phone') =>
      appleRecord('HKQuantityTypeIdentifierStepCount', {
        value: 100,
        unit: 'count',
        start: START,
        end: START + 60_000,
        by,
      });
    const { readings } = await read([steps('watch'), steps('phone')]);
    const origins = readings.flatMap((one) => (one.kind === 'samples' ? [one.origin] : []));
    expect(origins).toMatchObject([
      {
        provider: 'apple_health_kit',
        type: 'watch',
        appId: null,
        device: { manufacturer: 'Apple Inc.', model: 'Watch6,1', version: '10.4' },
      },
      { type: 'phone', device: { model: 'iPhone15,2' } },
    ]);
    expect(JSON.stringify(readings)).not.toContain('Ada');
  });

  it('groups the stages of a night into one sleep, in any order, and a nap into another', async () => {
    const night = START - 10 * 3_600_000;
    const hour = 3_600_000;
    const file = await read([
      appleSleep('AsleepREM', night + 3 * hour, 60),
      appleSleep('InBed', night, 480),
      appleSleep('AsleepCore', night + hour / 2, 150),
      appleSleep('AsleepDeep', night + 4 * hour, 90),
      appleSleep('Awake', night + 5.5 * hour, 30),
      appleSleep('AsleepCore', night + 12 * hour, 40),
    ]);
    const [sleep, nap] = summary(file, 'sleep');
    expect(sleep).toMatchObject({ day: '2024-05-12', at: night });
    // prettier-ignore
    expect(sleep?.body).toMatchObject({
      duration: 28_800, total: 18_000, light: 9000, rem: 3600, deep: 5400, awake: 1800, latency: 1800, type: 'long_sleep', efficiency: 62.5,
    });
    expect(nap?.body).toMatchObject({ total: 2400, type: 'short_sleep' });
    expect(samples(file, 'hypnogram').map(({ value }) => value)).toEqual([2, 3, 1, 4, 2]);
    expect(summary(file, 'sleep_cycle')[0]).toMatchObject({
      key: sleep?.key,
      body: { stage_type: [2, 3, 1, 4] },
    });
  });

  it('merges a workout with its route and heart rates', async () => {
    const rates = [0, 20, 40, 900].map((second) =>
      appleRecord('HKQuantityTypeIdentifierHeartRate', {
        value: 100 + second / 10,
        unit: 'count/min',
        start: START + second * 1000,
      }),
    );
    const route = gpxRun().replaceAll(/<gpxtpx:hr>.*?<\/gpxtpx:hr>/g, '');
    const file = await read([...rates, appleWorkout(START, 1, 'route_1.gpx')], {
      others: { 'apple_health_export/workout-routes/route_1.gpx': route },
      name: 'Exportación.xml',
    });
    const [workout] = summary(file, 'workouts');
    // The statistics of nested activities are not those of the workout.
    expect(workout?.body).toMatchObject({
      sport: { slug: 'running' },
      average_hr: 141,
      max_hr: 171,
      calories: 310,
      distance: 5200,
      moving_time: 60,
      total_elevation_gain: 12.5,
      map: { polyline: expect.any(String) },
    });
    const stream = file.readings.find((one) => one.kind === 'workout_stream');
    expect(stream?.columns.time).toHaveLength(61);
    expect(stream?.columns.heartrate?.filter((one) => one !== null)).toEqual([100, 102, 104]);
    expect(samples(file, 'heartrate')).toHaveLength(4);
  });

  it('reads a blood pressure once although it occurs twice', async () => {
    const file = await read([applePressure(START)]);
    expect(samples(file, 'blood_pressure')).toMatchObject([{ more: { systolic: 121, diastolic: 79 } }]);
    expect(file.report.faultCount).toBe(0);
  });

  it('has daily summaries, body measurements and the profile', async () => {
    const file = await read([
      quantity('RestingHeartRate', 52, 'count/min'),
      quantity('BodyMass', '71.5', 'kg'),
      quantity('Height', '1.71', 'm'),
      ' <ActivitySummary dateComponents="2024-05-12" activeEnergyBurned="512.5" activeEnergyBurnedUnit="kcal"/>\n',
      ' <ActivitySummary dateComponents="1969-12-30" activeEnergyBurned="0" activeEnergyBurnedUnit="kcal"/>\n',
    ]);
    expect(summary(file, 'activity')).toMatchObject([
      { day: '2024-05-12', body: { calories_active: 512.5, heart_rate: { resting_bpm: 52 } } },
    ]);
    expect(summary(file, 'body')).toMatchObject([{ day: '2024-05-12', body: { weight: 71.5 } }]);
    expect(summary(file, 'profile')).toMatchObject([
      { body: { height: 171, birth_date: '1985-12-10', sex: 'female' } },
    ]);
  });

  it('reports what it skips, with positions', async () => {
    const file = await read(
      [
        quantity('AppleWalkingSteadiness', 1, '%'),
        quantity('HeartRate', 'NaN', 'count/min'),
        quantity('BodyMass', 11, 'stone'),
        quantity('StepCount', 5, 'count').replaceAll(/startDate="[^"]*"/g, 'startDate="0000-13-45"'),
      ],
      { others: { 'apple_health_export/electrocardiograms/ecg_2024-05-12.csv': 'Name,Ada' } },
    );
    expect(Object.fromEntries(file.report.skipped)).toEqual({
      AppleWalkingSteadiness: 1,
      'electrocardiogram file': 1,
    });
    expect(file.report.faults.map(({ place }) => place)).toEqual(['line 12', 'line 13', 'line 14']);
    expect(file.report.faults.map(({ reason }) => reason)[1]).toContain('BodyMass of 11 stone');
  });

  it('reports progress up to 100 percent', async () => {
    const { report } = await read([quantity('HeartRate', 61, 'count/min')]);
    expect(report.done / report.total).toBeCloseTo(1, 2);
  });
});

it('rejects unknown unit conversions', () => {
  expect(convertUnit(1, { from: 'furlong', to: 'm' })).toBeUndefined();
  expect(convertUnit(-40, { from: 'degF', to: '°C' })).toBe(-40);
});
