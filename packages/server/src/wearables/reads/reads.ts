// The routes that read measurements: samples, summaries, streams, devices and introspection.
import type { Http } from '../../platform/http/http.ts';
import { deviceRoutes } from './device-routes.ts';
import { introspectionRoutes } from './introspection-routes.ts';
import { streamRoutes } from './stream-routes.ts';
import { summaryRoutes } from './summary-routes.ts';
import { timeseriesRoutes } from './timeseries-routes.ts';

export function wearableReadRoutes(http: Http): void {
  timeseriesRoutes(http);
  streamRoutes(http);
  summaryRoutes(http);
  deviceRoutes(http);
  introspectionRoutes(http);
}
