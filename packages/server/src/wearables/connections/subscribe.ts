import { AccessTokenRejectedError, GrantLostError } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { listProviderWebhooks, webhookUri } from '../../provider-settings/provider-settings.ts';
import { subscribeJob } from './pull-schedule.ts';
import { describeProvider } from '../../readings/readings.ts';
import { openConnection, sealConnectionSecrets } from './connection.ts';
import { authorizeConnection, type AuthorizedConnection } from './grants.ts';
import * as store from './store.ts';

/** The delays between attempts. Afterwards the daily poll fetches what no notification announced. */
const RETRY_DELAYS_MINUTES = [1, 5, 30, 120, 360, 720];

/**
 * Subscribes to notifications at providers that need a subscription per user. Idempotent. If the provider rejects it,
 * the connection stays connected, reports that it has no notifications, and is polled. Only a lost grant fails it.
 */
export const subscribe = defineJob({
  ...subscribeJob,
  canWait: true,
  async run(app: App, tenant, { connection_id: id, tries = 0 }) {
    const asking = await authorizeConnection(app, tenant, { id });
    if (!asking) return;
    try {
      await registerWebhooks(app, tenant, asking);
      if (asking.connection.news_refused_at)
        await inTenant(app, tenant, (work) => recordOutcome(work, id, null));
    } catch (error) {
      if (!(error instanceof GrantLostError)) throw error;
      const why = error instanceof AccessTokenRejectedError ? 'the access token was rejected' : error.message;
      app.log.warn({ connection_id: id, err: why }, 'a provider rejected the webhook registration');
      await inTenant(app, tenant, async (work) => {
        await recordOutcome(work, id, `${describeProvider(asking.connection.provider).name}: ${why}`);
        await scheduleRetry(work, { id, tries });
      });
    }
  },
});

/** Records that the subscription exists, or why not and since when. */
async function recordOutcome(work: Work, id: string, why: string | null): Promise<void> {
  const row = await store.lock(work, id);
  if (row?.status !== 'connected') return;
  const { grant } = openConnection(work.cipher, row);
  await store.update(work, id, {
    news_refused_at: why === null ? null : (row.news_refused_at ?? work.now),
    private: sealConnectionSecrets(work.cipher, { grant, faultMessage: why }),
  });
}

async function registerWebhooks(app: App, tenant: Tenant, asking: AuthorizedConnection): Promise<void> {
  const { provider } = asking.connection;
  const webhooks = listProviderWebhooks(provider);
  for (const webhook of webhooks.length > 0 ? webhooks : [{ provider, kind: null }]) {
    const address = webhookUri(app.config, tenant, webhook);
    await asking.body.subscribe(asking.application, asking.grant, address);
  }
}

async function scheduleRetry(work: Work, { id, tries }: { id: string; tries: number }): Promise<void> {
  const row = await store.shareLock(work, id);
  const minutes = RETRY_DELAYS_MINUTES[tries];
  if (row?.status !== 'connected' || minutes === undefined) return;
  await setTimer(work, subscribeJob, {
    key: id,
    dueAt: later(work.now, minutes * MINUTE),
    input: { connection_id: id, tries: tries + 1 },
  });
}
