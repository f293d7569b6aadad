import type { Span } from '../../adapters/wearable-provider/port.ts';
import { DAY } from '../../platform/clock.ts';
import type { User } from '../../users/users.ts';

type Bounded = Pick<User, 'ingestionStart' | 'ingestionEnd'>;

/** A day counts wherever the user is: one more on either side is asked for, and what came is looked at by its date. */
const AROUND_MS = DAY;

/** What may be asked for of a span; undefined where nothing of it may. */
export function boundedSpan({ ingestionStart, ingestionEnd }: Bounded, { from, to }: Span): Span | undefined {
  const first = ingestionStart === null ? from.getTime() : Date.parse(ingestionStart) - AROUND_MS;
  const last = ingestionEnd === null ? to.getTime() : Date.parse(ingestionEnd) + DAY + AROUND_MS;
  const bounded = {
    from: new Date(Math.max(from.getTime(), first)),
    to: new Date(Math.min(to.getTime(), last)),
  };
  return bounded.from < bounded.to ? bounded : undefined;
}
