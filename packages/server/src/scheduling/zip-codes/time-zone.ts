import timeZoneOf from '@photostructure/tz-lookup';
import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import { listCentroidsNear } from './census.ts';

const EASTERN = ['America/New_York'];
const CENTRAL = ['America/Chicago'];
const MOUNTAIN = ['America/Denver'];
const PACIFIC = ['America/Los_Angeles'];

/**
 * The IANA time zones of each state. The lookup uses coarse shapes, so a point near a border may get the neighbor's
 * zone, which may have no daylight saving time; this table says which answers are possible.
 */
// prettier-ignore
const ZONES: Readonly<Record<string, readonly string[]>> = {
  AL: CENTRAL,
  AK: ['America/Anchorage', 'America/Juneau', 'America/Sitka', 'America/Metlakatla', 'America/Nome', 'America/Yakutat', 'America/Adak'],
  AZ: ['America/Phoenix', 'America/Denver'],
  AR: CENTRAL,
  CA: PACIFIC,
  CO: MOUNTAIN,
  CT: EASTERN,
  DC: EASTERN,
  DE: EASTERN,
  FL: [...EASTERN, ...CENTRAL],
  GA: EASTERN,
  HI: ['Pacific/Honolulu'],
  IA: CENTRAL,
  ID: ['America/Boise', ...PACIFIC],
  IL: CENTRAL,
  IN: [
    'America/Indiana/Indianapolis', 'America/Indiana/Knox', 'America/Indiana/Marengo', 'America/Indiana/Petersburg',
    'America/Indiana/Tell_City', 'America/Indiana/Vevay', 'America/Indiana/Vincennes', 'America/Indiana/Winamac',
    'America/Kentucky/Louisville', ...EASTERN, ...CENTRAL,
  ],
  KS: [...CENTRAL, ...MOUNTAIN],
  KY: ['America/Kentucky/Louisville', 'America/Kentucky/Monticello', ...EASTERN, ...CENTRAL],
  LA: CENTRAL,
  MA: EASTERN,
  MD: EASTERN,
  ME: EASTERN,
  MI: ['America/Detroit', 'America/Menominee'],
  MN: CENTRAL,
  MO: CENTRAL,
  MS: CENTRAL,
  MT: MOUNTAIN,
  NC: EASTERN,
  ND: ['America/North_Dakota/Beulah', 'America/North_Dakota/Center', 'America/North_Dakota/New_Salem', ...CENTRAL, ...MOUNTAIN],
  NE: [...CENTRAL, ...MOUNTAIN],
  NH: EASTERN,
  NJ: EASTERN,
  NM: MOUNTAIN,
  NV: PACIFIC,
  NY: EASTERN,
  OH: EASTERN,
  OK: CENTRAL,
  OR: ['America/Boise', ...PACIFIC],
  PA: EASTERN,
  RI: EASTERN,
  SC: EASTERN,
  SD: [...CENTRAL, ...MOUNTAIN],
  TN: [...CENTRAL, ...EASTERN],
  TX: [...CENTRAL, ...MOUNTAIN],
  UT: MOUNTAIN,
  VA: EASTERN,
  VT: EASTERN,
  WA: PACIFIC,
  WI: CENTRAL,
  WV: EASTERN,
  WY: MOUNTAIN,
};

/** The lookup places American Samoa on the wrong side of the date line. */
const TERRITORY_ZONES: Readonly<Record<string, string>> = { 'Pacific/Apia': 'Pacific/Pago_Pago' };

/** The IANA time zone of a point in a state. Without a state (territories), the lookup's answer. */
export function timeZoneAt(point: GeoPoint, state: string | undefined): string {
  const zone = timeZoneOf(point.lat, point.lng);
  const zones = ZONES[state ?? ''];
  if (!zones) return TERRITORY_ZONES[zone] ?? zone;
  if (zones.includes(zone)) return zone;
  return zones.length === 1 && zones[0] !== undefined ? zones[0] : findNearbyZone(point, state ?? '', zones);
}

const NEARBY_DEGREES = 3;

/** The zone of the nearest ZIP code area of the state that has one of the state's zones. */
function findNearbyZone(point: GeoPoint, state: string, zones: readonly string[]): string {
  for (const { lat, lng } of listCentroidsNear(point, state, NEARBY_DEGREES)) {
    const zone = timeZoneOf(lat, lng);
    if (zones.includes(zone)) return zone;
  }
  return zones[0] ?? 'Etc/UTC';
}
