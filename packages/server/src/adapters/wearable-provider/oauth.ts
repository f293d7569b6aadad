import * as oauth from 'oauth4webapi';
import { later, SECOND, type Clock } from '../../platform/clock.ts';
import type { ProviderDefinition, TokenResponse } from './definition.ts';
import type { ProviderHttpClient } from './http-client.ts';
import {
  GrantLostError,
  ProviderUnavailableError,
  ProviderRateLimitedError,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from './port.ts';

interface OAuthFlows {
  readonly buildAuthorizationUrl: WearableProvider['buildAuthorizationUrl'];
  readonly exchangeCode: WearableProvider['exchangeCode'];
  readonly refresh: WearableProvider['refresh'];
  /** By RFC 7009. */
  readonly revoke: WearableProvider['revoke'];
}

interface OAuthContext {
  readonly definition: ProviderDefinition;
  readonly http: ProviderHttpClient;
  readonly clock: Clock;
}

/** The OAuth 2 flows of a provider, as configured by its definition. */
export const createOAuthFlows = (parts: OAuthContext): OAuthFlows => ({
  buildAuthorizationUrl: (ask) => buildAuthorizationUrl(parts.definition, ask),
  exchangeCode: (code) => exchangeCode(parts, code),
  refresh: (app, grant) => refreshGrant(parts, { app, grant }),
  revoke: (app, grant) => revokeGrant(parts, { app, grant }),
});

interface AppGrant {
  readonly app: ProviderApplication;
  readonly grant: Grant;
}

function exchangeCode(
  parts: OAuthContext,
  { app, code, codeVerifier, scope }: Parameters<WearableProvider['exchangeCode']>[0],
): Promise<Grant> {
  const { definition } = parts;
  const [server, client] = [toAuthorizationServer(definition), toOAuthClient(app)];
  // The caller has already verified the state.
  const came = oauth.validateAuthResponse(
    server,
    client,
    new URLSearchParams({ code }),
    oauth.skipStateCheck,
  );
  const verifier = definition.oauth.pkce ? codeVerifier : oauth.nopkce;
  const options = { ...toFetchOptions(parts), additionalParameters: { ...definition.oauth.tokenParameters } };
  return withGrantErrors(parts, 'unknown', async (askedAt) => {
    const proof = toClientAuthentication(definition, app);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      proof,
      came,
      app.redirectUri,
      verifier,
      options,
    );
    const answer = await oauth.processAuthorizationCodeResponse(server, client, response);
    return toGrant(definition, { answer, askedAt, scope });
  });
}

function refreshGrant(parts: OAuthContext, { app, grant }: AppGrant): Promise<Grant> {
  const { definition } = parts;
  const { refreshToken } = grant;
  const [server, client] = [toAuthorizationServer(definition), toOAuthClient(app)];
  const more = { ...definition.oauth.tokenParameters, ...definition.oauth.refreshParameters };
  const options = { ...toFetchOptions(parts), additionalParameters: more };
  return withGrantErrors(parts, 'token_refresh_failed', async (askedAt) => {
    if (refreshToken === null) {
      throw new GrantLostError('token_refresh_failed', `${definition.name} issued no refresh token`);
    }
    const proof = toClientAuthentication(definition, app);
    const response = await oauth.refreshTokenGrantRequest(server, client, proof, refreshToken, options);
    const answer = await oauth.processRefreshTokenResponse(server, client, response);
    const fresh = toGrant(definition, { answer, askedAt, scope: undefined }, grant);
    return {
      ...fresh,
      // Some providers rotate the refresh token, others never do.
      refreshToken: fresh.refreshToken ?? refreshToken,
      externalUserId: fresh.externalUserId ?? grant.externalUserId,
    };
  });
}

/** Idempotent: a grant that the provider does not know counts as revoked. */
async function revokeGrant(parts: OAuthContext, { app, grant }: AppGrant): Promise<void> {
  const { definition } = parts;
  // Revoking the refresh token also ends its access tokens.
  const token = grant.refreshToken ?? grant.accessToken;
  const proof = toClientAuthentication(definition, app);
  await withGrantErrors(parts, 'unknown', async () => {
    const server = toAuthorizationServer(definition);
    const response = await oauth.revocationRequest(
      server,
      toOAuthClient(app),
      proof,
      token,
      toFetchOptions(parts),
    );
    await oauth.processRevocationResponse(response);
  }).catch((error: unknown) => {
    if (!(error instanceof GrantLostError) || error.fault !== 'unknown') throw error;
  });
}

const toFetchOptions = (parts: OAuthContext) => ({ [oauth.customFetch]: createOAuthFetch(parts) });

