import type { GeoPoint } from '../../adapters/scheduling/port.ts';

/** The mean earth radius, 6371.0088 km. */
export const EARTH_RADIUS_MILES = 3958.7613;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;

/** The great-circle distance (haversine formula). */
export function milesBetween(one: GeoPoint, other: GeoPoint): number {
  const [lat, lng] = [radians(other.lat - one.lat) / 2, radians(other.lng - one.lng) / 2];
  const half =
    Math.sin(lat) ** 2 + Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * Math.sin(lng) ** 2;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(half)));
}

/**
 * Rounds to a tenth of a millimeter. Otherwise, squares of tiny angles could underflow, which PostgreSQL reports as an
 * error.
 */
export const roundPoint = ({ lat, lng }: GeoPoint): GeoPoint => ({
  lat: Math.round(lat * 1e9) / 1e9,
  lng: Math.round(lng * 1e9) / 1e9,
});

/** In degrees, inclusive. */
export interface GeoBoundingBox {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/**
 * A box that contains the circle. If the circle touches a pole or the 180th meridian, as near the Aleutians, the box
 * covers all longitudes.
 */
export function computeBoundingBox({ lat, lng }: GeoPoint, radiusMiles: number): GeoBoundingBox {
  const angle = (radiusMiles / EARTH_RADIUS_MILES) * (1 + 1e-9);
  const [south, north] = [lat - degrees(angle), lat + degrees(angle)];
  const all = { south: Math.max(-90, south), north: Math.min(90, north), west: -180, east: 180 };
  if (south <= -90 || north >= 90) return all;
  const width = degrees(Math.asin(Math.sin(angle) / Math.cos(radians(lat))));
  const [west, east] = [lng - width, lng + width];
  return west < -180 || east > 180 ? all : { ...all, west, east };
}
