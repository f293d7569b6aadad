import { Agent, request, type Dispatcher } from 'undici';
import { isLoopbackHost } from '../../platform/loopback-host.ts';
import { PrivateAddressError, scopedConnector } from '../../platform/network/connector.ts';
import type { TargetScope } from '../../platform/public-address.ts';
import { IdentityProviderError } from './port.ts';

/** Discovery documents and key sets are a few kilobytes. */
const RESPONSE_LIMIT_BYTES = 256 * 1024;
const KEEP_ALIVE_MS = 1000;

interface ProviderExchange {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Sends a request to an identity provider. Redirects are not followed: they come back as responses. */
export type ProviderFetch = (exchange: ProviderExchange) => Promise<Response>;

/**
 * A client for the addresses of a scope only, whatever a name resolves to. The time covers the whole exchange. http is
 * for a provider on the same machine.
 */
export function createProviderFetch(scope: TargetScope, timeoutMs: number): ProviderFetch {
  const dispatcher = new Agent({
    connect: scopedConnector(scope, timeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  return async ({ url, method, headers, body }) => {
    const { host } = requireSecureUrl(url, scope);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const sent = { dispatcher, method, signal, headers: { ...headers, 'user-agent': 'aliquot' } };
      const answer = await request(url, { ...sent, body: body ?? null });
      const text = await readText(answer, host);
      const type = answer.headers['content-type'];
      return new Response(isWithoutBody(answer.statusCode) ? null : text, {
        status: answer.statusCode,
        headers: { 'content-type': typeof type === 'string' ? type : 'application/octet-stream' },
      });
    } catch (error) {
      if (error instanceof IdentityProviderError) throw error;
      if (error instanceof PrivateAddressError) throw privateAddress(host);
      throw new IdentityProviderError(
        'unreachable',
        signal.aborted ? `${host} did not answer within ${timeoutMs} ms` : `${host} cannot be reached`,
      );
    }
  };
}

/** The URL, if its scheme is https, or http to the same machine where that is allowed. */
export function requireSecureUrl(text: string, scope: TargetScope): URL {
  if (!URL.canParse(text)) throw new IdentityProviderError('metadata', 'The provider names an invalid URL');
  const url = new URL(text);
  const isLoopback = isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.protocol === 'https:') return url;
  if (url.protocol === 'http:' && isLoopback && scope !== 'public') return url;
  throw new IdentityProviderError(
    'forbidden',
    `${url.host} must be reached by https; http is for a provider on the same machine, in development`,
  );
}

const privateAddress = (host: string) =>
  new IdentityProviderError(
    'forbidden',
    `${host} is at a private address: its operator must allow that with ALLOW_PRIVATE_IDENTITY_PROVIDERS`,
  );

const isWithoutBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

async function readText({ body }: Dispatcher.ResponseData, host: string): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > RESPONSE_LIMIT_BYTES)
      throw new IdentityProviderError('unreachable', `${host} sent a response that is too large`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
