/**
 * One truth from several devices. Everybody who adds up what devices count (the totals of days here, the hours and
 * weeks of the aggregation) does it in this order: read the samples of a time and of the day before it
 * (`readSamples`), a layer for each source, its samples by `intervalOf`; `inPriority(providers, sources)` with the
 * team's `sourceOrder(work, 'timeseries')`; then `mergeIntervals(layers, edges)` with the edges of the buckets that
 * are wanted. Nothing of this is kept: what comes late counts from the next question on.
 */
export { hoursOf } from './hours.ts';
export { mergeIntervals, type Interval, type Layer, type Merged } from './merge-intervals.ts';
export { inPriority } from './priority.ts';
export { COUNTED, intervalOf, type Counted } from './resources.ts';
export { dailyTotalRoutes } from './routes.ts';
export { dailyTotals, type DailyAsk, type DailySource, type DailyTotal } from './totals.ts';
