import { asSystem, type Db } from '../../platform/db/transact.ts';
import type { Clock } from '../../platform/clock.ts';
import { insertUnclaimedMessage, getUnclaimedCapacity, type NewUnclaimedMessage } from './ingestion-store.ts';

/** Stores an unclaimed message; resolves to false if the limits are reached. */
export type UnclaimedWriter = (row: NewUnclaimedMessage) => Promise<boolean>;

/** How many messages may be stored before the rows are counted again; counting each time would be expensive. */
const QUOTA_MESSAGES = 100;
const QUOTA_BYTES = 64 * 1024 * 1024;

/** Each node counts separately, so several nodes together may slightly exceed the limits. */
export function createUnclaimedWriter({ db, clock }: { db: Db; clock: Clock }): UnclaimedWriter {
  let left = { count: 0, bytes: 0 };
  return (row) =>
    asSystem(db, async (tx) => {
      if (left.count <= 0 || left.bytes < row.size_bytes) {
        const room = await getUnclaimedCapacity(tx, clock.now());
        left = { count: Math.min(room.count, QUOTA_MESSAGES), bytes: Math.min(room.bytes, QUOTA_BYTES) };
      }
      if (left.count <= 0 || left.bytes < row.size_bytes) return false;
      left = { count: left.count - 1, bytes: left.bytes - row.size_bytes };
      await insertUnclaimedMessage(tx, row);
      return true;
    });
}
