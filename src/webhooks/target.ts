import { isIP } from 'node:net';
import type { Config } from '../platform/config.ts';
import { invalidField } from '../platform/errors.ts';
import type { Environment } from '../platform/tenant.ts';
import { isPublicAddress } from './address.ts';
import { resolveName, type Resolve } from './resolve.ts';

/** Whether this environment may send to private addresses: as configured, else in sandbox only. */
export const mayGoPrivate = (
  config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
  environment: Environment,
): boolean => config.ALLOW_PRIVATE_WEBHOOK_TARGETS ?? environment === 'sandbox';

const LOOKUP_PATIENCE_MS = 2000;

export interface TargetRules {
  readonly config: Config;
  readonly environment: Environment;
  readonly resolve?: Resolve;
}

const refused = (msg: string) => invalidField(['body', 'url'], msg);

/**
 * Refuses a target that would be refused at every send: what is no URL to post to, and what the rules forbid.
 * A name that cannot be resolved now is taken; the sender looks at the addresses again anyway.
 */
export async function checkTarget(
  { config, environment, resolve = resolveName }: TargetRules,
  text: string,
): Promise<void> {
  const url = readUrl(text);
  if (environment === 'production' && url.protocol !== 'https:') {
    throw refused('expected an https URL in production');
  }
  if (mayGoPrivate(config, environment)) return;
  for (const address of await addressesOf(url.hostname.replace(/^\[|\]$/g, ''), resolve)) {
    if (!isPublicAddress(address)) throw refused('expected a URL that does not lead to a private address');
  }
}

function readUrl(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw refused('expected an absolute http or https URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw refused('expected a URL without user name and password');
  return url;
}

async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
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
