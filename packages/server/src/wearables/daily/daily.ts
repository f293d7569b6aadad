/**
 * Deduplicated totals across several devices. Every caller (daily totals here, hourly and weekly aggregation) follows
 * the same steps:
 *   1. read the samples of the interval and of the day before it (`readSamples`), convert them with `toInterval`, and
 *      make one layer per source;
 *   2. sort the sources with `sortByPriority`, given the team's `getSourceOrder(work, 'timeseries')`;
 *   3. call `mergeIntervals(layers, edges)` with the edges of the requested buckets.
 * Nothing is cached: late data counts from the next request on.
 */
export { deriveActivities, isActivityResource, type ActivityDay } from './activity-fields.ts';
export { mergeIntervals, type AmountInterval } from './merge-intervals.ts';
export { sortByPriority } from './priority.ts';
export { COUNTED_RESOURCES, toInterval, type CountedResource } from './resources.ts';
export { dailyTotalRoutes } from './routes.ts';
