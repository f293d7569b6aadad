import ipaddr from 'ipaddr.js';
import type { Config } from './config.ts';
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

/** Whether this environment may send to private addresses: as configured, by default in sandbox only. */
export const allowsPrivateTargets = (
  config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
  environment: Environment,
): boolean => config.ALLOW_PRIVATE_WEBHOOK_TARGETS ?? environment === 'sandbox';
