import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder, readPath, writeAppleZip, type ParsedFile } from '../../../../test/wearable-files.ts';
import { UnreadableFile } from '../files.ts';

/**
 * Exports of Apple Health as phones of many versions, languages and places write them, each with what has to be read of
 * it. Written from what Apple documents and from what exports look like, before our reader was looked at.
 */

let folder: Awaited<ReturnType<typeof openFolder>>;
let count = 0;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.close());

interface AppleExport {
  /** The elements of the document. */
  readonly body: string;
  /** What is before the root; the default is an XML declaration. */
  readonly head?: string;
  readonly locale?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const HK = 'HKQuantityTypeIdentifier';
const WATCH =
  'sourceName="Apple Watch" sourceVersion="10.4" device="&lt;&lt;HKDevice: 0x301a2c&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:10.4&gt;"';
const PHONE =
  'sourceName="iPhone" sourceVersion="17.4" device="&lt;&lt;HKDevice: 0x301a2d&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone15,2, software:17.4&gt;"';
const T0 = '2024-05-12 08:30:00 +0200';
const T1 = '2024-05-12 08:31:00 +0200';

interface RecordOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
  readonly inner?: string;
}
/** A record of one minute at half past eight in Berlin, by the watch. */
const record = (
  type: string,
  value: string,
  unit: string | null,
  { from = T0, to = T1, by = WATCH, inner }: RecordOptions = {},
) =>
  `<Record type="${type}" ${by}${unit === null ? '' : ` unit="${unit}"`} creationDate="${to}" startDate="${from}" endDate="${to}" value="${value}"` +
  (inner === undefined ? '/>\n' : `>\n${inner}\n</Record>\n`);
const quantity = (name: string, value: string, unit: string, more: RecordOptions = {}) =>
  record(HK + name, value, unit, more);
const stage = (name: string, from: string, to: string, by = WATCH) =>
  record('HKCategoryTypeIdentifierSleepAnalysis', `HKCategoryValueSleepAnalysis${name}`, null, {
    from,
    to,
    by,
  });
const meta = (key: string, value: string) => `<MetadataEntry key="${key}" value="${value}"/>`;
const workout = (attributes: string, inner = '', { from = T0, to = '2024-05-12 09:30:00 +0200' } = {}) =>
  `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" ${attributes} ${WATCH} creationDate="${to}" startDate="${from}" endDate="${to}">${inner}</Workout>\n`;

async function read({ body, head, locale = 'en_US', files = {} }: AppleExport): Promise<ParsedFile> {
  const path = folder.path(`${(count += 1)}.zip`);
  const start = head ?? '<?xml version="1.0" encoding="UTF-8"?>\n';
  const document = `${start}<HealthData locale="${locale}">\n<ExportDate value="2024-06-01 12:00:00 +0200"/>\n${body}</HealthData>\n`;
  await writeAppleZip(path, { document, others: files });
  return readPath(path);
}

// prettier-ignore
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  workouts: ['sport', 'distance', 'calories', 'moving_time', 'average_hr', 'max_hr', 'total_elevation_gain'],
  sleep: ['type', 'duration', 'total', 'light', 'deep', 'rem', 'awake'],
  activity: ['steps', 'distance', 'calories_active', 'floors_climbed'],
  body: ['weight', 'fat'],
  profile: ['height'],
};
const round = (value: unknown) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value);
const slugOf = (value: unknown) =>
  typeof value === 'object' && value !== null && 'slug' in value ? value.slug : round(value);

/** What is read: samples by resource, summaries of these resources, what is skipped and what is at fault. */
function show({ readings, report }: ParsedFile, summaries: readonly string[]): string[] {
  const lines = readings.flatMap((one): string[] => {
    if (one.kind === 'samples' && !summaries.includes('activity')) {
      return one.samples.map(({ at, offset, value, more }) => {
        const parts =
          value ??
          Object.values(more ?? {})
            .map(round)
            .join('/');
        return `${one.resource} ${new Date(at).toISOString().slice(5, 19)} ${offset ?? '?'} ${round(parts)} ${one.origin.type}`;
      });
    }
    if (one.kind !== 'summary' || !summaries.includes(one.resource)) return [];
    const { body } = one;
    const fields = (FIELDS[one.resource] ?? []).flatMap((field) =>
      body[field] === null || body[field] === undefined ? [] : [`${field}=${slugOf(body[field])}`],
    );
    return [`${one.resource} ${one.day} ${fields.join(' ')}`];
  });
  return [
    // Equal samples are stored once.
    ...[...new Set(lines)].toSorted(),
    ...[...report.skipped].map(([kind, times]) => `skipped ${kind}: ${times}`),
    ...report.faults.map(({ place }) => `fault in ${place}`),
  ];
}

