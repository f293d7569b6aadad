import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Encoder, Profile } from '@garmin/fitsdk';
import yazl from 'yazl';
import type { ApiResponse, TestService, TestTeam } from './service.ts';
import { FileReport, detectFileKind, readFile } from '../src/wearables/files/files.ts';
import type { HealthReading } from '../src/readings/readings.ts';

/** Wearable files as devices and apps write them, and helpers to read them. */

export const START = Date.UTC(2024, 4, 12, 6, 30);
const EPOCH_MS = 631_065_600_000;
const SEMICIRCLES = 2 ** 31 / 180;

interface FitRunOptions {
  readonly seconds?: number;
  readonly start?: number;
  readonly sessions?: readonly Readonly<Record<string, unknown>>[];
  readonly file?: Readonly<Record<string, unknown>>;
  readonly activity?: Readonly<Record<string, unknown>>;
  /** Further messages: message name and fields. */
  readonly others?: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
}

/** A FIT run of `seconds` in UTC+2, written by the SDK's encoder. */
export function fitRun({
  seconds = 60,
  start = START,
  sessions,
  file = {},
  activity = {},
  others = [],
}: FitRunOptions = {}): Buffer {
  const encoder = new Encoder();
  const write = (kind: string, fields: object) => {
    const mesgNum = Profile.MesgNum[kind];
    if (mesgNum === undefined) throw new Error(`The profile has no ${kind}`);
    encoder.onMesg(mesgNum, { mesgNum, ...fields });
  };
  const end = new Date(start + seconds * 1000);
  const made = { manufacturer: 'garmin', product: 4024, serialNumber: 4711 };
  write('FILE_ID', { type: 'activity', ...made, timeCreated: new Date(start), ...file });
  write('DEVICE_INFO', { timestamp: new Date(start), deviceIndex: 'creator', softwareVersion: 17.26 });
  for (let second = 0; second <= seconds; second += 1) {
    write('RECORD', {
      timestamp: new Date(start + second * 1000),
      positionLat: Math.round((52.5 + second * 0.00003) * SEMICIRCLES),
      positionLong: Math.round(13.4 * SEMICIRCLES),
      altitude: 34 + (second % 20),
      heartRate: 120 + (second % 30),
      cadence: 84,
      distance: second * 3.3,
      speed: 3.3,
      power: 250,
      temperature: 18,
    });
  }
  for (const [kind, fields] of others) write(kind, fields);
  const whole = {
    timestamp: end,
    startTime: new Date(start),
    sport: 'running',
    subSport: 'trail',
    totalElapsedTime: seconds,
    totalTimerTime: seconds - 5,
    totalDistance: seconds * 3.3,
    totalCalories: 12,
    avgHeartRate: 134,
    maxHeartRate: 149,
    totalAscent: 21,
  };
  for (const session of sessions ?? [whole]) write('SESSION', session);
  const local = Math.round((end.getTime() - EPOCH_MS) / 1000) + 7200;
  const stopped = { timestamp: end, localTimestamp: local, numSessions: 1, totalTimerTime: seconds };
  write('ACTIVITY', { ...stopped, ...activity });
  return Buffer.from(encoder.close());
}

const stamp = (at: number) => new Date(at).toISOString();

