import type { Work } from '../../platform/work.ts';
import * as store from './store.ts';

/**
 * Whether the tenant wants each summary and sample of historical data as a `daily.data` event, too. By default historical
 * data is announced only, by one `historical.data` event per resource when it is complete.
 */
export async function pushesHistoricalData({ tx, tenant }: Work): Promise<boolean> {
  const pipeline = await store.findPipeline(tx, tenant);
  return pipeline?.push_historical_data ?? false;
}
