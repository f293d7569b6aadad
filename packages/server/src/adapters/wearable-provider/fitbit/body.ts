import type { ReadingOrigin } from '../../../readings/readings.ts';
import type { ProviderApi } from '../api.ts';
import { createSample, createSampleReadings, createSummary, UNDATED } from '../create-readings.ts';
import type { PullFunction } from '../definition.ts';
import type { ProviderTimeSpan } from '../port.ts';
import { parseInstant, toLocalDay } from '../times.ts';
import { roundTo, toIntegerOrNull } from '../wire.ts';
import { toPointKey, toWeightOrigin, TRACKER_ORIGIN } from './origins.ts';
import { findNewestPoint, listPoints, toPhysicalFilter, USER } from './requests.ts';
import * as wire from './wire.ts';

/** A weight or a body fat percentage, with the time of its measurement. */
interface BodyValue {
  readonly name: string | null | undefined;
  readonly at: number;
  readonly offset: number | null;
  readonly value: number;
  readonly origin: ReadingOrigin;
  readonly raw: Readonly<Record<string, unknown>>;
}

const FIELD = 'sample_time.physical_time';

async function listWeights(api: ProviderApi, span: ProviderTimeSpan): Promise<BodyValue[]> {
  const asked = { dataType: 'weight', filter: toPhysicalFilter(FIELD, span) };
  const points = await listPoints(api, wire.Weight, asked);
  return points.map(({ weight: { sampleTime, weightGrams }, ...given }) => ({
    name: given.name,
    at: parseInstant(sampleTime.physicalTime).at,
    offset: sampleTime.utcOffset,
    value: weightGrams / 1000,
    origin: toWeightOrigin(given.dataSource),
    raw: given,
  }));
}

async function listFats(api: ProviderApi, span: ProviderTimeSpan): Promise<BodyValue[]> {
  const asked = { dataType: 'body-fat', filter: toPhysicalFilter(FIELD, span) };
  const points = await listPoints(api, wire.BodyFat, asked);
  return points.map(({ bodyFat: { sampleTime, percentage }, ...given }) => ({
    name: given.name,
    at: parseInstant(sampleTime.physicalTime).at,
    offset: sampleTime.utcOffset,
    value: percentage,
    origin: toWeightOrigin(given.dataSource),
    raw: given,
  }));
}

const createBodyPull = (resource: 'weight' | 'fat', list: typeof listWeights): PullFunction =>
  async function* (api, { span }) {
    for (const { at, offset, value, origin } of await list(api, span))
      yield* createSampleReadings(resource, origin, [createSample({ at, offset, value })]);
  };

export const weight = createBodyPull('weight', listWeights);
export const fat = createBodyPull('fat', listFats);

const readHeight = async (api: ProviderApi) => (await findNewestPoint(api, wire.Height, 'height'))?.height;

export const body: PullFunction = async function* (api, { span }) {
  const weights = await listWeights(api, span);
  if (weights.length === 0) return;
  const fats = new Map((await listFats(api, span)).map(({ at, value }) => [at, value]));
  const meters = ((await readHeight(api))?.heightMillimeters ?? 0) / 1000;
  for (const { name, at, offset, value, origin, raw } of weights) {
    yield createSummary({
      resource: 'body',
      origin,
      key: toPointKey(name, at),
      at,
      day: toLocalDay(at, offset),
      raw,
      body: {
        weight: value,
        fat: fats.get(at) ?? null,
        body_mass_index: meters > 0 ? roundTo(value / meters ** 2, 1) : null,
      },
    });
  }
};

/** Google does not send the date of birth and the sex. */
export const profile: PullFunction = async function* (api) {
  const identity = await api.read(wire.Identity, `${USER}/identity`);
  const height = await readHeight(api);
  if (height === undefined) return;
  yield createSummary({
    resource: 'profile',
    origin: TRACKER_ORIGIN,
    // The key of profiles of the former API.
    key: identity.legacyUserId ?? identity.healthUserId,
    ...UNDATED,
    raw: { height },
    body: { height: toIntegerOrNull(height.heightMillimeters / 10) },
  });
};
