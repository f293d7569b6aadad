import { z } from 'zod';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueOneAs } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';

/** The job that takes the reports out of the messages of a connection; who starts it need not know what it does. */
export const takingJob = {
  name: 'lab-connections.take-messages',
  input: z.object({ connection_id: z.guid() }),
};

/** Has what waits of a connection taken: by one worker at a time, since the messages are in an order. */
export const enqueueTaking = (tx: Tx, tenant: Tenant, connectionId: string): Promise<void> =>
  enqueueOneAs(tx, {
    tenant,
    job: takingJob.name,
    input: { connection_id: connectionId },
    one: `take-messages/${connectionId}`,
  });
