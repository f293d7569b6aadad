import type { SummaryName } from './summaries/summaries.ts';
import type { TimeseriesName } from './timeseries/timeseries.ts';

/** Hypnograms are kept like samples, and no event tells of them. */
export type SampledResource = TimeseriesName | 'hypnogram';
export type SummedResource = Exclude<SummaryName, 'workout_stream'>;

/** Where readings come from, in the words of who brings them. */
export interface Origin {
  /** The slug of the provider. */
  readonly provider: string;
  /** One of SOURCE_TYPES; `unknown` where nobody says. */
  readonly type: string;
  readonly appId: string | null;
  readonly device: OriginDevice | null;
  /** Of samples that were taken in a workout: the key of its summary, and its sport. */
  readonly workout: { readonly key: string; readonly sport: string } | null;
}

export interface OriginDevice {
  /** As the provider calls it. */
  readonly id: string | null;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly version: string | null;
}

/**
 * One sample, in the unit of its resource. Moments are milliseconds since 1970: an export has millions of them, and a
 * Date costs several times a number.
 */
export interface Sample {
  readonly at: number;
  /** The end, of what was measured over a time; null at a moment. */
  readonly until: number | null;
  /** Seconds east of UTC; null where it is not known. */
  readonly offset: number | null;
  readonly type: string | null;
  /** Null where the resource has other fields in its place, as a blood pressure has. */
  readonly value: number | null;
  /** The fields that only this resource has: `systolic`, `intensity`, `tags`. */
  readonly more: Readonly<Record<string, unknown>> | null;
}

/** Samples of one resource from one origin. */
export interface SampleReading {
  readonly kind: 'samples';
  readonly resource: SampledResource;
  readonly origin: Origin;
  readonly samples: readonly Sample[];
}

/** One summary: a sleep, a workout, a day. */
export interface SummaryReading {
  readonly kind: 'summary';
  readonly resource: SummedResource;
  readonly origin: Origin;
  /** What makes it the same one when it comes again: the provider's id of it, or its day. */
  readonly key: string;
  /** When it began, in milliseconds since 1970. Lists go by it and by the day. */
  readonly at: number;
  /** The day that it counts for, as the user saw the calendar. */
  readonly day: string;
  /** The fields of the resource's schema, without those of `ofUser` and of the source. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What the provider sent, word for word; null where nobody sent it as an object. */
  readonly raw: Readonly<Record<string, unknown>> | null;
}

/** Columns of one length, as `ClientFacingStream` of the contract has them; `time` is in seconds since 1970. */
export interface StreamColumns {
  readonly time: readonly number[];
  readonly cadence?: readonly (number | null)[];
  readonly altitude?: readonly (number | null)[];
  readonly velocity_smooth?: readonly (number | null)[];
  readonly heartrate?: readonly (number | null)[];
  readonly lat?: readonly (number | null)[];
  readonly lng?: readonly (number | null)[];
  readonly distance?: readonly (number | null)[];
  readonly power?: readonly (number | null)[];
  readonly resistance?: readonly (number | null)[];
  readonly temperature?: readonly (number | null)[];
}

/** What was measured second by second in a workout. The workout's own summary comes before it. */
export interface WorkoutStreamReading {
  readonly kind: 'workout_stream';
  readonly origin: Origin;
  /** The key of the workout's summary. */
  readonly workoutKey: string;
  readonly columns: StreamColumns;
}

/** Anything that a provider, a file, an app or the demonstration brings about one user. */
export type Reading = SampleReading | SummaryReading | WorkoutStreamReading;
