import { asSystem } from '../platform/db/transact.ts';
import type { Platform } from '../platform/work.ts';
import type { EventHandler } from './events.ts';
import { tryLockFanOut, assignPositions } from './store.ts';

export const FAN_OUT_BATCH = 500;

/**
 * Assigns log positions to the waiting events and passes them to every event handler, in one transaction: an event
 * either has a position and was handled by all, or is still waiting. Only one fan-out runs at a time across all
 * processes, so positions follow commits and a reader by position never misses an event that committed late.
 * Returns the number of events; a full batch means that there may be more.
 */
export function fanOut<A extends Platform>(app: A, reactions: readonly EventHandler<A>[]): Promise<number> {
  return asSystem(app.db, async (tx) => {
    if (!(await tryLockFanOut(tx))) return 0;
    const events = await assignPositions(tx, FAN_OUT_BATCH);
    if (events.length > 0) {
      for (const reaction of reactions) await reaction.handle(app, tx, events);
    }
    return events.length;
  });
}
