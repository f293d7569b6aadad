import { systemClock, type Clock } from '../../platform/clock.ts';
import { openApi, type Api } from './api.ts';
import type { Definition, Means } from './definition.ts';
import { openLine, placed } from './exchange.ts';
import { openGrants } from './grants.ts';
import { ProviderAway, type Grant, type ProviderApplication, type WearableProvider } from './port.ts';
import { windows } from './times.ts';

export interface ProviderOptions {
  /** The origin that is asked instead of the provider's own: a stand-in, or another region of the same provider. */
  readonly at?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const NONE: ReadonlySet<string> = new Set();

/** The body of the port for any provider that has a definition. */
export function wearableProvider(
  definition: Definition,
  { at, timeoutMs, clock = systemClock }: ProviderOptions = {},
): WearableProvider {
  const { name, resources } = definition;
  const line = openLine({ name, at, timeoutMs, clock, busySeconds: definition.busySeconds });
  const apiOf = (grant: Grant): Api =>
    openApi({ name, base: definition.api, line, accessToken: grant.accessToken });
  const meansOf = (app: ProviderApplication, grant: Grant): Means => ({
    api: apiOf(grant),
    app,
    now: clock.now(),
  });
  const grants = openGrants({ definition, line, clock });
  return {
    slug: definition.slug,
    resources: Object.keys(resources),
    scopesOf: (resource) => rowOf(definition, resource).scopes,
    news: definition.news,
    historicalDays: definition.historicalDays,
    grantUrl: (ask) => placed(grants.grantUrl(ask).href, at),
    redeem: async (code) => {
      const grant = await grants.redeem(code);
      return { ...grant, ...(await definition.afterGrant?.(meansOf(code.app, grant), grant)) };
    },
    refresh: grants.refresh,
    revoke: async (app, grant) => {
      if (definition.revoke) await definition.revoke(meansOf(app, grant), grant);
      else if (definition.oauth.revoke !== undefined) await grants.revoke(app, grant);
    },
    subscribe: async (app, grant, address) => {
      await definition.subscribe?.(meansOf(app, grant), { grant, address });
    },
    pull: async function* (grant, { resource, span, known = NONE }) {
      const { windowDays, pull } = rowOf(definition, resource);
      const api = apiOf(grant);
      try {
        for (const window of windows(span, windowDays)) yield* pull(api, { span: window, grant, known });
      } catch (error) {
        // A moment that there is not, in a place where nobody thought of it.
        if (error instanceof RangeError) throw new ProviderAway(`${name} answered what cannot be read`);
        throw error;
      }
    },
    readNews: definition.readNews,
  };
}

function rowOf({ name, resources }: Definition, resource: string): Definition['resources'][string] {
  const row = resources[resource];
  if (!row) throw new RangeError(`${name} does not tell ${resource}`);
  return row;
}
