import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Resolve } from '../adapters/event-destination/port.ts';
import type { Config } from '../platform/config.ts';
import { invalidField } from '../platform/errors.ts';
import type { Environment } from '../platform/tenant.ts';
import { isPublicAddress, mayGoPrivate } from '../webhooks/webhooks.ts';
import type { UpsertPipelines } from './schema.ts';

const LOOKUP_PATIENCE_MS = 5000;
const SECURE = /^(amqps|tls):/;

type Place = readonly (string | number)[];

/**
 * Refuses addresses that would be refused at every connection: unencrypted ones in production, and those that the
 * rule of webhook targets forbids. A name that cannot be resolved now is taken; it is looked at again anyway.
 */
export async function checkAddresses(
  config: Config,
  environment: Environment,
  { rabbitmq, nats }: UpsertPipelines,
): Promise<void> {
  const uris: [string, Place][] = rabbitmq ? [[rabbitmq.uri, ['body', 'rabbitmq', 'uri']]] : [];
  const servers = (nats?.servers ?? []).map((server, index): [string, Place] => [
    server,
    ['body', 'nats', 'servers', index],
  ]);
  for (const [address, place] of [...uris, ...servers]) {
    if (environment === 'production' && !SECURE.test(address)) {
      throw invalidField([...place], 'expected amqps:// or tls:// in production');
    }
    if (mayGoPrivate(config, environment)) continue;
    const found = await addressesOf(hostOf(address)).catch(() => []);
    if (!found.every(isPublicAddress)) throw invalidField([...place], 'the address is a private one');
  }
}

const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[|\]$/g, '');

/**
 * Looks a host up for a connection. What is answered here is what is connected to, so that a name cannot answer
 * twice in two ways; and one private address among public ones refuses all.
 */
export const resolver =
  (config: Config, environment: Environment): Resolve =>
  async (host) => {
    const addresses = await addressesOf(host);
    if (!mayGoPrivate(config, environment) && !addresses.every(isPublicAddress)) {
      throw new Error(`${host} leads to a private address`);
    }
    return addresses;
  };

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${host} could not be resolved in time`)), LOOKUP_PATIENCE_MS);
  });
  const found = lookup(host, { all: true }).catch(() => {
    throw new Error(`${host} could not be resolved`);
  });
  const answers = await Promise.race([found, late]).finally(() => clearTimeout(timer));
  return answers.map(({ address }) => address);
}
