import type { SummaryName } from './summaries/summaries.ts';
import type { TimeseriesName } from './timeseries/timeseries.ts';

/** Hypnograms are stored like samples, but no event is emitted for them. */
export type SampledResource = TimeseriesName | 'hypnogram';
export type SummaryResource = Exclude<SummaryName, 'workout_stream'>;

/** Where readings come from, as the provider, file or app states it. */
export interface ReadingOrigin {
  /** The slug of the provider. */
  readonly provider: string;
  /** One of SOURCE_TYPES; `unknown` if it is not stated. */
  readonly type: string;
  readonly appId: string | null;
  readonly device: OriginDevice | null;
  /** For samples measured during a workout: the key of its summary, and its sport. */
  readonly workout: { readonly key: string; readonly sport: string } | null;
}

export interface OriginDevice {
  /** The provider's id of the device. */
  readonly id: string | null;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly version: string | null;
}

/**
 * One sample, in the unit of its resource. Timestamps are milliseconds since 1970: an export has millions of them, and
 * a Date costs several times as much as a number.
 */
export interface HealthSample {
  readonly at: number;
  /** The end of a measurement over an interval; null for an instantaneous one. */
  readonly until: number | null;
  /** Seconds east of UTC; null if unknown. */
  readonly offset: number | null;
  readonly type: string | null;
  /** Null if the resource has other fields instead, as blood pressure does. */
  readonly value: number | null;
  /** Fields that are specific to the resource: `systolic`, `intensity`, `tags`. */
  readonly more: Readonly<Record<string, unknown>> | null;
}

/** Samples of one resource from one origin. */
export interface SampleReading {
  readonly kind: 'samples';
  readonly resource: SampledResource;
  readonly origin: ReadingOrigin;
  readonly samples: readonly HealthSample[];
}

interface SummaryDetail {
  /** Fields of the body that only the detail has. Where this reading has none, the stored value is kept. */
  readonly fields: readonly string[];
  /** Whether the detail was requested. This is remembered, so that it is requested once. */
  readonly isRead: boolean;
}

/** One summary: a sleep, a workout, a day. */
export interface SummaryReading {
  readonly kind: 'summary';
  readonly resource: SummaryResource;
  readonly origin: ReadingOrigin;
  /** Identifies the summary when it arrives again: the provider's id, or its day. */
  readonly key: string;
  /** When it began, in milliseconds since 1970. Lists filter and sort by this and by the day. */
  readonly at: number;
  /** The day that it counts toward, in the user's local calendar. */
  readonly day: string;
  /** The fields of the resource's schema, without those of `commonSummaryFields` and of the source. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The provider's payload, verbatim; null if it was not sent as an object. */
  readonly raw: Readonly<Record<string, unknown>> | null;
  /** For a provider that sends some fields only in the detail of a single record. */
  readonly detail?: SummaryDetail;
}

/** Columns of equal length, as in `ClientFacingStream` of the contract; `time` is in seconds since 1970. */
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

/** Second-by-second measurements of a workout. The summary of the workout must arrive before its stream. */
export interface WorkoutStreamReading {
  readonly kind: 'workout_stream';
  readonly origin: ReadingOrigin;
  /** The key of the workout's summary. */
  readonly workoutKey: string;
  readonly columns: StreamColumns;
}

/** One unit of data about one user, from a provider, a file, an app or the demo. */
export type HealthReading = SampleReading | SummaryReading | WorkoutStreamReading;
