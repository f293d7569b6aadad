import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import { inTenant } from '../../platform/work.ts';
import { recordLabTestChange } from './lab-test-history.ts';
import { changeLabTest, findLabTest } from './store.ts';
import { selectPendingLabTests, type PendingLabTest } from './approval-store.ts';

/** Lab tests of all production teams that await approval, oldest first. */
export const listPendingLabTests = (app: App): Promise<PendingLabTest[]> =>
  asSystem(app.db, selectPendingLabTests);

/** Approves a pending lab test, which can be ordered from then on. 404 if it is not pending. */
export async function approveLabTest(app: App, id: string): Promise<PendingLabTest> {
  const pending = await listPendingLabTests(app);
  const test = requireFound(
    pending.find((one) => one.id === id),
    `Pending lab test ${id}`,
  );
  await inTenant(app, { teamId: test.teamId, environment: test.environment }, async (work) => {
    const before = requireFound(await findLabTest(work, id), 'Lab test');
    if (before.status !== 'pending_approval') return;
    await changeLabTest(work, id, { status: 'active' });
    const after = requireFound(await findLabTest(work, id), 'Lab test');
    await recordLabTestChange(work, { before, after, isApproval: true });
  });
  return test;
}
