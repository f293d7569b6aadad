import * as oauth from 'oauth4webapi';
import { LRUCache } from 'lru-cache';
import { isWebUrl } from '../../platform/link-url.ts';
import { later, MINUTE, SECOND, systemClock, type Clock } from '../../platform/clock.ts';
import type { TargetScope } from '../../platform/public-address.ts';
import {
  IdentityProviderError,
  type IdentityProviders,
  type IdTokenClaims,
  type OidcAuthorizationRequest,
  type OidcCallback,
  type OidcClient,
} from './port.ts';
import { createProviderFetch, requireSecureUrl, type ProviderFetch } from './provider-http.ts';
import { toProviderError } from './provider-errors.ts';

const TIMEOUT_MS = 10 * SECOND;
/** Clocks of providers may be this much ahead or behind. */
const CLOCK_TOLERANCE_SECONDS = 30;
const METADATA_MS = 10 * MINUTE;
const KEYS_MS = 5 * MINUTE;
const PROVIDERS_MAX = 1000;
const SCOPE = 'openid email profile';
const SUBJECT_MAX = 255;

/** Asymmetric only: with `none` and HS256 a client that is not confidential could write its own ID tokens. */
// prettier-ignore
const SIGNING_ALGORITHMS = new Set([
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]);

interface KeptText {
  readonly text: string;
  readonly at: Date;
}

interface ProviderContext {
  readonly clock: Clock;
  readonly scope: TargetScope;
  readonly fetch: ProviderFetch;
  /** Discovery documents by issuer. */
  readonly metadata: LRUCache<string, { server: oauth.AuthorizationServer; at: Date }>;
  /** Key sets by URL. */
  readonly keys: LRUCache<string, KeptText>;
}

interface OpenIdOptions {
  readonly clock: Clock;
  /** The addresses at which providers may be. */
  readonly scope: TargetScope;
  readonly timeoutMs?: number;
}

/** Authorization Code with PKCE by OpenID Connect Core 1.0, over HTTP. */
export function createOpenIdProviders({
  clock,
  scope,
  timeoutMs = TIMEOUT_MS,
}: OpenIdOptions): IdentityProviders {
  const context: ProviderContext = {
    clock,
    scope,
    fetch: createProviderFetch(scope, timeoutMs),
    metadata: new LRUCache({ max: PROVIDERS_MAX }),
    keys: new LRUCache({ max: PROVIDERS_MAX }),
  };
  return {
    checkIssuer: async (issuer) => {
      context.metadata.delete(issuer);
      await discover(context, issuer);
    },
    buildAuthorizationUrl: (request) => buildAuthorizationUrl(context, request),
    exchangeCode: (callback) => exchangeCode(context, callback),
  };
}

/** The metadata of a provider, at most 10 minutes old. */
async function discover(context: ProviderContext, issuer: string): Promise<oauth.AuthorizationServer> {
  const { clock, metadata } = context;
  const known = metadata.get(issuer);
  if (known && later(known.at, METADATA_MS) > clock.now()) return known.server;
  const url = requireSecureUrl(issuer, context.scope);
  try {
    const response = await oauth.discoveryRequest(url, { ...toRequestOptions(context, issuer) });
    const server = requireUsable(context, await oauth.processDiscoveryResponse(url, response));
    metadata.set(issuer, { server, at: clock.now() });
    return server;
  } catch (error) {
    throw toProviderError(error, 'metadata', url.host);
  }
}

/** Checks what the library leaves to its caller: endpoints, PKCE and the algorithms. */
function requireUsable(
  { scope }: ProviderContext,
  server: oauth.AuthorizationServer,
): oauth.AuthorizationServer {
  const { authorization_endpoint: authorize, token_endpoint: token, jwks_uri: keys } = server;
  if (authorize === undefined || token === undefined || keys === undefined)
    throw unusable('The discovery document names no authorization_endpoint, token_endpoint or jwks_uri');
  for (const endpoint of [authorize, token, keys]) requireSecureUrl(endpoint, scope);
  if (!isWebUrl(authorize)) throw unusable('The authorization_endpoint is not a URL for browsers');
  const methods = server.code_challenge_methods_supported;
  if (methods && !methods.includes('S256')) throw unusable('The provider does not support PKCE with S256');
  const algorithms = (server.id_token_signing_alg_values_supported ?? ['RS256']).filter((algorithm) =>
    SIGNING_ALGORITHMS.has(algorithm),
  );
  if (algorithms.length === 0)
    throw unusable('The provider signs ID tokens with no algorithm that is accepted, such as RS256');
  return { ...server, id_token_signing_alg_values_supported: algorithms };
}

const unusable = (message: string) => new IdentityProviderError('metadata', message);

