import { systemClock, type Clock } from '../../platform/clock.ts';
import { createProviderApi, type ProviderApi } from './api.ts';
import type { ProviderDefinition, ProviderCallContext } from './definition.ts';
import {
  createProviderHttpClient,
  replaceOrigin,
  type OriginReplacement,
  type ProviderHttpClient,
} from './http-client.ts';
import { assertCurrent, getIssuer, isCurrent, locateIssuer, locateRegion } from './locate.ts';
import { createOAuthFlows } from './oauth.ts';
import {
  ProviderUnavailableError,
  type Grant,
  type ProviderApplication,
  type ProviderRegion,
  type WearableProvider,
} from './port.ts';
import { splitIntoWindows } from './times.ts';

export interface WearableProviderSettings {
  /** For stand-ins. */
  readonly at?: OriginReplacement | undefined;
  /** The default region. */
  readonly region?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const NO_WORKOUTS: ReadonlySet<string> = new Set();

/** Builds the implementation of the port from a provider's definition. */
export function createWearableProvider(
  definition: ProviderDefinition,
  { at, region: ownRegion, timeoutMs, clock = systemClock }: WearableProviderSettings = {},
): WearableProvider {
  const { name, resources } = definition;
  const { readRetrySeconds } = definition;
  const line = createProviderHttpClient({ name, at, timeoutMs, clock, readRetrySeconds });
  const apiOf = (grant: Grant): ProviderApi => {
    const { api: base } = locateIssuer(definition, grant);
    return createProviderApi({ name, base, http: line, accessToken: grant.accessToken });
  };
  const meansOf = (app: ProviderApplication, grant: Grant): ProviderCallContext => ({
    api: apiOf(grant),
    app,
    now: clock.now(),
  });
  return {
    slug: definition.slug,
    resources: Object.keys(resources),
    scopesOf: (resource) => getResource(definition, resource).scopes,
    news: definition.news,
    regions: listRegions(definition, ownRegion),
    issuer: getIssuer(locateRegion(definition, ownRegion)),
    replacesEarlierApi: definition.replacesEarlierApi ?? false,
    historicalDays: definition.historicalDays,
    ...createGrantMethods({ definition, http: line, clock, at, ownRegion, meansOf }),
    pull: createPull(definition, apiOf),
    parseNotification: async (app, request) =>
      definition.parseNotification(app, request, { http: line, now: clock.now() }),
  };
}

/** A deployment for test accounts, in a region that is no choice, has nothing to ask. */
function listRegions({ regions }: ProviderDefinition, ownRegion: string | undefined): ProviderRegion[] {
  const choices = regions?.choices ?? [];
  const own = ownRegion === undefined ? choices[0]?.region : regions?.find(ownRegion);
  const listed = choices.map((choice) => ({ ...choice, isDefault: choice.region === own }));
  return listed.some(({ isDefault }) => isDefault) ? listed : [];
}

interface GrantContext {
  readonly definition: ProviderDefinition;
  readonly http: ProviderHttpClient;
  readonly clock: Clock;
  readonly at: OriginReplacement | undefined;
  readonly ownRegion: string | undefined;
  readonly meansOf: (app: ProviderApplication, grant: Grant) => ProviderCallContext;
}

type GrantMethods = Pick<
  WearableProvider,
  'isRegionSupported' | 'buildAuthorizationUrl' | 'exchangeCode' | 'refresh' | 'revoke' | 'subscribe'
>;

function createGrantMethods({ definition, http, clock, at, ownRegion, meansOf }: GrantContext): GrantMethods {
  const flowsOf = (located: ProviderDefinition) => createOAuthFlows({ definition: located, http, clock });
  const inRegion = (region: string | undefined) => flowsOf(locateRegion(definition, region ?? ownRegion));
  return {
    isRegionSupported: (region) => definition.regions?.find(region) !== undefined,
    buildAuthorizationUrl: (ask) => replaceOrigin(inRegion(ask.region).buildAuthorizationUrl(ask).href, at),
    exchangeCode: async (code) => {
      const grant = await inRegion(code.region).exchangeCode(code);
      return { ...grant, ...(await definition.afterGrant?.(meansOf(code.app, grant), grant)) };
    },
    refresh: async (app, grant) => {
      assertCurrent(definition, grant);
      return flowsOf(locateIssuer(definition, grant)).refresh(app, grant);
    },
    revoke: async (app, grant) => {
      // There is nothing left to revoke, and the token is not for the eyes of its successor.
      if (!isCurrent(definition, grant)) return;
      if (definition.revoke) await definition.revoke(meansOf(app, grant), grant);
      else if (definition.oauth.revoke !== undefined)
        await flowsOf(locateIssuer(definition, grant)).revoke(app, grant);
    },
    subscribe: async (app, grant, address) => {
      assertCurrent(definition, grant);
      await definition.subscribe?.(meansOf(app, grant), { grant, address });
    },
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
