import { systemClock, type Clock } from '../../platform/clock.ts';
import { createProviderApi, type ProviderApi } from './api.ts';
import type { ProviderDefinition, ProviderCallContext } from './definition.ts';
import { createProviderHttpClient, replaceOrigin } from './http-client.ts';
import { createOAuthFlows } from './oauth.ts';
import {
  GrantLostError,
  ProviderUnavailableError,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from './port.ts';
import { splitIntoWindows } from './times.ts';

export interface WearableProviderSettings {
  /** An origin that replaces the provider's own: a stand-in, or another region. */
  readonly at?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const NO_WORKOUTS: ReadonlySet<string> = new Set();

/** Builds the implementation of the port from a provider's definition. */
export function createWearableProvider(
  definition: ProviderDefinition,
  { at, timeoutMs, clock = systemClock }: WearableProviderSettings = {},
): WearableProvider {
  const { name, resources } = definition;
  const { readRetrySeconds } = definition;
  const line = createProviderHttpClient({ name, at, timeoutMs, clock, readRetrySeconds });
  const apiOf = (grant: Grant): ProviderApi =>
    createProviderApi({ name, base: definition.api, http: line, accessToken: grant.accessToken });
  const meansOf = (app: ProviderApplication, grant: Grant): ProviderCallContext => ({
    api: apiOf(grant),
    app,
    now: clock.now(),
  });
  const grants = createOAuthFlows({ definition, http: line, clock });
  return {
    slug: definition.slug,
    resources: Object.keys(resources),
    scopesOf: (resource) => getResource(definition, resource).scopes,
    news: definition.news,
    issuer: getIssuer(definition),
    replacesEarlierApi: definition.replacesEarlierApi ?? false,
    historicalDays: definition.historicalDays,
    buildAuthorizationUrl: (ask) => replaceOrigin(grants.buildAuthorizationUrl(ask).href, at),
    exchangeCode: async (code) => {
      const grant = await grants.exchangeCode(code);
      return { ...grant, ...(await definition.afterGrant?.(meansOf(code.app, grant), grant)) };
    },
    refresh: async (app, grant) => {
      assertCurrent(definition, grant);
      return grants.refresh(app, grant);
    },
    revoke: async (app, grant) => {
      // There is nothing left to revoke, and the token is not for the eyes of its successor.
      if (!isCurrent(definition, grant)) return;
      if (definition.revoke) await definition.revoke(meansOf(app, grant), grant);
      else if (definition.oauth.revoke !== undefined) await grants.revoke(app, grant);
    },
    subscribe: async (app, grant, address) => {
      assertCurrent(definition, grant);
      await definition.subscribe?.(meansOf(app, grant), { grant, address });
    },
    pull: createPull(definition, apiOf),
    parseNotification: async (app, request) =>
      definition.parseNotification(app, request, { http: line, now: clock.now() }),
  };
}

/** Pulls a resource window by window. */
const createPull = (
  definition: ProviderDefinition,
  apiOf: (grant: Grant) => ProviderApi,
): WearableProvider['pull'] =>
  async function* (grant, { resource, span, known = NO_WORKOUTS }) {
    const { windowDays, pull } = getResource(definition, resource);
    assertCurrent(definition, grant);
    const api = apiOf(grant);
    try {
      for (const window of splitIntoWindows(span, windowDays))
        yield* pull(api, { span: window, grant, known });
    } catch (error) {
      throw isInvalidDate(error)
        ? new ProviderUnavailableError(`${definition.name} sent a response that cannot be read`)
        : error;
    }
  };

const getIssuer = ({ oauth }: ProviderDefinition): string => new URL(oauth.token).origin;

/** Whether the grant is for this API, and not for the one that it replaces. */
const isCurrent = (definition: ProviderDefinition, { issuer }: Grant): boolean =>
  !definition.replacesEarlierApi || issuer === getIssuer(definition);

function assertCurrent(definition: ProviderDefinition, grant: Grant): void {
  if (isCurrent(definition, grant)) return;
  throw new GrantLostError(
    'token_refresh_failed',
    `${definition.name} shut down the API that this grant is for; the user has to connect again`,
  );
}

/** A date that no schema caught. */
const isInvalidDate = (error: unknown): boolean => error instanceof RangeError;

function getResource(
  { name, resources }: ProviderDefinition,
  resource: string,
): ProviderDefinition['resources'][string] {
  const row = resources[resource];
  if (!row) throw new RangeError(`${name} does not supply ${resource}`);
  return row;
}
