import { asSystem } from '../platform/db/transact.ts';
import type { Platform } from '../platform/work.ts';
import type { Reaction } from './events.ts';
import { lockFanOut, placeEvents } from './store.ts';

export const FAN_OUT_BATCH = 500;

/**
 * Gives the waiting events their places in the log and hands them to every reaction, in one transaction:
 * an event is either placed and handed to all, or still waiting. One fan-out at a time, over all processes,
 * so that places follow commits: who reads the log by position never misses an event that committed late.
 * Answers how many were placed; a full batch means that there may be more.
 */
export function fanOut<A extends Platform>(app: A, reactions: readonly Reaction<A>[]): Promise<number> {
  return asSystem(app.db, async (tx) => {
    if (!(await lockFanOut(tx))) return 0;
    const events = await placeEvents(tx, FAN_OUT_BATCH);
    if (events.length > 0) {
      for (const reaction of reactions) await reaction.take(app, tx, events);
    }
    return events.length;
  });
}
