import type { z } from 'zod';
import type { HealthSample, SampledResource } from '../../../readings/readings.ts';
import { addDays } from '../../../platform/time-zone.ts';
import type { ProviderApi } from '../api.ts';
import type { PullFunction } from '../definition.ts';
import { createOrigin, createSample, createSampleReadings } from '../create-readings.ts';
import type { Grant, ProviderTimeSpan } from '../port.ts';
import {
  toLocalDay,
  toCalendarDays,
  getZoneOffset,
  createLocalTimeParser,
  type OffsetInstant,
  type LocalTimeParser,
} from '../times.ts';
import { Profile } from './wire.ts';

export const TRACKER_ORIGIN = createOrigin('fitbit', 'watch', {
  id: null,
  manufacturer: 'Fitbit',
  model: null,
  version: null,
});

/** The user's local calendar. Fitbit sends local times; the time zone is in the profile. */
export interface FitbitCalendar {
  readonly parseLocalTime: LocalTimeParser;
  readonly zone: string | null;
  readonly first: string;
  readonly last: string;
}

export async function readCalendar(
  api: ProviderApi,
  { span, grant }: { span: ProviderTimeSpan; grant: Grant },
): Promise<FitbitCalendar> {
  if (!grant.scopes.includes('profile'))
    return { parseLocalTime: createLocalTimeParser(null, null), zone: null, ...toCalendarDays(span) };
  const { user } = await api.read(Profile, '/1/user/-/profile.json');
  const fixed = user.offsetFromUTCMillis == null ? null : user.offsetFromUTCMillis / 1000;
  const zone = user.timezone ?? null;
  const offsetAt = (at: number) => (zone === null ? null : getZoneOffset(zone, at)) ?? fixed;
  const dayOf = (at: number) => toLocalDay(at, offsetAt(at));
  return {
    parseLocalTime: createLocalTimeParser(zone, fixed),
    zone,
    first: dayOf(span.from.getTime()),
    last: dayOf(span.to.getTime() - 1),
  };
}

export const startOfDay = ({ parseLocalTime }: FitbitCalendar, day: string): OffsetInstant =>
  parseLocalTime(`${day}T00:00:00`);

interface DailyValue {
  readonly day: string;
  readonly value: number;
}

/** A resource with one value per day or night. */
interface DailyResource<T> {
  readonly schema: z.ZodType<T>;
  readonly path: (from: string, to: string) => string;
  readonly values: (answer: T) => readonly DailyValue[];
  /** The sample spans the whole day. */
  readonly overDay?: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
}

export const createDailyPull = <T>(resource: SampledResource, form: DailyResource<T>): PullFunction =>
  async function* (api, asked) {
    const place = await readCalendar(api, asked);
    const path = form.path(place.first, place.last);
    const answer = await api.find(form.schema, path, { emptyStatuses: [404] });
    if (answer === undefined) return;
    const samples = form.values(answer).map(({ day, value }): HealthSample => {
      const { at, offset } = startOfDay(place, day);
      const until = form.overDay ? { until: startOfDay(place, addDays(day, 1)).at } : {};
      return createSample({ at, offset, value, ...until, ...(form.more && { more: form.more }) });
    });
    yield* createSampleReadings(resource, TRACKER_ORIGIN, samples);
  };
