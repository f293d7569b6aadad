import { DAY } from '../platform/clock.ts';
import type { WallRange } from './align.ts';
import { refused, type Loc } from './columns.ts';
import type { QueryBatch } from './schema.ts';
import { before } from './local-time.ts';

const DAYS_MAX = 3660;
const YEARS = { first: '1970-01-01', last: '2199-12-31' };

/** The time of a batch, on the user's wall: up to the end of the anchor's day. */
export function rangeOf(timeframe: QueryBatch['timeframe'], loc: Loc): WallRange {
  if ('placeholder' in timeframe) throw refused(loc, 'a placeholder stands for nothing here');
  const { anchor, past } = timeframe;
  if (anchor < YEARS.first || anchor > YEARS.last) {
    throw refused([...loc, 'anchor'], `expected a day from ${YEARS.first} to ${YEARS.last}`);
  }
  const to = Date.parse(`${anchor}T00:00:00Z`) + DAY;
  const from = before(to, past);
  if (Number.isNaN(from) || to - from > DAYS_MAX * DAY) {
    throw refused([...loc, 'past'], `expected at most ${DAYS_MAX} days`);
  }
  return { from, to };
}