const pressure = (systolic: string, diastolic: string) =>
  `<Correlation type="HKCorrelationTypeIdentifierBloodPressure" ${PHONE} creationDate="${T0}" startDate="${T0}" endDate="${T0}">${quantity('BloodPressureSystolic', systolic, 'mmHg').trim()}${quantity('BloodPressureDiastolic', diastolic, 'mmHg').trim()}</Correlation>\n`;
const heart = (value: string, more: RecordOptions = {}) => quantity('HeartRate', value, 'count/min', more);
const ONE_HEART_RATE = ['heartrate 05-12T06:30:00 7200 61 watch'];

// prettier-ignore
const SAMPLES: readonly (readonly [string, AppleExport, readonly string[]])[] = [
  ['pounds',                      { body: quantity('BodyMass', '160', 'lb') },                        ['weight 05-12T06:30:00 7200 72.575 watch']],
  ['stones',                      { body: quantity('BodyMass', '11', 'st') },                         ['weight 05-12T06:30:00 7200 69.853 watch']],
  ['grams',                       { body: quantity('BodyMass', '71500', 'g') },                       ['weight 05-12T06:30:00 7200 71.5 watch']],
  ['a share in percent',          { body: quantity('BodyFatPercentage', '0.185', '%') },              ['fat 05-12T06:30:00 7200 18.5 watch']],
  ['oxygen as a share of one',    { body: quantity('OxygenSaturation', '1', '%') },                   ['blood_oxygen 05-12T06:30:00 7200 100 watch']],
  ['kilojoules',                  { body: quantity('ActiveEnergyBurned', '418.4', 'kJ') },            ['calories_active 05-12T06:30:00 7200 100 watch']],
  ['large calories',              { body: quantity('ActiveEnergyBurned', '100', 'Cal') },             ['calories_active 05-12T06:30:00 7200 100 watch']],
  ['small calories',              { body: quantity('ActiveEnergyBurned', '100000', 'cal') },          ['calories_active 05-12T06:30:00 7200 100 watch']],
  ['miles',                       { body: quantity('DistanceWalkingRunning', '1', 'mi') },            ['distance 05-12T06:30:00 7200 1609.344 watch']],
  ['yards of a pool',             { body: quantity('DistanceSwimming', '25', 'yd') },                 ['distance 05-12T06:30:00 7200 22.86 watch']],
  ['beats per second',            { body: quantity('HeartRate', '1.5', 'count/s') },                  ['heartrate 05-12T06:30:00 7200 90 watch']],
  ['kilopascals',                 { body: `<Correlation type="HKCorrelationTypeIdentifierBloodPressure" ${PHONE} creationDate="${T0}" startDate="${T0}" endDate="${T0}">${quantity('BloodPressureSystolic', '16', 'kPa', { to: T0, by: PHONE })}${quantity('BloodPressureDiastolic', '10.5', 'kPa', { to: T0, by: PHONE })}</Correlation>` }, ['blood_pressure 05-12T06:30:00 7200 120.01/78.756 phone']],
  ['glucose in milligrams',       { body: quantity('BloodGlucose', '100', 'mg/dL') },                 ['glucose 05-12T06:30:00 7200 5.551 watch']],
  ['fluid in liters',             { body: quantity('DietaryWater', '0.25', 'L') },                    ['water 05-12T06:30:00 7200 250 watch']],
  ['a temperature in Fahrenheit', { body: quantity('BodyTemperature', '98.6', 'degF') },              ['body_temperature 05-12T06:30:00 7200 37 watch']],
  ['a time zone of a half hour',  { body: heart('61', { from: '2024-05-12 08:30:00 -0330', to: '2024-05-12 08:30:00 -0330' }) }, ['heartrate 05-12T12:00:00 -12600 61 watch']],
  ['a time zone of three quarters', { body: heart('61', { from: '2024-05-12 08:30:00 +0545', to: '2024-05-12 08:30:00 +0545' }) }, ['heartrate 05-12T02:45:00 20700 61 watch']],
  ['the hour that an autumn day has twice', { body: heart('61', { from: '2024-10-27 02:30:00 +0200', to: '2024-10-27 02:30:00 +0200' }) + heart('62', { from: '2024-10-27 02:30:00 +0100', to: '2024-10-27 02:30:00 +0100' }) }, ['heartrate 10-27T00:30:00 7200 61 watch', 'heartrate 10-27T01:30:00 3600 62 watch']],
  ['the same minute of watch and phone', { body: quantity('StepCount', '100', 'count') + quantity('StepCount', '98', 'count', { by: PHONE }) }, ['steps 05-12T06:30:00 7200 100 watch', 'steps 05-12T06:30:00 7200 98 phone']],
  ['a record in another time zone than the export', { body: quantity('BodyMass', '71.5', 'kg', { from: '2024-01-16 04:00:00 +0100', to: '2024-01-16 04:00:00 +0100', inner: meta('HKTimeZone', 'America/New_York') }) }, ['weight 01-16T03:00:00 -18000 71.5 watch']],
  ['an unknown time zone',        { body: heart('61', { inner: meta('HKTimeZone', 'Mars/Olympus') }) }, ONE_HEART_RATE],
  ['a record that is there twice', { body: heart('61') + heart('61') }, ONE_HEART_RATE],
  ['metadata of the heart rate',  { body: heart('61', { inner: meta('HKMetadataKeyHeartRateMotionContext', '0') }) }, ONE_HEART_RATE],
  ['variability with its beats',  { body: quantity('HeartRateVariabilitySDNN', '45.5', 'ms', { inner: '<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="61" time="8:30:01,52 AM"/></HeartRateVariabilityMetadataList>' }) }, ['hrv 05-12T06:30:00 7200 45.5 watch']],
  ['a value that the user entered', { body: quantity('BodyMass', '71.5', 'kg', { by: 'sourceName="Health" sourceVersion="17.4"', inner: meta('HKWasUserEntered', '1') }) }, ['weight 05-12T06:30:00 7200 71.5 app']],
  ['another order of attributes', { body: `<Record value='61' endDate='${T1}' startDate='${T0}'\n  creationDate='${T1}' unit='count/min' ${WATCH} type='${HK}HeartRate' />\n` }, ONE_HEART_RATE],
  ['names in other letters',      { body: heart('61', { by: 'sourceName="小明的 Apple&#160;Watch 😀 &quot;&lt;&amp;&gt;" sourceVersion="10.4" device="&lt;&lt;HKDevice: 0x1&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:10.4&gt;"' }), locale: 'zh_CN' }, ONE_HEART_RATE],
  ['a locale with decimal commas', { body: heart('61.0'), locale: 'de_DE' },                          ONE_HEART_RATE],
  ['an attribute of 500,000 characters', { body: heart('61', { inner: meta('note', 'x'.repeat(500_000)) }) }, ONE_HEART_RATE],
  ['the malformed document type of iOS 16', { body: heart('61'), head: '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!-- HealthKit Export Version: 12 -->\n<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>\n<!ATTLIST Record\n  type CDATA #REQUIRED\n  value CDATA #IMPLIED\n<!ELEMENT MetadataEntry EMPTY>\n<!ATTLIST MetadataEntry key CDATA #REQUIRED value CDATA #REQUIRED>\n]>\n' }, ONE_HEART_RATE],
  ['a byte order mark',           { body: heart('61'), head: '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n' }, ONE_HEART_RATE],
  ['an electrocardiogram',        { body: heart('61'), files: { 'apple_health_export/electrocardiograms/ecg_2024-05-12.csv': 'Name,Ada' } }, [...ONE_HEART_RATE, 'skipped electrocardiogram file: 1']],
  ['a time without its zone',     { body: heart('61', { from: '2024-05-12 08:30:00' }) },             ['fault in line 4']],
  ['an end before its start',     { body: quantity('StepCount', '100', 'count', { to: '2024-05-12 08:00:00 +0200' }) }, ['fault in line 4']],
  ['no value',                    { body: heart('61').replace(' value="61"', '') },                   ['fault in line 4']],
  ['a number with a comma',       { body: quantity('BodyMass', '71,5', 'kg') },                       ['fault in line 4']],
  ['a blood pressure without its number', { body: pressure('', '79') + pressure('NaN', '79') + pressure('121', '0x4F') }, ['fault in line 4', 'fault in line 5', 'fault in line 6']],
  ['a hexadecimal number',        { body: heart('0x3D') },                                            ['fault in line 4']],
];

