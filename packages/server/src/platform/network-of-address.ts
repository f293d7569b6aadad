import ipaddr from 'ipaddr.js';

/**
 * The IPv4 address, or the /64 prefix of an IPv6 address, which usually belongs to one customer. All callers that a
 * proxy names by something else are one.
 */
export function networkOfAddress(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
