import { asSystem } from '../platform/db/transact.ts';
import type { Platform } from '../platform/work.ts';
import type { EventHandler } from './events.ts';
import { assignPositions, lockWaitingLogs } from './store.ts';

export const FAN_OUT_BATCH = 500;

/**
 * Assigns log positions to the waiting events and passes them to every event handler, in one transaction: an event
 * either has a position and was handled by all, or is still waiting. Several processes do this at once, for different
 * tenants: only one at a time places the events of a tenant, so its positions have no gaps and follow commits, and a
 * reader by position never misses an event that committed late. Returns the number of events; a full batch means that
 * there may be more.
 */
export function fanOut<A extends Platform>(app: A, reactions: readonly EventHandler<A>[]): Promise<number> {
  return asSystem(app.db, async (tx) => {
    const logs = await lockWaitingLogs(tx, FAN_OUT_BATCH);
    if (logs.length === 0) return 0;
    const events = await assignPositions(tx, logs);
    for (const reaction of reactions) await reaction.handle(app, tx, events);
    return events.length;
  });
}
