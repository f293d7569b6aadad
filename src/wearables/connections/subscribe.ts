import { AccessRefused, GrantLost } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { webhooksOf, webhookUri } from '../../provider-settings/provider-settings.ts';
import { subscribing } from '../pulls/schedule.ts';
import { providerNamed } from '../providers.ts';
import { connectionOf, sealConnection } from './connection.ts';
import { openForAsking, type Asking } from './grants.ts';
import * as store from './store.ts';

/** After these minutes each it is tried again; and then with the daily round, which asks what no news has told. */
const TRIES_AFTER_MINUTES = [1, 5, 30, 120, 360, 720];

/**
 * Registers for the news of a user at providers that want that for each. Repeats are harmless. A provider that refuses
 * it can still be asked, so the connection goes on, and says that it is without news; only a grant that is lost fails
 * it.
 */
export const subscribe = defineJob({
  ...subscribing,
  canWait: true,
  async run(app: App, tenant, { connection_id: id, tries = 0 }) {
    const asking = await openForAsking(app, tenant, { id });
    if (!asking) return;
    try {
      await register(app, tenant, asking);
      if (asking.connection.news_refused_at) await inTenant(app, tenant, (work) => note(work, id, null));
    } catch (error) {
      if (!(error instanceof GrantLost)) throw error;
      const why = error instanceof AccessRefused ? 'the access token is refused' : error.message;
      app.log.warn({ connection_id: id, err: why }, 'a provider does not register us for its news');
      await inTenant(app, tenant, async (work) => {
        await note(work, id, `${providerNamed(asking.connection.provider).name}: ${why}`);
        await tryLater(work, { id, tries });
      });
    }
  },
});

/** Writes down that we are registered, or why we are not and since when. */
async function note(work: Work, id: string, why: string | null): Promise<void> {
  const row = await store.lock(work, id);
  if (row?.status !== 'connected') return;
  const { grant } = connectionOf(work.cipher, row);
  await store.change(work, id, {
    news_refused_at: why === null ? null : (row.news_refused_at ?? work.now),
    private: sealConnection(work.cipher, { grant, faultMessage: why }),
  });
}

async function register(app: App, tenant: Tenant, asking: Asking): Promise<void> {
  const { provider } = asking.connection;
  const webhooks = webhooksOf(provider);
  for (const webhook of webhooks.length > 0 ? webhooks : [{ provider, kind: null }]) {
    const address = webhookUri(app.config, tenant, webhook);
    await asking.body.subscribe(asking.application, asking.grant, address);
  }
}

async function tryLater(work: Work, { id, tries }: { id: string; tries: number }): Promise<void> {
  const row = await store.hold(work, id);
  const minutes = TRIES_AFTER_MINUTES[tries];
  if (row?.status !== 'connected' || minutes === undefined) return;
  await setTimer(work, subscribing, {
    key: id,
    dueAt: later(work.now, minutes * MINUTE),
    input: { connection_id: id, tries: tries + 1 },
  });
}
