import ipaddr from 'ipaddr.js';
import type { Config } from './config.ts';
import { isLoopbackHost } from './loopback-host.ts';
import type { Environment } from './tenant.ts';

/** Public addresses that cloud machines use for their metadata service. */
const METADATA = new Set(['168.63.129.16']);
/** The only globally allocated IPv6 block; an IPv4 address written as `::a.b.c.d` is outside it. */
const WORLDWIDE = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address, in any notation, is public. Loopback, private, link-local, shared, reserved and multicast
 * ranges are not, nor are addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo), nor invalid text.
 */
export function isPublicAddress(text: string): boolean {
  const bare = text.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(bare)) return false;
  const address = ipaddr.parse(bare);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(WORLDWIDE);
  return !METADATA.has(address.toString());
}

/**
 * The addresses that a team may make the service send to. Each scope contains the previous one. Link-local and metadata
 * addresses are in none: whoever can read a cloud's metadata service has the machine's credentials.
 */
export const TARGET_SCOPES = ['public', 'loopback', 'private'] as const;
export type TargetScope = (typeof TARGET_SCOPES)[number];

/**
 * The scope of an environment. Private addresses must be allowed by the operator's setting. Without one, a sandbox may
 * send to the machine it runs on if the service is reachable from there only, as on a developer's laptop.
 */
export function targetScopeOf(
  { HOST }: Pick<Config, 'HOST'>,
  environment: Environment,
  allowsPrivate: boolean | undefined,
): TargetScope {
  if (allowsPrivate !== undefined) return allowsPrivate ? 'private' : 'public';
  return environment === 'sandbox' && isLoopbackHost(HOST) ? 'loopback' : 'public';
}

export const webhookTargetScope = (
  config: Pick<Config, 'HOST' | 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
  environment: Environment,
): TargetScope => targetScopeOf(config, environment, config.ALLOW_PRIVATE_WEBHOOK_TARGETS);

/** Further addresses of metadata services; those of most clouds are link-local. */
const PRIVATE_METADATA = new Set(['100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254']);
const PRIVATE_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** Whether an IP address, in any notation, is in the scope. */
export function isTargetAllowed(text: string, scope: TargetScope): boolean {
  if (isPublicAddress(text)) return true;
  const bare = text.replace(/^\[|\]$/g, '');
  if (scope === 'public' || !ipaddr.isValid(bare)) return false;
  const address = ipaddr.process(bare);
  if (PRIVATE_METADATA.has(address.toString())) return false;
  const range = address.range();
  return scope === 'loopback' ? range === 'loopback' : PRIVATE_RANGES.has(range);
}
