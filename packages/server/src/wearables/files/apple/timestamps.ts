import { isPlausibleTimestamp } from '../file-workout.ts';

export interface LocalTimestamp {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Seconds east of UTC. */
  readonly offset: number;
}

const CHAR_ZERO = 48;

/** Parses the export format `2024-03-01 07:30:00 +0100`; undefined for anything else. */
export function parseAppleTimestamp(text: string | undefined): LocalTimestamp | undefined {
  if (text?.length !== 25 || text[4] !== '-' || text[10] !== ' ' || text[13] !== ':') return undefined;
  const two = (at: number) => (text.charCodeAt(at) - CHAR_ZERO) * 10 + text.charCodeAt(at + 1) - CHAR_ZERO;
  const hours = Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17));
  const offset = (two(21) * 60 + two(23)) * (text[20] === '-' ? -60 : 60);
  const at = hours - offset * 1000;
  return isPlausibleTimestamp(at) && Math.abs(offset) <= 18 * 3600 ? { at, offset } : undefined;
}