async function buildAuthorizationUrl(
  context: ProviderContext,
  request: OidcAuthorizationRequest,
): Promise<URL> {
  const server = await discover(context, request.client.issuer);
  const url = new URL(server.authorization_endpoint ?? '');
  const query = {
    response_type: 'code',
    client_id: request.client.clientId,
    redirect_uri: request.redirectUri,
    scope: SCOPE,
    state: request.state,
    nonce: request.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(request.codeVerifier),
    code_challenge_method: 'S256',
    ...(request.loginHint !== undefined && { login_hint: request.loginHint }),
    ...(request.mustAuthenticate && { prompt: 'login', max_age: '0' }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

async function exchangeCode(context: ProviderContext, callback: OidcCallback): Promise<IdTokenClaims> {
  const { client, parameters, state, nonce } = callback;
  // A copy: the library remembers keys by object, by the time of the system.
  const server = { ...(await discover(context, client.issuer)) };
  const self = toOAuthClient(context, client);
  try {
    const checked = oauth.validateAuthResponse(server, self, parameters, state);
    const options = toRequestOptions(context, client.issuer);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      self,
      toClientAuthentication(client),
      checked,
      callback.redirectUri,
      callback.codeVerifier,
      options,
    );
    const answer = await oauth.processAuthorizationCodeResponse(server, self, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await verifySignature(context, { server, issuer: client.issuer, response });
    return toClaims(oauth.getValidatedIdTokenClaims(answer));
  } catch (error) {
    throw toProviderError(error, 'invalid', new URL(client.issuer).host);
  }
}

/** With a key of the set that is kept, or, where it has no such key, of a set that is read again: keys rotate. */
async function verifySignature(
  context: ProviderContext,
  { server, issuer, response }: { server: oauth.AuthorizationServer; issuer: string; response: Response },
): Promise<void> {
  const options = toKeyOptions(context, issuer);
  const isKept = keptKeys(context, server.jwks_uri ?? '') !== undefined;
  try {
    await oauth.validateApplicationLevelSignature({ ...server }, response, options);
  } catch (error) {
    const isUnknownKey =
      error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION;
    if (!isKept || !isUnknownKey) throw error;
    context.keys.delete(server.jwks_uri ?? '');
    await oauth.validateApplicationLevelSignature({ ...server }, response, options);
  }
}

/** The library counts from the system time: the skew leads to the time of the app. */
const toOAuthClient = ({ clock }: ProviderContext, { clientId }: OidcClient): oauth.Client => ({
  client_id: clientId,
  [oauth.clockSkew]: Math.round((clock.now().getTime() - systemClock.now().getTime()) / SECOND),
  [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
});

function toClientAuthentication({ authentication, clientSecret }: OidcClient): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None();
  return authentication === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

type LibraryFetchOptions = { method: string; headers: Record<string, string>; body?: unknown };

/** What is insecure is refused by the fetch itself, which knows the one exception. */
const toRequestOptions = ({ fetch }: ProviderContext, issuer: string) => ({
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  [oauth.customFetch]: (url: string, { method, headers, body }: LibraryFetchOptions) =>
    fetch({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : undefined,
    }),
});

/** The same for key sets, which are kept for 5 minutes. */
const toKeyOptions = (context: ProviderContext, issuer: string) => ({
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  [oauth.customFetch]: async (url: string, { headers }: LibraryFetchOptions) => {
    const kept = keptKeys(context, url);
    if (kept !== undefined) return toJsonResponse(kept);
    const response = await context.fetch({ url, method: 'GET', headers, body: undefined });
    if (response.status !== 200) return response;
    const text = await response.text();
    context.keys.set(url, { text, at: context.clock.now() });
    return toJsonResponse(text);
  },
});

function keptKeys({ keys, clock }: ProviderContext, url: string): string | undefined {
  const kept = keys.get(url);
  return kept && later(kept.at, KEYS_MS) > clock.now() ? kept.text : undefined;
}

const toJsonResponse = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'application/json' } });

/**
 * Entra ID sends no `email_verified`, but on request `xms_edov`: whether the owner of the domain is verified. It counts
 * only where the standard claim is absent.
 */
function toClaims(claims: oauth.IDToken | undefined): IdTokenClaims {
  if (!claims || claims.sub.length === 0 || claims.sub.length > SUBJECT_MAX)
    throw new IdentityProviderError('invalid', 'The ID token names no valid subject');
  const { email, name, email_verified: verified, auth_time: seconds } = claims;
  const isVerified = verified === undefined ? isTrue(claims['xms_edov']) : verified === true;
  return {
    subject: claims.sub,
    email: typeof email === 'string' ? email : undefined,
    isEmailVerified: isVerified,
    name: typeof name === 'string' ? name : undefined,
    authenticatedAt: seconds === undefined ? undefined : new Date(seconds * SECOND),
  };
}

/** Entra ID writes the optional claim as a boolean, a number or text. */
const isTrue = (value: unknown): boolean =>
  value === true || value === 1 || value === '1' || value === 'true';
