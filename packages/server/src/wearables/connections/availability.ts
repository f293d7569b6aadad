import type { z } from 'zod';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import type { ResourceAvailability } from '../connection.ts';
import type { ProviderConnection } from './connection.ts';

type AvailabilityByResource = Record<string, z.input<typeof ResourceAvailability>>;

/** What a connection can supply, by resource. Resources whose scopes the user did not grant are unavailable. */
export function describeAvailability(
  { resources, grant }: Pick<ProviderConnection, 'resources' | 'grant'>,
  body: WearableProvider | undefined,
): AvailabilityByResource {
  const entries = resources.map((resource) => {
    // A demo has more resources than the provider's implementation supports.
    const needed = body?.resources.includes(resource) ? body.scopesOf(resource) : [];
    return [resource, checkScopes(needed, grant?.scopes ?? [])] as const;
  });
  return Object.fromEntries(entries);
}

/** The resources that can be pulled from a connection. */
export const listAvailableResources = (
  connection: Pick<ProviderConnection, 'resources' | 'grant'>,
  body: WearableProvider,
): string[] =>
  Object.entries(describeAvailability(connection, body)).flatMap(([resource, { status }]) =>
    status === 'available' ? [resource] : [],
  );

/** If the provider does not report the granted scopes, all are assumed to be granted. */
function checkScopes(needed: readonly string[], granted: readonly string[]): AvailabilityByResource[string] {
  if (needed.length === 0) return { status: 'available', scope_requirements: null };
  const has = (scope: string) => granted.length === 0 || granted.includes(scope);
  const denied = needed.filter((scope) => !has(scope));
  return {
    status: denied.length === 0 ? 'available' : 'unavailable',
    scope_requirements: {
      user_granted: { required: needed.filter(has), optional: [] },
      user_denied: { required: denied, optional: [] },
    },
  };
}
