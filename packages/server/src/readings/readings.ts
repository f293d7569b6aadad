/**
 * What was measured, in the words of the interface: the resources, their summaries and samples, the providers and the
 * sports. Adapters create readings, and wearables store them; this module knows neither. The entry point for others.
 */
export {
  AUTH_TYPES,
  describeProvider,
  findProvider,
  KNOWN_PROVIDERS,
  LINKED_TYPES,
  type KnownProvider,
} from './providers.ts';
export type * from './reading.ts';
export { RESOURCES, type ResourceName, type WearableResource } from './resources.ts';
export { findSportId, getSport, matchSport, type Sport, type SportSlug } from './sports.ts';
export { SUMMARIES } from './summaries/summaries.ts';
export { hypnogram, TIMESERIES, type TimeseriesName } from './timeseries/timeseries.ts';
export { Profile } from './summaries/body.ts';
export { SleepStream } from './summaries/sleep.ts';
export { Workout } from './summaries/workout.ts';