export function tcxRun({ seconds = 60, start = START } = {}): string {
  const points = Array.from(
    { length: seconds + 1 },
    (_, second) => `<Trackpoint><Time>${stamp(start + second * 1000)}</Time>
      <Position><LatitudeDegrees>${52.5 + second * 0.00003}</LatitudeDegrees><LongitudeDegrees>13.4</LongitudeDegrees></Position>
      <AltitudeMeters>${34 + (second % 20)}</AltitudeMeters><DistanceMeters>${second * 3.3}</DistanceMeters>
      <HeartRateBpm><Value>${120 + (second % 30)}</Value></HeartRateBpm>
      <Extensions><ns3:TPX><ns3:Speed>3.3</ns3:Speed><ns3:RunCadence>84</ns3:RunCadence><ns3:Watts>250</ns3:Watts></ns3:TPX></Extensions>
    </Trackpoint>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2">
 <Activities><Activity Sport="Running"><Id>${stamp(start)}</Id>
  <Lap StartTime="${stamp(start)}"><TotalTimeSeconds>${seconds}</TotalTimeSeconds><DistanceMeters>${seconds * 3.3}</DistanceMeters>
   <MaximumSpeed>3.5</MaximumSpeed><Calories>12</Calories>
   <AverageHeartRateBpm><Value>134</Value></AverageHeartRateBpm><MaximumHeartRateBpm><Value>149</Value></MaximumHeartRateBpm>
   <Track>${points.join('')}</Track></Lap>
  <Creator xsi:type="Device_t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Name>Forerunner 955</Name><UnitId>4711</UnitId><ProductID>4024</ProductID>
   <Version><VersionMajor>17</VersionMajor><VersionMinor>26</VersionMinor></Version></Creator>
 </Activity></Activities></TrainingCenterDatabase>`;
}

export function gpxRun({ seconds = 60, start = START, creator = 'StravaGPX iPhone' } = {}): string {
  const points = Array.from(
    { length: seconds + 1 },
    (_, second) => `<trkpt lat="${52.5 + second * 0.00003}" lon="13.4"><ele>${34 + (second % 20)}</ele>
     <time>${stamp(start + second * 1000)}</time><extensions><power>250</power><gpxtpx:TrackPointExtension>
     <gpxtpx:atemp>18</gpxtpx:atemp><gpxtpx:hr>${120 + (second % 30)}</gpxtpx:hr><gpxtpx:cad>84</gpxtpx:cad></gpxtpx:TrackPointExtension></extensions></trkpt>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="${creator}" version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
 <metadata><time>${stamp(start)}</time></metadata>
 <trk><name>Morning &amp; Run</name><type>running</type><trkseg>
${points.join('')}</trkseg></trk></gpx>`;
}

/** A timestamp in the format of Apple Health exports, in UTC+2. */
const appleTime = (at: number): string =>
  `${new Date(at + 7_200_000).toISOString().slice(0, 19).replace('T', ' ')} +0200`;

const WATCH =
  'sourceName="Ada’s Apple&#160;Watch" sourceVersion="10.4" device="&lt;&lt;HKDevice: 0x301a2c&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:10.4&gt;"';
const PHONE =
  'sourceName="Ada’s iPhone" sourceVersion="17.4" device="&lt;&lt;HKDevice: 0x301a2d&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone15,2, software:17.4&gt;"';

const span = (start: number, end = start) =>
  `creationDate="${appleTime(end)}" startDate="${appleTime(start)}" endDate="${appleTime(end)}"`;

export const appleRecord = (
  type: string,
  given: { value: string | number; unit?: string; start: number; end?: number; by?: 'watch' | 'phone' },
) =>
  ` <Record type="${type}" ${given.by === 'phone' ? PHONE : WATCH} ${given.unit === undefined ? '' : `unit="${given.unit}" `}${span(given.start, given.end)} value="${given.value}"/>\n`;

export const appleSleep = (stage: string, start: number, minutes: number): string =>
  appleRecord('HKCategoryTypeIdentifierSleepAnalysis', {
    value: `HKCategoryValueSleepAnalysis${stage}`,
    start,
    end: start + minutes * 60_000,
  });

export const appleWorkout = (start: number, minutes: number, route?: string): string =>
  ` <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="${minutes}" durationUnit="min" ${WATCH} ${span(start, start + minutes * 60_000)}>
  <MetadataEntry key="HKElevationAscended" value="1250 cm"/>
  <WorkoutEvent type="HKWorkoutEventTypePause" date="${appleTime(start)}"/>
  <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="141.4" minimum="98" maximum="171" unit="count/min"/>
  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="310" unit="kcal"/>
  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="5.2" unit="km"/>
  <WorkoutActivity uuid="1"><WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="1" maximum="1" unit="count/min"/></WorkoutActivity>
  ${route === undefined ? '' : `<WorkoutRoute ${PHONE}><FileReference path="/workout-routes/${route}"/></WorkoutRoute>`}
 </Workout>\n`;

export const applePressure = (start: number): string => {
  const part = (name: string, value: number) =>
    appleRecord(`HKQuantityTypeIdentifierBloodPressure${name}`, { value, unit: 'mmHg', start, by: 'phone' });
  const parts = part('Systolic', 121) + part('Diastolic', 79);
  return `${parts} <Correlation type="HKCorrelationTypeIdentifierBloodPressure" ${PHONE} ${span(start)}>\n${parts} </Correlation>\n`;
};

/** The document of an Apple Health export, with its usual DOCTYPE. */
export async function* appleDocument(records: Iterable<string>): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 13 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
<!ATTLIST HealthData locale CDATA #REQUIRED>
<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
]>
<HealthData locale="de_DE">
 <ExportDate value="${appleTime(START + 86_400_000)}"/>
 <Me HKCharacteristicTypeIdentifierDateOfBirth="1985-12-10" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>
`;
  yield* records;
  yield '</HealthData>\n';
}

export interface AppleFiles {
  readonly document: AsyncIterable<string> | string;
  /** By their path in the archive. */
  readonly others?: Readonly<Record<string, string>>;
  /** The file name depends on the phone's language. */
  readonly name?: string;
}

/** Writes an export.zip as a stream, so that the document can be large. */
export async function writeAppleZip(
  path: string,
  { document, others = {}, name = 'Export.xml' }: AppleFiles,
): Promise<void> {
  const zip = new yazl.ZipFile();
  const pieces = typeof document === 'string' ? [document] : document;
  zip.addReadStream(Readable.from(pieces, { objectMode: false }), `apple_health_export/${name}`);
  for (const [entry, text] of Object.entries(others)) zip.addBuffer(Buffer.from(text), entry);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

/** Writes a zip of files by their path in it. */
export async function writeZip(
  path: string,
  entries: Readonly<Record<string, Buffer | string>>,
): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const [entry, bytes] of Object.entries(entries)) zip.addBuffer(Buffer.from(bytes), entry);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

/** A folder for the files of a test. */
export async function openFolder(): Promise<{ path: (name: string) => string; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'wearable-files-'));
  return { path: (name) => join(folder, name), close: () => rm(folder, { recursive: true, force: true }) };
}

export interface ParsedFile {
  readonly kind: string;
  readonly readings: readonly HealthReading[];
  readonly report: FileReport;
}

/** Reads a whole file of a user in a time zone, as the service does. */
export async function readPath(path: string, timeZone: string | null = null): Promise<ParsedFile> {
  const file = await open(path);
  try {
    const report = new FileReport();
    const kind = await detectFileKind(file);
    const readings: HealthReading[] = [];
    for await (const reading of readFile(kind, file, { report, timeZone })) readings.push(reading);
    return { kind, readings, report };
  } finally {
    await file.close();
  }
}

export async function readBytes(
  bytes: Buffer | string,
  folder: { path: (name: string) => string },
  timeZone: string | null = null,
): Promise<ParsedFile> {
  const path = folder.path(`file-${String(process.hrtime.bigint())}`);
  await writeFile(path, bytes);
  return readPath(path, timeZone);
}

/** An export of about `megabytes` MB: several years of heart rates, steps, sleeps and workouts. */
export async function* bigAppleDocument(megabytes: number): AsyncGenerator<string> {
  const first = Date.UTC(2015, 0, 1);
  let bytes = 0;
  function* records(): Generator<string> {
    for (let day = 0; bytes < megabytes * 1024 * 1024; day += 1) {
      const start = first + day * 86_400_000;
      let text = '';
      for (let minute = 0; minute < 1440; minute += 2) {
        const at = start + minute * 60_000;
        text += appleRecord('HKQuantityTypeIdentifierHeartRate', {
          value: 50 + (minute % 90),
          unit: 'count/min',
          start: at,
        });
        const steps = {
          value: minute % 110,
          unit: 'count',
          start: at,
          end: at + 60_000,
          by: 'phone',
        } as const;
        text += appleRecord('HKQuantityTypeIdentifierStepCount', steps);
      }
      for (let cycle = 0; cycle < 5; cycle += 1) {
        text +=
          appleSleep('AsleepCore', start + cycle * 5_400_000, 60) +
          appleSleep('AsleepREM', start + cycle * 5_400_000 + 3_600_000, 30);
      }
      bytes += Buffer.byteLength(text);
      yield text;
    }
    for (let day = 0; day < 300; day += 1) yield appleWorkout(first + day * 86_400_000 + 36_000_000, 40);
  }
  yield* appleDocument(records());
}

/** Reads a file and keeps only the counts: samples by resource, summaries, faults. */
export async function countReadings(
  path: string,
): Promise<{ samples: Record<string, number>; summaries: number; faults: number; ms: number }> {
  const file = await open(path);
  const from = performance.now();
  try {
    const report = new FileReport();
    const samples: Record<string, number> = {};
    let summaries = 0;
    const kind = await detectFileKind(file);
    for await (const reading of readFile(kind, file, { report, timeZone: null })) {
      if (reading.kind === 'summary') summaries += 1;
      if (reading.kind === 'samples')
        samples[reading.resource] = (samples[reading.resource] ?? 0) + reading.samples.length;
    }
    return { samples, summaries, faults: report.faultCount, ms: Math.round(performance.now() - from) };
  } finally {
    await file.close();
  }
}

interface WearableUpload {
  readonly userId: string;
  readonly bytes: Buffer | string;
  /** As a file in a form, or as the request body. */
  readonly as?: 'form' | 'body';
  readonly headers?: Record<string, string>;
}

/** Uploads a file, as a client does. */
export async function uploadWearableFile(
  service: Pick<TestService, 'http'>,
  team: Pick<TestTeam, 'key'>,
  { userId, bytes, as = 'body', headers = {} }: WearableUpload,
): Promise<Pick<ApiResponse, 'status' | 'json'>> {
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'run.fit');
  const encoded = as === 'form' ? new Response(form) : new Response(bytes);
  const answer = await service.http.server.inject({
    method: 'POST',
    url: `/v2/user/${userId}/wearable_file`,
    headers: {
      ...headers,
      'x-service-api-key': team.key,
      'content-type': encoded.headers.get('content-type') ?? 'application/octet-stream',
    },
    payload: Buffer.from(await encoded.arrayBuffer()),
  });
  return { status: answer.statusCode, json: JSON.parse(answer.body) };
}
