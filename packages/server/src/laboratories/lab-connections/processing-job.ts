import { z } from 'zod';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueUnique } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';

/** Name and input of the processing job, separate from its implementation to avoid an import cycle. */
export const processingJob = {
  name: 'lab-connections.take-messages',
  input: z.object({ connection_id: z.guid() }),
};

/** Enqueues the processing of a connection's waiting messages; one job at a time, to preserve their order. */
export const enqueueProcessing = (tx: Tx, tenant: Tenant, connectionId: string): Promise<void> =>
  enqueueUnique(tx, {
    tenant,
    job: processingJob.name,
    input: { connection_id: connectionId },
    one: `take-messages/${connectionId}`,
  });
