import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import type { LabLocationCapability } from '../areas/schema.ts';
import type { PatientServiceCenter } from './site.ts';
import * as store from './store.ts';
import type { SiteReader } from './store.ts';

export type { PatientServiceCenter } from './site.ts';
export { importSites } from './import-sites.ts';
export { seedSites } from './load-sites.ts';
export { createAreaSources } from './area-sources.ts';
export { milesBetween } from './great-circle.ts';
export { getZipLocation, locateZip } from '../zip-codes/zip-codes.ts';

/** The maximum number of sites in one response. */
const SITES_MAX = 500;

interface NearbySiteSearch {
  /** The laboratory's id or slug. */
  readonly lab: number | string;
  readonly near: GeoPoint;
  readonly radiusMiles: number;
  /** Returns sites that have all of these. */
  readonly capabilities?: readonly LabLocationCapability[] | null | undefined;
  /** Default and maximum: `SITES_MAX`. */
  readonly limit?: number | undefined;
}

/**
 * The laboratory's sites within the radius, by distance, then by code. Empty for an unknown laboratory. Generated sites
 * are returned in sandboxes only.
 */
export const findSitesNear = (
  reader: SiteReader,
  search: NearbySiteSearch,
): Promise<PatientServiceCenter[]> =>
  store.listSitesNear(reader, search, Math.min(search.limit ?? SITES_MAX, SITES_MAX));

/** The laboratory's sites with these codes, in the order of the codes; unknown codes are omitted. */
export const findSitesByCode = (
  reader: SiteReader,
  lab: number | string,
  codes: readonly string[],
): Promise<PatientServiceCenter[]> => store.listSitesByCode(reader, lab, codes);
