import type { App } from '../app.ts';
import type { Work } from '../platform/work.ts';
import { unpackOfUser } from './bundle-store.ts';
import * as store from './block-store.ts';
import { withoutEvents } from './block.ts';

const EVENTS = 500;
const BLOCKS = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Takes the attempts about a user out of the blocks that they share with others, as the user is erased; all else that
 * was sent, or is owed, goes with the events. What is owed goes first: a sender that is writing one of the messages
 * down is waited for, and its block is found; one that comes later does not find the message and writes nothing of it.
 */
export async function forgetAttempts(_app: App, work: Work, userId: string): Promise<void> {
  await unpackOfUser(work, userId);
  await store.dropOwed(work, userId);
  for (let after = BEFORE_ALL; ;) {
    const events = await store.listEventIds(work, { userId, after, limit: EVENTS });
    const last = events.at(-1);
    if (last === undefined) return;
    await forgetEvents(work, events);
    after = last;
  }
}

async function forgetEvents(work: Work, events: readonly string[]): Promise<void> {
  const gone = new Set(events);
  for (;;) {
    const blocks = await store.lockBlocksOf(work, { eventIds: events, limit: BLOCKS });
    for (const block of blocks) {
      const left = withoutEvents(work.cipher, block, gone);
      await (left ? store.changeBlock(work, block.id, left) : store.removeBlock(work, block.id));
    }
    if (blocks.length < BLOCKS) return;
  }
}
