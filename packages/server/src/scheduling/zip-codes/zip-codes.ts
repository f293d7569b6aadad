import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import { DomainError } from '../../platform/errors.ts';
import { locateCentroid } from './census.ts';
import { timeZoneAt } from './time-zone.ts';
import { stateOfZip } from './zip-prefixes.ts';

export { stateOfZip } from './zip-prefixes.ts';

/** The location of a ZIP code. */
export interface ZipLocation {
  /** Five digits. */
  readonly zip: string;
  readonly point: GeoPoint;
  /** Two letters; undefined in the territories. */
  readonly state: string | undefined;
  /** IANA name, as `America/New_York`. */
  readonly timeZone: string;
  /** The census has no area for it, as for PO boxes: the point is that of a nearby ZIP code. */
  readonly isApproximate: boolean;
}

/**
 * Locates a ZIP code of five or nine digits. Undefined for unknown and for military ZIP codes, which have no location.
 * The first call in a process loads the table, 0.15 s.
 */
export function locateZip(zip: string): ZipLocation | undefined {
  const five = zip.slice(0, 5);
  const found = locateCentroid(five);
  if (!found) return undefined;
  const { point, isApproximate } = found;
  const state = stateOfZip(five);
  return { zip: five, point, state, timeZone: timeZoneAt(point, state), isApproximate };
}

/** Like `locateZip`, but throws a 404 that names the ZIP code. */
export function getZipLocation(zip: string): ZipLocation {
  const place = locateZip(zip);
  if (!place) throw new DomainError('not_found', `The ZIP code ${zip} does not exist in the United States`);
  return place;
}
