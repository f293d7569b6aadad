import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { canBecome } from './status.ts';
import * as store from './store.ts';
import { writeOf } from './write.ts';

const Input = z.object({ id: z.guid() });

/** At the deadline: what nobody has read back is escalated, once. */
export const escalate: Job<App, z.output<typeof Input>> = defineJob({
  name: 'critical-results.escalate',
  input: Input,
  run: (app, tenant, { id }) => inTenant(app, tenant, (work) => escalateOne(work, id)),
});

async function escalateOne(work: Work, id: string): Promise<void> {
  const record = await store.lockCritical(work, id);
  if (!record || !canBecome(record.status, 'escalated')) return;
  await store.moveCritical(work, id, { status: 'escalated', escalated_at: work.now });
  await writeOf(work, 'escalated', {
    id,
    orderId: record.order_id,
    detectedAt: record.detected_at,
    dueAt: record.escalation_due_at,
  });
}
