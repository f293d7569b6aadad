import type { z } from 'zod';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import type { ResourceAvailability } from '../connection.ts';
import type { Connection } from './connection.ts';

type Availability = Record<string, z.input<typeof ResourceAvailability>>;

/** What can be had of a connection, by resource: what the user did not grant is not available. */
export function availabilityOf(
  { resources, grant }: Pick<Connection, 'resources' | 'grant'>,
  body: WearableProvider | undefined,
): Availability {
  const entries = resources.map((resource) => {
    // A demonstration tells more than the provider's own body can.
    const needed = body?.resources.includes(resource) ? body.scopesOf(resource) : [];
    return [resource, availability(needed, grant?.scopes ?? [])] as const;
  });
  return Object.fromEntries(entries);
}

/** What can be asked for of a connection: the rest its user did not grant. */
export const availableOf = (
  connection: Pick<Connection, 'resources' | 'grant'>,
  body: WearableProvider,
): string[] =>
  Object.entries(availabilityOf(connection, body)).flatMap(([resource, { status }]) =>
    status === 'available' ? [resource] : [],
  );

/** A provider that does not say what was granted is taken to have granted all. */
function availability(needed: readonly string[], granted: readonly string[]): Availability[string] {
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
