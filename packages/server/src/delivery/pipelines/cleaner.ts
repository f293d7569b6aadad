import type { App } from '../../app.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import { HIDDEN_RETRY_MS } from './drain-destination.ts';
import { makeDueNow, listDestinationIds } from './queue-store.ts';

const DESTINATIONS = 100;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
/** Longer than any delivery is postponed. */
const LONGEST_DELAY_MS = 2 * HIDDEN_RETRY_MS;

/** Every hour, makes deliveries due that were postponed by a system clock that was far ahead and has been set back. */
export function startPipelineCleaner(app: App): Loop {
  let after = LOWEST_ID;
  const round = async () => {
    const ids = await asSystem(app.db, (tx) => listDestinationIds(tx, { after, limit: DESTINATIONS }));
    for (const id of ids) await cleanDestination(app, id);
    after = ids.at(-1) ?? LOWEST_ID;
    return ids.length > 0;
  };
  return startLoop(app, { name: 'pipeline-cleaner', everyMs: HOUR, iterate: round });
}

export async function cleanDestination(app: App, id: string): Promise<void> {
  const now = app.clock.now();
  const after = later(now, LONGEST_DELAY_MS);
  while (await asSystem(app.db, (tx) => makeDueNow(tx, id, { now, after })));
}
