import type { ProviderTimeSpan } from '../../adapters/wearable-provider/port.ts';
import { DAY } from '../../platform/clock.ts';
import type { User } from '../../users/users/users.ts';

type IngestionBounds = Pick<User, 'ingestionStart' | 'ingestionEnd'>;

/** Bounds are dates in the user's time zone: request a day more on either side, then filter what arrives by date. */
const MARGIN_MS = DAY;

/** The part of an interval that may be pulled; undefined if it is empty. */
export function clampToIngestionBounds(
  { ingestionStart, ingestionEnd }: IngestionBounds,
  { from, to }: ProviderTimeSpan,
): ProviderTimeSpan | undefined {
  const first = ingestionStart === null ? from.getTime() : Date.parse(ingestionStart) - MARGIN_MS;
  const last = ingestionEnd === null ? to.getTime() : Date.parse(ingestionEnd) + DAY + MARGIN_MS;
  const bounded = {
    from: new Date(Math.max(from.getTime(), first)),
    to: new Date(Math.min(to.getTime(), last)),
  };
  return bounded.from < bounded.to ? bounded : undefined;
}
