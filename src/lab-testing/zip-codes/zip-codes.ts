import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import { DomainError } from '../../platform/errors.ts';
import { pointOf } from './census.ts';
import { timeZoneAt } from './time-zone.ts';
import { stateOfZip } from './zip-prefixes.ts';

export { stateOfZip } from './zip-prefixes.ts';

/** Where a ZIP code is. */
export interface ZipPlace {
  /** Five digits. */
  readonly zip: string;
  readonly point: GeoPoint;
  /** Two letters; undefined in the territories. */
  readonly state: string | undefined;
  /** IANA name, as `America/New_York`. */
  readonly timeZone: string;
  /** The census has no area for it, as for post office boxes: the point is that of a near ZIP code. */
  readonly isApproximate: boolean;
}

/**
 * The middle of a ZIP code of five or nine digits. Undefined for one that is nowhere in the United States, and for
 * military mail, which has no place. The first call of a process reads the table, 0.15 s.
 */
export function locateZip(zip: string): ZipPlace | undefined {
  const five = zip.slice(0, 5);
  const found = pointOf(five);
  if (!found) return undefined;
  const { point, isApproximate } = found;
  const state = stateOfZip(five);
  return { zip: five, point, state, timeZone: timeZoneAt(point, state), isApproximate };
}

/** The same, or a 404 that names the ZIP code. */
export function getZipPlace(zip: string): ZipPlace {
  const place = locateZip(zip);
  if (!place) throw new DomainError('not_found', `No place in the United States has the ZIP code ${zip}`);
  return place;
}
