import type { App } from '../app.ts';
import { HOUR, later } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import { HIDDEN_MS } from './lane.ts';
import { dueNow, listDestinationIds } from './queue-store.ts';

const DESTINATIONS = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
/** Longer than any event is put off. */
const UNBELIEVABLE_MS = 2 * HIDDEN_MS;

/** Lets go, once an hour, what a clock far ahead has put off that has since been set back. */
export function startPipelineCleaner(app: App): Loop {
  let after = BEFORE_ALL;
  const round = async () => {
    const ids = await asSystem(app.db, (tx) => listDestinationIds(tx, { after, limit: DESTINATIONS }));
    for (const id of ids) await cleanDestination(app, id);
    after = ids.at(-1) ?? BEFORE_ALL;
    return ids.length > 0;
  };
  return startLoop(app, { name: 'pipeline-cleaner', everyMs: HOUR, round });
}

export async function cleanDestination(app: App, id: string): Promise<void> {
  const now = app.clock.now();
  const after = later(now, UNBELIEVABLE_MS);
  while (await asSystem(app.db, (tx) => dueNow(tx, id, { now, after })));
}
