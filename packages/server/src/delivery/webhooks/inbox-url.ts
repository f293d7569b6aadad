import type { Config } from '../../platform/config.ts';
import { webhookTargetScope, type TargetScope } from '../../platform/public-address.ts';
import { publicUrl } from '../../platform/public-url.ts';
import type { Environment } from '../../platform/tenant.ts';

/** Where this service receives the webhooks of its sandboxes. */
export const INBOX_PATH = '/webhook-inbox/';
/** 256 bits in base64url: nothing in it changes the path, the host or the port. */
const TOKEN = /^[\w-]{43}$/;

/** An address to listen on is none to connect to. */
const REACHABLE_HOSTS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export const inboxUrl = (config: Config, token: string): string =>
  publicUrl({ ...config, HOST: REACHABLE_HOSTS[config.HOST] ?? config.HOST }, `${INBOX_PATH}${token}`);

/** Whether a URL is one of those of this service, letter by letter. */
function isInboxUrl(config: Config, url: string): boolean {
  const prefix = inboxUrl(config, '');
  return url.startsWith(prefix) && TOKEN.test(url.slice(prefix.length));
}

/**
 * The addresses that an endpoint may lead to. The service often reaches itself at a private address only, so a sandbox
 * may send there, to the inbox and to no other path or port. Who may enter the name is the operator, in PUBLIC_URL; the
 * addresses of metadata services stay forbidden.
 */
export const targetScopeOfEndpoint = (
  config: Config,
  { environment, url }: { environment: Environment; url: string },
): TargetScope =>
  environment === 'sandbox' && isInboxUrl(config, url) ? 'private' : webhookTargetScope(config, environment);
