import ipaddr from 'ipaddr.js';

/** Addresses of the open internet that cloud machines reach their own metadata by. */
const METADATA = new Set(['168.63.129.16']);
/** The only block of IPv6 that is handed out to the world; an IPv4 address written as `::a.b.c.d` lies outside. */
const WORLDWIDE = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address, in any spelling, is one of the open internet. Loopback, private, link-local, shared, reserved
 * and multicast ranges are not, nor is what carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo),
 * nor text that is no address.
 */
export function isPublicAddress(text: string): boolean {
  const bare = text.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(bare)) return false;
  const address = ipaddr.parse(bare);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(WORLDWIDE);
  return !METADATA.has(address.toString());
}
