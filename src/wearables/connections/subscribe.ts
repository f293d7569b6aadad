import { GrantLost } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { webhooksOf, webhookUri } from '../../provider-settings/provider-settings.ts';
import { fail } from '../pulls/ask.ts';
import { OfConnection } from '../pulls/schedule.ts';
import { openForAsking } from './grants.ts';

/** Registers for the news of a user at providers that want that for each. Repeats are harmless. */
export const subscribe = defineJob({
  name: 'wearables.subscribe',
  input: OfConnection,
  async run(app: App, tenant, { connection_id: id }) {
    try {
      const asking = await openForAsking(app, tenant, { id });
      if (!asking) return;
      const { provider } = asking.connection;
      const webhooks = webhooksOf(provider);
      for (const webhook of webhooks.length > 0 ? webhooks : [{ provider, kind: null }]) {
        await asking.body.subscribe(
          asking.application,
          asking.grant,
          webhookUri(app.config, tenant, webhook),
        );
      }
    } catch (error) {
      if (!(error instanceof GrantLost)) throw error;
      await fail(app, tenant, { id, fault: 'webhook_registration_failed', message: error.message });
    }
  },
});
