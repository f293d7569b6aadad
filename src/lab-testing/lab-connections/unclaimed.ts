import { asSystem, type Db } from '../../platform/db/transact.ts';
import type { Clock } from '../../platform/clock.ts';
import { insertUnclaimed, roomForUnclaimed, type UnclaimedRow } from './intake-store.ts';

/** Keeps what belongs to nobody; false where too much of it is there already. */
export type KeepUnclaimed = (row: UnclaimedRow) => Promise<boolean>;

/** So many are kept on one look at how many there are: counting for each would cost more than keeping. */
const AT_ONCE = 100;
const AT_ONCE_BYTES = 64 * 1024 * 1024;

/** Every node has a look of its own, so that together they may keep a little more than there is room for. */
export function openUnclaimed({ db, clock }: { db: Db; clock: Clock }): KeepUnclaimed {
  let left = { count: 0, bytes: 0 };
  return (row) =>
    asSystem(db, async (tx) => {
      if (left.count <= 0 || left.bytes < row.size_bytes) {
        const room = await roomForUnclaimed(tx, clock.now());
        left = { count: Math.min(room.count, AT_ONCE), bytes: Math.min(room.bytes, AT_ONCE_BYTES) };
      }
      if (left.count <= 0 || left.bytes < row.size_bytes) return false;
      left = { count: left.count - 1, bytes: left.bytes - row.size_bytes };
      await insertUnclaimed(tx, row);
      return true;
    });
}
