import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Config } from '../../platform/config.ts';
import { DomainError, invalidField } from '../../platform/errors.ts';
import type { Environment } from '../../platform/tenant.ts';
import { isPublicAddress } from '../../webhooks/webhooks.ts';

const LOOKUP_PATIENCE_MS = 5000;

/** Whether laboratories may be at private addresses, as behind a VPN: as configured, else in sandbox only. */
const mayBePrivate = ({ LAB_ALLOW_PRIVATE_HOSTS: allowed }: Config, environment: Environment): boolean =>
  allowed ?? environment === 'sandbox';

export interface Place {
  readonly host: string;
  readonly usesTls: boolean;
}

/**
 * Refuses a place that would be refused at every sending. A name that cannot be resolved now is taken; it is looked
 * at again anyway.
 */
export async function checkPlace(config: Config, environment: Environment, place: Place): Promise<void> {
  const addresses = await addressesOf(place.host).catch(() => []);
  const fault = faultOf(config, environment, { ...place, addresses });
  if (fault !== undefined) throw invalidField(['body', fault.field], fault.msg);
}

/**
 * The addresses of a place, to be connected to and no others, so that a name cannot answer twice in two ways. Throws a
 * DomainError of kind `unavailable` for a place that may not be reached, or is not found.
 */
export async function reachable(config: Config, environment: Environment, place: Place): Promise<string[]> {
  const addresses = await addressesOf(place.host);
  const fault = faultOf(config, environment, { ...place, addresses });
  if (fault !== undefined)
    throw new DomainError('unavailable', `The laboratory's ${fault.field}: ${fault.msg}`);
  return addresses;
}

function faultOf(
  config: Config,
  environment: Environment,
  { usesTls, addresses }: Place & { addresses: readonly string[] },
): { field: 'host' | 'uses_tls'; msg: string } | undefined {
  const isPublic = (address: string) => isPublicAddress(address);
  if (!mayBePrivate(config, environment) && !addresses.every(isPublic)) {
    return { field: 'host', msg: 'expected a host that does not lead to a private address' };
  }
  // Patient data do not cross the open internet in clear; within a private network that is the operator's choice.
  if (environment === 'production' && !usesTls && addresses.some(isPublic)) {
    return { field: 'uses_tls', msg: 'expected true for a public address in production' };
  }
  return undefined;
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(notFound(host)), LOOKUP_PATIENCE_MS);
  });
  const found = lookup(host, { all: true }).catch(() => {
    throw notFound(host);
  });
  const answers = await Promise.race([found, late]).finally(() => clearTimeout(timer));
  return answers.map(({ address }) => address);
}

const notFound = (host: string) => new DomainError('unavailable', `The host ${host} could not be resolved`);
