import { DAY } from '../../platform/clock.ts';
import type { LocalTimeRange } from './align.ts';
import { invalidQuery, type QueryErrorLocation } from './columns.ts';
import type { QueryBatch } from './schema.ts';
import { subtractPeriod } from './local-time.ts';

const DAYS_MAX = 3660;
const ANCHOR_BOUNDS = { first: '1970-01-01', last: '2199-12-31' };

/** The range of a batch in local time, up to the end of the anchor day. 422 with the location if it is invalid. */
export function resolveTimeframe(
  timeframe: QueryBatch['timeframe'],
  loc: QueryErrorLocation,
): LocalTimeRange {
  if ('placeholder' in timeframe) throw invalidQuery(loc, 'placeholders are not supported');
  const { anchor, past } = timeframe;
  if (anchor < ANCHOR_BOUNDS.first || anchor > ANCHOR_BOUNDS.last) {
    throw invalidQuery(
      [...loc, 'anchor'],
      `expected a day from ${ANCHOR_BOUNDS.first} to ${ANCHOR_BOUNDS.last}`,
    );
  }
  const to = Date.parse(`${anchor}T00:00:00Z`) + DAY;
  const from = subtractPeriod(to, past);
  if (Number.isNaN(from) || to - from > DAYS_MAX * DAY) {
    throw invalidQuery([...loc, 'past'], `expected a period of at most ${DAYS_MAX} days`);
  }
  return { from, to };
}
