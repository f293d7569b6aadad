/**
 * What the mobile SDKs push: the form of their requests, translated to readings. The entry point for other modules.
 */
import type { Work } from '../../platform/work.ts';
import type { SampledResource, SummaryResource } from '../../readings/readings.ts';
import { findSampleSpec, ingestInTransaction, isFault } from '../ingestion/ingestion.ts';
import type { IngestionFault, IngestionResult } from '../ingestion/ingestion.ts';
import { toActivities, toBody, toProfile, type PhoneReadings } from './daily-summaries.ts';
import { endHistory } from './history.ts';
import { toMeals } from './meals.ts';
import { asItem, asItems, originOf, type PhoneContext } from './payload.ts';
import { toCycles, toElectrocardiograms } from './records.ts';
import { PHONE_SAMPLES } from './resources.ts';
import { SampleCollector, toSample, type PhoneFault } from './samples.ts';
import type { PhonePush } from './schema.ts';
import { toSleeps, toWorkouts } from './sessions.ts';

export { PHONE_ALIASES, PHONE_SAMPLES } from './resources.ts';
export { phoneFields } from './schema.ts';

type Reader = (context: PhoneContext, data: unknown) => PhoneReadings;

const SUMMARY_READERS: { readonly [R in SummaryResource]?: Reader } = {
  activity: toActivities,
  body: toBody,
  profile: toProfile,
  sleep: toSleeps,
  workouts: toWorkouts,
  meal: toMeals,
  menstrual_cycle: toCycles,
  electrocardiogram: toElectrocardiograms,
};

/** The outcome of a push. Faults never fail the request: the SDKs would send the same data again and again. */
export interface PhonePushResult {
  readonly received: number;
  readonly taken: IngestionResult;
  readonly faults: readonly PhoneFault[];
}

interface PhonePushTarget {
  readonly userId: string;
  /** The resource of the path, by its name there. */
  readonly name: string;
  readonly resource: SampledResource | SummaryResource;
}

export async function pushFromPhone(
  work: Work,
  { userId, name, resource }: PhonePushTarget,
  push: PhonePush,
): Promise<PhonePushResult> {
  const provider = push.provider ?? 'manual';
  const context: PhoneContext = { provider, timeZone: push.time_zone ?? null, now: work.now };
  const { summaries, samples, faults } = readPush(context, { name, resource }, push.data);
  const isHistory = push.stage === 'historical';
  const readings = [...summaries, ...samples];
  const emitEvents = isHistory ? ('in sum' as const) : true;
  const taken = await ingestInTransaction(work, userId, readings, { emitEvents });
  if (isHistory && push.is_final_chunk === true) {
    const resources = new Set([resource, ...readings.map((reading) => reading.resource)]);
    await endHistory(work, userId, { provider, resource, resources: [...resources] });
  }
  return { received: Array.isArray(push.data) ? push.data.length : 1, taken, faults };
}

function readPush(
  context: PhoneContext,
  { name, resource }: Pick<PhonePushTarget, 'name' | 'resource'>,
  data: unknown,
): PhoneReadings {
  const reader = (SUMMARY_READERS as Readonly<Record<string, Reader | undefined>>)[resource];
  if (reader) return reader(context, data);
  const kind = PHONE_SAMPLES[name] ?? { resource: resource as SampledResource, units: unitsOf(resource) };
  const collector = new SampleCollector(context);
  for (const [index, item] of asItems(data).entries())
    if (resource === 'blood_pressure') addPressure(collector, context, { item, index });
    else collector.add(kind, item, { index });
  return { summaries: [], samples: collector.readings(), faults: collector.faults };
}

const unitsOf = (resource: string): Readonly<Record<string, number>> => {
  const unit = findSampleSpec(resource)?.unit;
  return unit === undefined ? {} : { [unit]: 1 };
};

const PRESSURE = { resource: 'blood_pressure', units: { mmHg: 1 } } as const;

/** Two samples that are one measurement, and often a pulse. */
function addPressure(
  collector: SampleCollector,
  context: PhoneContext,
  { item, index }: { item: ReturnType<typeof asItem>; index: number },
): void {
  const systolic = toSample(PRESSURE, asItem(item['systolic']), context);
  const diastolic = toSample(PRESSURE, asItem(item['diastolic']), context);
  const fault = [systolic, diastolic].find((one): one is IngestionFault => isFault(one));
  if (fault) collector.faults.push({ ...fault, index });
  if (isFault(systolic) || isFault(diastolic)) return;
  const more = { systolic: systolic.value, diastolic: diastolic.value };
  const origin = originOf(context, asItem(item['systolic']));
  collector.put('blood_pressure', origin, { ...systolic, value: null, more });
  const [pulse, kind] = [asItem(item['pulse']), PHONE_SAMPLES['heartrate']];
  if (kind && pulse['value'] !== undefined) collector.add(kind, pulse, { index });
}
