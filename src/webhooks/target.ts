import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Config } from '../platform/config.ts';
import { DomainError, invalidField } from '../platform/errors.ts';
import type { Environment } from '../platform/tenant.ts';
import { isPublicAddress } from './address.ts';

/** Whether this environment may send to private addresses: as configured, else in sandbox only. */
export const mayGoPrivate = (
  config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
  environment: Environment,
): boolean => config.ALLOW_PRIVATE_WEBHOOK_TARGETS ?? environment === 'sandbox';

const LOOKUP_PATIENCE_MS = 2000;

/**
 * Refuses a target that would be refused at every send: 422 for what is no URL to post to, 400 for one that
 * the rules forbid. A name that cannot be resolved now is taken; the sender looks at the addresses again anyway.
 */
export async function checkTarget(config: Config, environment: Environment, text: string): Promise<void> {
  const url = readUrl(text);
  if (environment === 'production' && url.protocol !== 'https:') {
    throw new DomainError('bad_request', 'Webhook URLs must be https in production');
  }
  if (mayGoPrivate(config, environment)) return;
  for (const address of await addressesOf(url.hostname.replace(/^\[|\]$/g, ''))) {
    if (!isPublicAddress(address))
      throw new DomainError('bad_request', 'The webhook URL points to a private address');
  }
}

function readUrl(text: string): URL {
  const refused = (msg: string) => invalidField(['body', 'url'], msg);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw refused('expected an absolute http or https URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw refused('expected a URL without user name and password');
  return url;
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), LOOKUP_PATIENCE_MS);
  });
  const answers = lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
  return Promise.race([answers, patience]).finally(() => clearTimeout(timer));
}
