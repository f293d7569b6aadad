import { LRUCache } from 'lru-cache';
import { offsetAt } from '../../../platform/time-zone.ts';
import { isPlausibleTimestamp } from '../file-workout.ts';

export interface LocalTimestamp {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Seconds east of UTC. */
  readonly offset: number;
}

const CHAR_ZERO = 48;

/** The metadata entry with the zone in which something was recorded. */
export const TIME_ZONE_KEY = 'HKTimeZone';

/**
 * Parses the export format `2024-03-01 07:30:00 +0100`; undefined for anything else. The offset of an export is that of
 * the phone that made it; `zone`, if it is known, is where the user was.
 */
export function parseAppleTimestamp(text: string | undefined, zone?: string): LocalTimestamp | undefined {
  const parsed = parseTimestamp(text);
  const offset = parsed && zone !== undefined ? zoneOffsetSeconds(zone, parsed.at) : undefined;
  return parsed && offset !== undefined ? { ...parsed, offset } : parsed;
}

const UNKNOWN_ZONES_MAX = 1000;
/** Asking for an unknown zone is slow, and a file may name one in every record. */
const unknownZones = new LRUCache<string, true>({ max: UNKNOWN_ZONES_MAX });
const ZONE_LENGTH_MAX = 50;

/** Undefined for an unknown zone. */
function zoneOffsetSeconds(zone: string, at: number): number | undefined {
  if (zone.length > ZONE_LENGTH_MAX || unknownZones.has(zone)) return undefined;
  try {
    return offsetAt(zone, at) / 1000;
  } catch {
    unknownZones.set(zone, true);
    return undefined;
  }
}

function parseTimestamp(text: string | undefined): LocalTimestamp | undefined {
  if (text?.length !== 25 || text[4] !== '-' || text[10] !== ' ' || text[13] !== ':') return undefined;
  const two = (at: number) => (text.charCodeAt(at) - CHAR_ZERO) * 10 + text.charCodeAt(at + 1) - CHAR_ZERO;
  const hours = Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17));
  const offset = (two(21) * 60 + two(23)) * (text[20] === '-' ? -60 : 60);
  const at = hours - offset * 1000;
  return isPlausibleTimestamp(at) && Math.abs(offset) <= 18 * 3600 ? { at, offset } : undefined;
}
