import { DAY, MINUTE } from '../platform/clock.ts';
import { localDay, localMinutes } from '../platform/time-zone.ts';

const QUARTER = 15 * MINUTE;

/** The user's wall: as the offset of what was measured says, else as the clocks of their zone, else as in Greenwich. */
export type Wall = (moment: number, offset?: number | null) => number;

export function openWall(zone: string | null): Wall {
  const offsets = new Map<number, number>();
  const shift = (moment: number): number => {
    if (zone === null) return 0;
    const quarter = Math.floor(moment / QUARTER) * QUARTER;
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const date = new Date(quarter);
    const shown = Date.parse(`${localDay(zone, date)}T00:00:00Z`) + localMinutes(zone, date) * MINUTE;
    offsets.set(quarter, shown - quarter);
    return shown - quarter;
  };
  return (moment, offset) =>
    moment + (offset === null || offset === undefined ? shift(moment) : offset * 1000);
}

/** No wall is further from Greenwich than this. */
export const WALL_MAX = DAY;
