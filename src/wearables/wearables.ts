/**
 * What devices of users have measured: brought by providers, files, apps and the demonstration, kept once, told and read.
 * The door for other slices.
 */
export {
  COUNTED,
  inPriority,
  intervalOf,
  mergeIntervals,
  type Counted,
  type Interval,
} from './daily/daily.ts';
export { FileReport, kindOfFile } from './files/files.ts';
export { importFile, type Imported } from './files/import-file.ts';
export type { Reading, Sample, SampledResource, SummedResource } from './readings.ts';
export { readSummaries, type SummaryView } from './records/records.ts';
export { readSamples, type StoredSource } from './samples/samples.ts';
export { takeIn } from './taking-in/taking-in.ts';
export { TIMESERIES, type TimeseriesName } from './timeseries/timeseries.ts';
export { tenantOfUser, WEARABLE_FILES } from './uploads/uploads.ts';
