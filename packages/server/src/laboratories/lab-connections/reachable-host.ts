import type { Config } from '../../platform/config.ts';
import { DomainError, invalidField } from '../../platform/errors.ts';
import type { Environment } from '../../platform/tenant.ts';
import { resolveAddresses } from '../../platform/network/resolve.ts';
import { isPublicAddress, isTargetAllowed, targetScopeOf } from '../../platform/public-address.ts';

interface LabHost {
  readonly host: string;
  readonly usesTls: boolean;
}

/**
 * Rejects a host to which sending would always fail. A name that does not resolve now is accepted, since it is checked
 * again before each message.
 */
export async function requireReachableHost(
  config: Config,
  environment: Environment,
  place: LabHost,
): Promise<void> {
  const addresses = await resolveAddresses(place.host).catch(() => []);
  const fault = findHostFault(config, environment, { ...place, addresses });
  if (fault !== undefined) throw invalidField(['body', fault.field], fault.msg);
}

/**
 * Resolves and checks a host. Connect only to the returned addresses, which prevents DNS rebinding. Throws a
 * DomainError of kind `unavailable` for a host that is not allowed or does not resolve.
 */
export async function resolveReachableHost(
  config: Config,
  environment: Environment,
  place: LabHost,
): Promise<string[]> {
  const addresses = await resolveAddresses(place.host).catch(() => {
    throw toUnresolvedError(place.host);
  });
  const fault = findHostFault(config, environment, { ...place, addresses });
  if (fault !== undefined)
    throw new DomainError('unavailable', `The laboratory's ${fault.field}: ${fault.msg}`);
  return addresses;
}

function findHostFault(
  config: Config,
  environment: Environment,
  { usesTls, addresses }: LabHost & { addresses: readonly string[] },
): { field: 'host' | 'uses_tls'; msg: string } | undefined {
  const scope = targetScopeOf(config, environment, config.LAB_ALLOW_PRIVATE_HOSTS);
  if (!addresses.every((address) => isTargetAllowed(address, scope))) {
    return { field: 'host', msg: 'expected a host that does not resolve to a private address' };
  }
  // Patient data must be encrypted on the public internet; in a private network the operator decides.
  if (environment === 'production' && !usesTls && addresses.some(isPublicAddress)) {
    return { field: 'uses_tls', msg: 'expected true for a public address in production' };
  }
  return undefined;
}

const toUnresolvedError = (host: string) =>
  new DomainError('unavailable', `The host ${host} could not be resolved`);