const toAuthorizationServer = ({
  oauth: { authorize, token, revoke },
}: ProviderDefinition): oauth.AuthorizationServer => ({
  issuer: new URL(authorize).origin,
  authorization_endpoint: authorize,
  token_endpoint: token,
  ...(revoke !== undefined && { revocation_endpoint: revoke }),
});

const toOAuthClient = (app: ProviderApplication): oauth.Client => ({ client_id: app.clientId });

const toClientAuthentication = (
  { oauth: { clientAuth } }: ProviderDefinition,
  { clientSecret }: ProviderApplication,
) => (clientAuth === 'basic' ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret));

function buildAuthorizationUrl(
  { oauth: form }: ProviderDefinition,
  { app, state, scopes, codeChallenge }: Parameters<WearableProvider['buildAuthorizationUrl']>[0],
): URL {
  const url = new URL(form.authorize);
  const wanted = form.toProviderScopes?.(scopes) ?? scopes;
  const asked = [...new Set([...form.requiredScopes, ...wanted])].join(form.scopeSeparator);
  const query = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    state,
    ...(asked !== '' && { scope: asked }),
    ...(form.pkce && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
    ...form.authorizeParameters,
  };
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url;
}

/** A `fetch` for the OAuth library: sends through our HTTP client and normalizes responses to RFC 6749. */
const createOAuthFetch =
  ({ definition, http }: OAuthContext) =>
  async (
    url: string,
    { method, headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
  ): Promise<Response> => {
    const { status, text } = await http({ url, method, headers, body: body.toString() });
    const answer = normalizeResponse(definition, { status, body: parseJsonObject(definition, text) });
    return new Response(JSON.stringify(answer.body), {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  };

function parseJsonObject({ name }: ProviderDefinition, text: string): TokenResponse['body'] {
  if (text.trim() === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new ProviderUnavailableError(`${name} sent a response that cannot be read`);
}

/** Without an `error` field, the status decides whether the client (401) or the grant was rejected. */
function normalizeResponse(
  { oauth: { normalizeTokenResponse } }: ProviderDefinition,
  given: TokenResponse,
): TokenResponse {
  const { status, body } = normalizeTokenResponse?.(given) ?? given;
  if (status >= 400) {
    const error =
      typeof body['error'] === 'string' ? body['error'] : status === 401 ? 'invalid_client' : 'invalid_grant';
    return { status, body: { error } };
  }
  return { status, body: { token_type: 'bearer', ...withoutNulls(body) } };
}

const withoutNulls = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>;

/** Converts OAuth errors, separating faults of the application, of the grant and of the provider. */
async function withGrantErrors<T>(
  { definition: { name }, clock }: OAuthContext,
  fault: string,
  ask: (askedAt: Date) => Promise<T>,
): Promise<T> {
  try {
    return await ask(clock.now());
  } catch (error) {
    if (
      error instanceof ProviderRateLimitedError ||
      error instanceof ProviderUnavailableError ||
      error instanceof GrantLostError
    )
      throw error;
    if (!(error instanceof oauth.ResponseBodyError)) {
      throw new ProviderUnavailableError(`${name} sent a response that cannot be read`);
    }
    if (error.error === 'invalid_client' || error.error === 'unauthorized_client') {
      throw new GrantLostError(
        'provider_credential_error',
        `${name} rejected the credentials of the application`,
      );
    }
    if (error.error === 'temporarily_unavailable' || error.error === 'server_error') {
      throw new ProviderUnavailableError(`${name} is temporarily unavailable`);
    }
    throw new GrantLostError(fault, `${name} rejected the grant: ${error.error}`);
  }
}

interface TokenEndpointResult {
  readonly answer: oauth.TokenEndpointResponse;
  readonly askedAt: Date;
  readonly scope: string | undefined;
}

function toGrant(
  { oauth: { token, requiredScopes, readUserId, fromProviderScopes } }: ProviderDefinition,
  { answer, askedAt, scope }: TokenEndpointResult,
  before?: Grant,
): Grant {
  const granted = answer.scope ?? scope;
  const user = readUserId?.(answer);
  const named = granted?.split(/[\s,]+/).filter(Boolean);
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? null,
    // Counted from the time of the request, so that it never ends too late.
    expiresAt: answer.expires_in === undefined ? null : later(askedAt, answer.expires_in * SECOND),
    scopes: named ? (fromProviderScopes?.(named) ?? named) : (before?.scopes ?? requiredScopes),
    externalUserId: typeof user === 'string' || typeof user === 'number' ? String(user) : null,
    issuer: new URL(token).origin,
  };
}
