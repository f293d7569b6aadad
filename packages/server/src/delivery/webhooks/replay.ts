import { z } from 'zod';
import { inTenant, readTenant, type App, type Work } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { OPERATIONAL_EVENT_TYPES } from './events.ts';
import { eventAfter, newestPosition, enqueueMissing } from './replay-store.ts';
import { lockEnabledEndpoint, assertWithinRetention } from './resend.ts';
import { lockEndpoint } from './store.ts';

const BATCH = 500;
/**
 * Positions follow commits and creation times follow transaction starts, so neighbors in the log may be out of order by
 * this much.
 */
const DISORDER_MS = MINUTE;

const ReplayJobInput = z.object({
  endpoint_id: z.string(),
  since: z.coerce.date<string>(),
  until: z.coerce.date<string>(),
  /** The position of the newest event at the request; later ones are enqueued anyway. */
  up_to: z.int(),
});
type ReplayJobInput = z.output<typeof ReplayJobInput>;

/**
 * Enqueues every event since a timestamp that an endpoint never got, because it did not exist, was disabled or excluded
 * the type. Works in batches, each in its own transaction. Messages that exist already are unchanged, so it is
 * idempotent. Ends when the endpoint is disabled or deleted meanwhile.
 */
export const replayMissing = defineJob({
  name: 'webhooks.replay_missing',
  input: ReplayJobInput,
  canWait: true,
  run: async (app: App, tenant, input) => {
    let after: number | undefined = await readTenant(app, tenant, (work) =>
      positionBefore(work, later(input.since, -DISORDER_MS), input.up_to),
    );
    while (after !== undefined) after = await replayBatch(app, tenant, { ...input, after });
  },
});

/** Returns where to continue. */
const replayBatch = (
  app: App,
  tenant: Tenant,
  { endpoint_id, since, until, up_to, after }: ReplayJobInput & { after: number },
): Promise<number | undefined> =>
  inTenant(app, tenant, async (work) => {
    const endpoint = await lockEndpoint(work, endpoint_id);
    if (!endpoint || endpoint.disabled_at !== null) return undefined;
    const { owed, last } = await enqueueMissing(work, {
      endpointId: endpoint.id,
      filter: endpoint.filter_types,
      excludedTypes: [...OPERATIONAL_EVENT_TYPES],
      after,
      upTo: up_to,
      since,
      until,
      limit: BATCH,
    });
    if (owed > 0) work.wakeups.add('deliveries');
    return last;
  });

/** The position after which all events since a timestamp are, by binary search: creation times have no index. */
async function positionBefore(work: Work, since: Date, upTo: number): Promise<number> {
  let low = 0;
  let high = upTo;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await eventAfter(work, middle);
    if (!next || next.position > upTo || next.created_at >= since) high = middle;
    else low = next.position;
  }
  return low;
}

/** Starts a replay, which continues as a job. */
export const startReplay = (
  app: App,
  acting: TenantChangeContext,
  { id, since, until }: { id: string; since: Date; until: Date | null },
): Promise<{ since: Date; until: Date }> =>
  runAuditedChange(app, acting, async (work) => {
    const endpoint = await lockEnabledEndpoint(work, id);
    assertWithinRetention(work, since);
    const end = until ?? later(work.now, 1);
    if (until && until <= since) throw invalidField(['body', 'until'], 'expected a timestamp after since');
    if (end <= since) throw invalidField(['body', 'since'], 'expected a timestamp in the past');
    await enqueue(work, replayMissing, {
      endpoint_id: endpoint.id,
      since,
      until: end,
      up_to: await newestPosition(work),
    });
    return {
      value: { since, until: end },
      deed: { action: 'webhook.replay', subject: endpoint.id, after: { since, until: end } },
    };
  });
