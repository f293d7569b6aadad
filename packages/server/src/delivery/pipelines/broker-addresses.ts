import type { AddressResolver } from '../../adapters/event-destination/port.ts';
import type { Config } from '../../platform/config.ts';
import { invalidField } from '../../platform/errors.ts';
import { resolveAddresses } from '../../platform/network/resolve.ts';
import type { Environment } from '../../platform/tenant.ts';
import { isTargetAllowed, webhookTargetScope, type TargetScope } from '../../platform/public-address.ts';
import type { UpsertPipelinesBody } from './schema.ts';

const SECURE = /^(amqps|tls):/;

type BrokerFieldPath = readonly (string | number)[];

/**
 * Rejects addresses to which no connection would be allowed: unencrypted ones in production, and private ones by the
 * rule for webhook URLs. A name that cannot be resolved now is accepted, because every connection checks again.
 */
export async function checkAddresses(
  config: Config,
  environment: Environment,
  { rabbitmq, nats }: UpsertPipelinesBody,
): Promise<void> {
  const uris: [string, BrokerFieldPath][] = rabbitmq ? [[rabbitmq.uri, ['body', 'rabbitmq', 'uri']]] : [];
  const servers = (nats?.servers ?? []).map((server, index): [string, BrokerFieldPath] => [
    server,
    ['body', 'nats', 'servers', index],
  ]);
  for (const [address, place] of [...uris, ...servers]) {
    if (environment === 'production' && !SECURE.test(address)) {
      throw invalidField([...place], 'expected amqps:// or tls:// in production');
    }
    const found = await resolveAddresses(hostOf(address)).catch(() => []);
    if (!areAllowed(found, webhookTargetScope(config, environment)))
      throw invalidField([...place], 'the address is private; use a public address');
  }
}

const areAllowed = (addresses: readonly string[], scope: TargetScope): boolean =>
  addresses.every((address) => isTargetAllowed(address, scope));

const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[|\]$/g, '');

/**
 * Resolves a host for a connection. The caller connects to these addresses and does not resolve again, which prevents
 * DNS rebinding. One private address among public ones rejects the host.
 */
export const createResolver =
  (config: Config, environment: Environment): AddressResolver =>
  async (host) => {
    const addresses = await resolveAddresses(host);
    if (!areAllowed(addresses, webhookTargetScope(config, environment))) {
      throw new Error(`${host} leads to a private address`);
    }
    return addresses;
  };
