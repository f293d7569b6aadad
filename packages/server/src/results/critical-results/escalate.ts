import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { canBecome } from './status.ts';
import * as store from './store.ts';
import { sendCriticalResultEmail } from './send-email.ts';

const Input = z.object({ id: z.guid() });

/** Runs at the deadline: escalates a critical result without a read-back, once. */
export const escalate: Job<App, z.output<typeof Input>> = defineJob({
  name: 'critical-results.escalate',
  input: Input,
  run: (app, tenant, { id }) => inTenant(app, tenant, (work) => escalateOne(work, id)),
});

async function escalateOne(work: Work, id: string): Promise<void> {
  const record = await store.lockCriticalResult(work, id);
  if (!record || !canBecome(record.status, 'escalated')) return;
  await store.updateCriticalResult(work, id, { status: 'escalated', escalated_at: work.now });
  await sendCriticalResultEmail(work, 'escalated', {
    id,
    orderId: record.order_id,
    detectedAt: record.detected_at,
    dueAt: record.escalation_due_at,
  });
}
