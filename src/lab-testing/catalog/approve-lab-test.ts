import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { found } from '../../platform/errors.ts';
import { inTenant } from '../../platform/work.ts';
import { changeLabTest, findLabTest } from './store.ts';
import { listPending, type PendingLabTest } from './approval-store.ts';

/** What teams in production have asked for, oldest first. */
export const listPendingLabTests = (app: App): Promise<PendingLabTest[]> => asSystem(app.db, listPending);

/** The operator's word on a lab test that waits: it can be ordered from now on. A 404 for one that does not wait. */
export async function approveLabTest(app: App, id: string): Promise<PendingLabTest> {
  const pending = await listPendingLabTests(app);
  const test = found(
    pending.find((one) => one.id === id),
    `Lab test ${id} that waits for approval`,
  );
  await inTenant(app, { teamId: test.teamId, environment: test.environment }, async (work) => {
    const now = found(await findLabTest(work, id), 'Lab test');
    if (now.status === 'pending_approval') await changeLabTest(work, id, { status: 'active' });
  });
  return test;
}
