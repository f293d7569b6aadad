import type { IncomingHttpHeaders } from 'node:http';

/**
 * Rewrites `Forwarded` (RFC 7239) to `X-Forwarded-For`, which the framework reads, unless a proxy has set the latter
 * already. Ports and brackets are removed: what is logged and limited is the address.
 */
export function normalizeForwarded(headers: IncomingHttpHeaders): void {
  const given = headers['x-forwarded-for'];
  const addresses =
    given === undefined ? addressesOf(headers.forwarded ?? '') : [given].flat().join(',').split(',');
  if (addresses.length === 0) return;
  headers['x-forwarded-for'] = addresses.map(withoutPort).join(', ');
}

const FOR = /(?:^|[;,])\s*for=(?:"([^"]*)"|([^\s;,"]+))/gi;

const addressesOf = (forwarded: string): string[] =>
  [...forwarded.matchAll(FOR)].map((match) => match[1] ?? match[2] ?? '');

/** `192.0.2.1:80` is 192.0.2.1, and `[2001:db8::1]:80` is 2001:db8::1. */
function withoutPort(written: string): string {
  const text = written.trim();
  const bracketed = /^\[([^\]]*)\]/.exec(text);
  if (bracketed) return bracketed[1] ?? '';
  return /^[^:]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text;
}
