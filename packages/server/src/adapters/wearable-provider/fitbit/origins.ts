import type { ReadingOrigin } from '../../../readings/readings.ts';
import { createOrigin } from '../create-readings.ts';
import type { GoogleDataSource } from './wire.ts';

/**
 * The origins are those that the former API gave: sources and devices are identified by them, so that the same data are
 * not stored twice.
 */
export const TRACKER_ORIGIN = createOrigin('fitbit', 'watch', {
  id: null,
  manufacturer: 'Fitbit',
  model: null,
  version: null,
});

export const toWeightOrigin = (source: GoogleDataSource): ReadingOrigin =>
  source?.device?.formFactor === 'SCALE'
    ? createOrigin('fitbit', 'scale', {
        id: null,
        manufacturer: null,
        model: source.device.displayName ?? null,
        version: null,
      })
    : createOrigin('fitbit', 'unknown');

/** Data that another application sent to Google, rather than a tracker. */
export function toSessionOrigin(source: GoogleDataSource): ReadingOrigin {
  const { packageName, webClientId, googleWebClientId } = source?.application ?? {};
  const appId = packageName ?? webClientId ?? googleWebClientId ?? null;
  const isTracker = source?.device != null || source?.platform === 'FITBIT' || appId === null;
  return isTracker ? TRACKER_ORIGIN : { ...createOrigin('fitbit', 'app'), appId };
}

/** The last segment of a resource name identifies a data point. */
export const toPointKey = (name: string | null | undefined, at: number): string =>
  name?.split('/').at(-1) || String(at);
