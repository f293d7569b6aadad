import { vi } from 'vitest';
import type { TestService } from './service.ts';
import { countLockWaiters } from './locks.ts';

/**
 * Runs several calls that conflict on the row of a user. Each has done its earlier reads and waits for the lock on that
 * row; they continue in their order, one after the other.
 */
export async function runConcurrently<T>(
  service: TestService,
  userId: string,
  calls: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const holding = await service.ownerPool.connect();
  try {
    await holding.query('begin');
    await holding.query('select from app_user where id = $1 for no key update', [userId]);
    const answers: Promise<T>[] = [];
    for (const call of calls) {
      answers.push(call());
      await vi.waitUntil(async () => (await countLockWaiters(service)) === answers.length, 50_000);
    }
    await holding.query('commit');
    return await Promise.all(answers);
  } finally {
    holding.release();
  }
}
