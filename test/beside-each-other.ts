import { vi } from 'vitest';
import type { House } from './house.ts';
import { waitingForLocks } from './locks.ts';

/**
 * Lets several calls meet at the row of a user: each has read what it reads before, waits there in their order, and goes
 * on when the one before it is done.
 */
export async function besideEachOther<T>(
  house: House,
  userId: string,
  calls: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const holding = await house.owner.connect();
  try {
    await holding.query('begin');
    await holding.query('select from app_user where id = $1 for no key update', [userId]);
    const answers: Promise<T>[] = [];
    for (const call of calls) {
      answers.push(call());
      await vi.waitUntil(async () => (await waitingForLocks(house)) === answers.length, 50_000);
    }
    await holding.query('commit');
    return await Promise.all(answers);
  } finally {
    holding.release();
  }
}
