import type { Meter } from '@opentelemetry/api';
import { listCacheLookups } from '../cache-lookups.ts';

/** Lookups in the caches of this process. */
export function observeCaches(meter: Meter): void {
  const options = { unit: '{lookup}', description: 'Lookups in a cache by result' };
  meter.createObservableCounter('aliquot.cache.lookup', options).addCallback((result) => {
    for (const [name, { hits, misses }] of listCacheLookups()) {
      result.observe(hits, { 'aliquot.cache.name': name, 'aliquot.result': 'hit' });
      result.observe(misses, { 'aliquot.cache.name': name, 'aliquot.result': 'miss' });
    }
  });
}
