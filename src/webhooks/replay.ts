import { z } from 'zod';
import { inTenant, readTenant, type App, type Work } from '../app.ts';
import { audited, type Acting } from '../management/management.ts';
import { later, MINUTE } from '../platform/clock.ts';
import { invalidField } from '../platform/errors.ts';
import { defineJob, enqueue } from '../platform/jobs/jobs.ts';
import type { Tenant } from '../platform/tenant.ts';
import { OPERATIONAL } from './events.ts';
import { eventAfter, newestPosition, oweMissing } from './replay-store.ts';
import { holdEnabled, keptSince } from './resend.ts';
import { lockEndpoint } from './store.ts';

const BATCH = 500;
/** Places follow commits and moments follow beginnings: neighbours in the log may be this far out of order. */
const DISORDER_MS = MINUTE;

const Input = z.object({
  endpoint_id: z.string(),
  since: z.coerce.date<string>(),
  until: z.coerce.date<string>(),
  /** The newest event when the replay was asked for; what comes later is owed anyway. */
  up_to: z.int(),
});
type Input = z.output<typeof Input>;

/**
 * Owes an endpoint every event that it never got since a moment, be it that it was not there, was disabled or did not
 * want the type then. Batch by batch, each in a transaction of its own; what is owed already stays as it is, so that
 * a second run does nothing twice. Ends when the endpoint is disabled or deleted meanwhile.
 */
export const replayMissing = defineJob({
  name: 'webhooks.replay_missing',
  input: Input,
  canWait: true,
  run: async (app: App, tenant, input) => {
    let after: number | undefined = await readTenant(app, tenant, (work) =>
      placeBefore(work, later(input.since, -DISORDER_MS), input.up_to),
    );
    while (after !== undefined) after = await replayBatch(app, tenant, { ...input, after });
  },
});

/** Answers where to go on. */
const replayBatch = (
  app: App,
  tenant: Tenant,
  { endpoint_id, since, until, up_to, after }: Input & { after: number },
): Promise<number | undefined> =>
  inTenant(app, tenant, async (work) => {
    const endpoint = await lockEndpoint(work, endpoint_id);
    if (!endpoint || endpoint.disabled_at !== null) return undefined;
    const { owed, last } = await oweMissing(work, {
      endpointId: endpoint.id,
      filter: endpoint.filter_types,
      but: [...OPERATIONAL],
      after,
      upTo: up_to,
      since,
      until,
      limit: BATCH,
    });
    if (owed > 0) work.rings.add('deliveries');
    return last;
  });

/** The place behind which all events are that were made since a moment, found by halving: moments have no index. */
async function placeBefore(work: Work, since: Date, upTo: number): Promise<number> {
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

/** Starts a replay; the rest is the job's. */
export const startReplay = (
  app: App,
  acting: Acting,
  { id, since, until }: { id: string; since: Date; until: Date | null },
): Promise<{ since: Date; until: Date }> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEnabled(work, id);
    keptSince(work, since);
    const end = until ?? later(work.now, 1);
    if (until && until <= since) throw invalidField(['body', 'until'], 'expected a moment after since');
    if (end <= since) throw invalidField(['body', 'since'], 'expected a moment that has come');
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
