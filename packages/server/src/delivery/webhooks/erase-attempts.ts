import type { App } from '../../app.ts';
import type { Work } from '../../platform/work.ts';
import { unpackOfUser } from './bundle-store.ts';
import * as store from './block-store.ts';
import { removeEvents } from './block.ts';

const EVENTS_AT_ONCE = 500;
const BLOCKS_AT_ONCE = 100;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Erases the attempts about a user from the blocks that they share with others; everything else about the user is
 * deleted with the events. Pending messages go first: a sender that is recording one of them is waited for, and its
 * block is then found; a later one does not find the message and records nothing.
 */
export async function eraseAttempts(_app: App, work: Work, userId: string): Promise<void> {
  await unpackOfUser(work, userId);
  await store.dequeueForUser(work, userId);
  for (let after = NIL_UUID; ;) {
    const events = await store.listEventIds(work, { userId, after, limit: EVENTS_AT_ONCE });
    const last = events.at(-1);
    if (last === undefined) return;
    await eraseEvents(work, events);
    after = last;
  }
}

async function eraseEvents(work: Work, events: readonly string[]): Promise<void> {
  const gone = new Set(events);
  for (;;) {
    const blocks = await store.lockBlocksOf(work, { eventIds: events, limit: BLOCKS_AT_ONCE });
    for (const block of blocks) {
      const left = removeEvents(work.cipher, block, gone);
      await (left ? store.changeBlock(work, block.id, left) : store.removeBlock(work, block.id));
    }
    if (blocks.length < BLOCKS_AT_ONCE) return;
  }
}
