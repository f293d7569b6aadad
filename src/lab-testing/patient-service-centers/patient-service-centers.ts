import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import type { Capability } from '../areas/schema.ts';
import type { Site } from './site.ts';
import * as store from './store.ts';
import type { SiteReader } from './store.ts';

export type { Site } from './site.ts';
export { importSites, type ListChange } from './import-sites.ts';
export { seedSites } from './load-sites.ts';
export { areaSources } from './area-sources.ts';
export type { SiteReader } from './store.ts';
export { milesBetween } from './great-circle.ts';
export { getZipPlace, locateZip, type ZipPlace } from '../zip-codes/zip-codes.ts';

/** What nobody gets more of in one answer. */
export const MOST_SITES = 500;

export interface NearSearch {
  /** The laboratory's id, or its slug. */
  readonly lab: number | string;
  readonly near: GeoPoint;
  readonly radiusMiles: number;
  /** Sites that have all of them. */
  readonly capabilities?: readonly Capability[] | null | undefined;
  /** `MOST_SITES` at most, and when left out. */
  readonly limit?: number | undefined;
}

/**
 * The laboratory's sites within the radius, the nearest first, those of the same distance by their code. A laboratory
 * that is not there has none. Sites that were made for sandboxes are not seen in production.
 */
export const findSitesNear = (reader: SiteReader, search: NearSearch): Promise<Site[]> =>
  store.listSitesNear(reader, search, Math.min(search.limit ?? MOST_SITES, MOST_SITES));

/** The laboratory's sites with these codes, in the order of the codes; a code that is not there is left out. */
export const findSitesByCode = (
  reader: SiteReader,
  lab: number | string,
  codes: readonly string[],
): Promise<Site[]> => store.listSitesByCode(reader, lab, codes);
