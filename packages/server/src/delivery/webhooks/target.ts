import { isIP } from 'node:net';
import type { Config } from '../../platform/config.ts';
import { invalidField } from '../../platform/errors.ts';
import { isTargetAllowed, webhookTargetScope } from '../../platform/public-address.ts';
import type { Environment } from '../../platform/tenant.ts';
import { resolveHostname, type ResolveHostname } from '../../platform/network/resolve.ts';

const LOOKUP_PATIENCE_MS = 2000;

export interface TargetRules {
  readonly config: Config;
  readonly environment: Environment;
  readonly resolve?: ResolveHostname;
}

const invalidTarget = (msg: string) => invalidField(['body', 'url'], msg);

/**
 * Refuses a target that every delivery would refuse: an invalid URL, or one that the rules forbid. A name that cannot
 * be resolved now is accepted; the sender checks the addresses again.
 */
export async function validateTarget(
  { config, environment, resolve = resolveHostname }: TargetRules,
  text: string,
): Promise<void> {
  const url = readUrl(text);
  if (environment === 'production' && url.protocol !== 'https:') {
    throw invalidTarget('expected an https URL in production');
  }
  const scope = webhookTargetScope(config, environment);
  for (const address of await addressesOf(url.hostname.replace(/^\[|\]$/g, ''), resolve)) {
    if (!isTargetAllowed(address, scope))
      throw invalidTarget('expected a URL that does not resolve to a private address');
  }
}

function readUrl(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw invalidTarget('expected an absolute http or https URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw invalidTarget('expected a URL without user name and password');
  return url;
}

async function addressesOf(host: string, resolve: ResolveHostname): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<string[]>((done) => {
    timer = setTimeout(() => done([]), LOOKUP_PATIENCE_MS);
  });
  const answers = new Promise<string[]>((done) => {
    resolve(host, (_error, found) => done(found.map(({ address }) => address)));
  });
  return Promise.race([answers, patience]).finally(() => clearTimeout(timer));
}
