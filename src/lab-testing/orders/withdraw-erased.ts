import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { listOfUser } from './erased-store.ts';
import { lookAgain } from './requisition-timer.ts';
import { canCancel, topLevel } from './status.ts';

/** An order that the laboratory is being asked for at this moment is there by then, or will never be. */
const ASKING_MS = 5 * MINUTE;

/**
 * Has every order of a user who is erased looked at once more, if it could still be cancelled or its cancellation may
 * still be to be told: what is gone by then is taken back at its laboratory. Nothing here says for certain whether the
 * laboratory was asked, as a process may have ended between asking and writing; to take back what was not is no failure.
 */
export async function withdrawRequisitions(_app: App, work: Work, userId: string): Promise<void> {
  for (const { orderId, lab, facts } of await listOfUser(work, userId)) {
    const isCancelled = topLevel(facts.modality, facts.step) === 'cancelled';
    if (!isCancelled && !canCancel(facts)) continue;
    await lookAgain(work, { orderId, lab, dueAt: later(work.now, ASKING_MS) });
  }
}