// prettier-ignore
const SUMMARIES: readonly (readonly [string, AppleExport, readonly string[], readonly string[]])[] = [
  ['the stages since iOS 16',     { body: stage('InBed', '2024-05-11 23:00:00 +0200', '2024-05-12 07:00:00 +0200') + stage('AsleepCore', '2024-05-11 23:30:00 +0200', '2024-05-12 02:00:00 +0200') + stage('AsleepDeep', '2024-05-12 02:00:00 +0200', '2024-05-12 04:00:00 +0200') + stage('AsleepREM', '2024-05-12 04:00:00 +0200', '2024-05-12 06:00:00 +0200') + stage('Awake', '2024-05-12 06:00:00 +0200', '2024-05-12 07:00:00 +0200') }, ['sleep'], ['sleep 2024-05-12 type=long_sleep duration=28800 total=23400 light=9000 deep=7200 rem=7200 awake=3600']],
  ['sleep without stages, before iOS 16', { body: stage('InBed', '2021-05-11 23:00:00 +0200', '2021-05-12 07:00:00 +0200', PHONE) + stage('Asleep', '2021-05-11 23:30:00 +0200', '2021-05-12 06:30:00 +0200', PHONE) }, ['sleep'], ['sleep 2021-05-12 type=long_sleep duration=28800 total=25200 light=0 deep=0 rem=0 awake=0']],
  ['sleep without stages, since iOS 16', { body: stage('AsleepUnspecified', '2024-05-11 23:00:00 +0200', '2024-05-12 06:00:00 +0200', PHONE) }, ['sleep'], ['sleep 2024-05-12 type=long_sleep duration=25200 total=25200 light=0 deep=0 rem=0 awake=0']],
  ['a night in which summer time begins', { body: stage('AsleepUnspecified', '2024-03-09 23:00:00 -0500', '2024-03-10 07:00:00 -0400') }, ['sleep'], ['sleep 2024-03-10 type=long_sleep duration=25200 total=25200 light=0 deep=0 rem=0 awake=0']],
  ['a workout with totals, before iOS 16', { body: workout('duration="50" durationUnit="min" totalDistance="3.1" totalDistanceUnit="mi" totalEnergyBurned="1297.04" totalEnergyBurnedUnit="kJ"') }, ['workouts'], ['workouts 2024-05-12 sport=running distance=4988.966 calories=310 moving_time=3000']],
  ['a workout with statistics',   { body: workout('duration="60" durationUnit="min"', `<WorkoutStatistics type="${HK}DistanceWalkingRunning" startDate="${T0}" endDate="${T1}" sum="10" unit="km"/><WorkoutStatistics type="${HK}ActiveEnergyBurned" sum="600" unit="Cal"/><WorkoutStatistics type="${HK}HeartRate" average="140.6" minimum="90" maximum="180" unit="count/min"/>`) }, ['workouts'], ['workouts 2024-05-12 sport=running distance=10000 calories=600 moving_time=3600 average_hr=141 max_hr=180']],
  ['a workout in seconds',        { body: workout('duration="1800" durationUnit="s"') },               ['workouts'], ['workouts 2024-05-12 sport=running moving_time=1800']],
  ['a workout in hours',          { body: workout('duration="0.5" durationUnit="hr"') },               ['workouts'], ['workouts 2024-05-12 sport=running moving_time=1800']],
  ['a workout with a pause',      { body: workout('duration="50" durationUnit="min"', `<WorkoutEvent type="HKWorkoutEventTypePause" date="2024-05-12 08:40:00 +0200"/><WorkoutEvent type="HKWorkoutEventTypeResume" date="2024-05-12 08:50:00 +0200"/>`) }, ['workouts'], ['workouts 2024-05-12 sport=running moving_time=3000']],
  ['a workout without its route', { body: workout('duration="60" durationUnit="min"', '<WorkoutRoute sourceName="x"><FileReference path="/workout-routes/route_gone.gpx"/></WorkoutRoute>') }, ['workouts'], ['workouts 2024-05-12 sport=running moving_time=3600', 'fault in line 4']],
  ['a workout over midnight',     { body: workout('duration="60" durationUnit="min"', '', { from: '2024-05-12 23:30:00 +0200', to: '2024-05-13 00:30:00 +0200' }) }, ['workouts'], ['workouts 2024-05-12 sport=running moving_time=3600']],
  ['a climb in meters and in feet', { body: workout('duration="60" durationUnit="min"', meta('HKElevationAscended', '12.5 m')) + workout('duration="60" durationUnit="min"', meta('HKElevationAscended', '100 ft'), { from: '2024-05-13 08:30:00 +0200', to: '2024-05-13 09:30:00 +0200' }) }, ['workouts'], ['workouts 2024-05-12 sport=running moving_time=3600 total_elevation_gain=12.5', 'workouts 2024-05-13 sport=running moving_time=3600 total_elevation_gain=30.48']],
  ['a workout in another time zone than the export', { body: workout('duration="60" durationUnit="min"', meta('HKTimeZone', 'America/New_York'), { from: '2024-01-16 04:00:00 +0100', to: '2024-01-16 05:00:00 +0100' }) }, ['workouts'], ['workouts 2024-01-15 sport=running moving_time=3600']],
  ['a night in another time zone than the export', { body: record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisAsleepUnspecified', null, { from: '2024-01-16 20:00:00 +0100', to: '2024-01-17 03:00:00 +0100', inner: meta('HKTimeZone', 'America/Los_Angeles') }) }, ['sleep'], ['sleep 2024-01-16 type=long_sleep duration=25200 total=25200 light=0 deep=0 rem=0 awake=0']],
  ['a workout with the number of nothing', { body: workout('duration="NaN" durationUnit="min" totalDistance="0x10" totalDistanceUnit="km"') }, ['workouts'], ['workouts 2024-05-12 sport=running']],
  ['the rings of a day in kilojoules', { body: '<ActivitySummary dateComponents="2024-05-12" activeEnergyBurned="2092" activeEnergyBurnedGoal="2000" activeEnergyBurnedUnit="kJ" appleExerciseTime="30" appleStandHours="12"/>\n' }, ['activity'], ['activity 2024-05-12 calories_active=500']],
  ['a height in inches',          { body: quantity('Height', '70', 'in') },                            ['profile'], ['profile 2024-06-01 height=178']],
];

describe('an Apple Health export with', () => {
  it.each(SAMPLES)('%s', async (_what, given, shown) => {
    expect(show(await read(given), [])).toEqual(shown);
  });

  it.each(SUMMARIES)('%s', async (_what, given, of, shown) => {
    expect(show(await read(given), of).filter((line) => !/^(?:hypnogram|sleep_stage) /.test(line))).toEqual(
      shown,
    );
  });

  // prettier-ignore
  it.each<[string, AppleExport]>([
    ['an entity of its own',                 { body: heart('61', { inner: meta('a', '&lol;') }), head: '<?xml version="1.0"?><!DOCTYPE HealthData [<!ENTITY lol "lol">]>' }],
    ['an attribute of two million characters', { body: heart('61', { inner: meta('note', 'x'.repeat(2_000_000)) }) }],
    ['elements of 100 levels',               { body: '<Record>'.repeat(100) + '</Record>'.repeat(100) }],
  ])('%s is refused, or read up to there with a fault', async (_what, given) => {
    const outcome = await read(given).then(
      ({ report }) => (report.faultCount > 0 ? 'fault' : 'silent'),
      (error: unknown) => (error instanceof UnreadableFile ? 'refused' : error),
    );
    expect(['fault', 'refused']).toContain(outcome);
  });
});
