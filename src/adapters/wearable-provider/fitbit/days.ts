import type { z } from 'zod';
import type { Sample, SampledResource } from '../../../wearables/readings.ts';
import { dayAfter } from '../../../platform/time-zone.ts';
import type { Api } from '../api.ts';
import type { Pull } from '../definition.ts';
import { originOf, sampleOf, samplesOf } from '../made.ts';
import type { Grant, Span } from '../port.ts';
import { dayAt, daysAnywhere, offsetInZone, wallOf, type Instant, type Wall } from '../times.ts';
import { Profile } from './wire.ts';

export const TRACKER = originOf('fitbit', 'watch', {
  id: null,
  manufacturer: 'Fitbit',
  model: null,
  version: null,
});

/** The user's clock: Fitbit writes what it showed, and where it hung is told by the profile. */
export interface Place {
  readonly wall: Wall;
  readonly zone: string | null;
  readonly first: string;
  readonly last: string;
}

export async function placeOf(api: Api, { span, grant }: { span: Span; grant: Grant }): Promise<Place> {
  if (!grant.scopes.includes('profile'))
    return { wall: wallOf(null, null), zone: null, ...daysAnywhere(span) };
  const { user } = await api.read(Profile, '/1/user/-/profile.json');
  const fixed = user.offsetFromUTCMillis == null ? null : user.offsetFromUTCMillis / 1000;
  const zone = user.timezone ?? null;
  const offsetAt = (at: number) => (zone === null ? null : offsetInZone(zone, at)) ?? fixed;
  const dayOf = (at: number) => dayAt(at, offsetAt(at));
  return {
    wall: wallOf(zone, fixed),
    zone,
    first: dayOf(span.from.getTime()),
    last: dayOf(span.to.getTime() - 1),
  };
}

export const midnightOf = ({ wall }: Place, day: string): Instant => wall(`${day}T00:00:00`);

interface Daily {
  readonly day: string;
  readonly value: number;
}

/** How a resource is told that has one value for each day or night. */
interface DailyForm<T> {
  readonly schema: z.ZodType<T>;
  readonly path: (from: string, to: string) => string;
  readonly values: (answer: T) => readonly Daily[];
  /** Of what is measured over a time: it is the day's. */
  readonly overDay?: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
}

export const daily = <T>(resource: SampledResource, form: DailyForm<T>): Pull =>
  async function* (api, asked) {
    const place = await placeOf(api, asked);
    const path = form.path(place.first, place.last);
    const answer = await api.find(form.schema, path, { absent: [404] });
    if (answer === undefined) return;
    const samples = form.values(answer).map(({ day, value }): Sample => {
      const { at, offset } = midnightOf(place, day);
      const until = form.overDay ? { until: midnightOf(place, dayAfter(day, 1)).at } : {};
      return sampleOf({ at, offset, value, ...until, ...(form.more && { more: form.more }) });
    });
    yield* samplesOf(resource, TRACKER, samples);
  };
