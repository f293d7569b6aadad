import * as oauth from 'oauth4webapi';
import { later, SECOND, type Clock } from '../../platform/clock.ts';
import type { Definition, TokenAnswer } from './definition.ts';
import type { Line } from './exchange.ts';
import {
  GrantLost,
  ProviderAway,
  ProviderBusy,
  type Grant,
  type ProviderApplication,
  type WearableProvider,
} from './port.ts';

export interface Grants {
  readonly grantUrl: WearableProvider['grantUrl'];
  readonly redeem: WearableProvider['redeem'];
  readonly refresh: WearableProvider['refresh'];
  /** By RFC 7009. */
  readonly revoke: WearableProvider['revoke'];
}

interface Parts {
  readonly definition: Definition;
  readonly line: Line;
  readonly clock: Clock;
}

/** The grants of a provider, by OAuth 2 as its definition says that it speaks it. */
export const openGrants = (parts: Parts): Grants => ({
  grantUrl: (ask) => grantUrl(parts.definition, ask),
  redeem: (code) => redeem(parts, code),
  refresh: (app, grant) => refresh(parts, { app, grant }),
  revoke: (app, grant) => revoke(parts, { app, grant }),
});

interface Holding {
  readonly app: ProviderApplication;
  readonly grant: Grant;
}

function redeem(
  parts: Parts,
  { app, code, codeVerifier, scope }: Parameters<WearableProvider['redeem']>[0],
): Promise<Grant> {
  const { definition } = parts;
  const [server, client] = [serverOf(definition), clientOf(app)];
  // Who called back has looked at the state.
  const came = oauth.validateAuthResponse(
    server,
    client,
    new URLSearchParams({ code }),
    oauth.skipStateCheck,
  );
  const verifier = definition.oauth.pkce ? codeVerifier : oauth.nopkce;
  const options = { ...wireOf(parts), additionalParameters: { ...definition.oauth.tokenMore } };
  return asking(parts, 'unknown', async (askedAt) => {
    const proof = proofOf(definition, app);
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
    return grantOf(definition, { answer, askedAt, scope });
  });
}

function refresh(parts: Parts, { app, grant }: Holding): Promise<Grant> {
  const { definition } = parts;
  const { refreshToken } = grant;
  const [server, client] = [serverOf(definition), clientOf(app)];
  const more = { ...definition.oauth.tokenMore, ...definition.oauth.refreshMore };
  const options = { ...wireOf(parts), additionalParameters: more };
  return asking(parts, 'token_refresh_failed', async (askedAt) => {
    if (refreshToken === null) {
      throw new GrantLost('token_refresh_failed', `${definition.name} gave nothing to refresh the grant by`);
    }
    const proof = proofOf(definition, app);
    const response = await oauth.refreshTokenGrantRequest(server, client, proof, refreshToken, options);
    const answer = await oauth.processRefreshTokenResponse(server, client, response);
    const fresh = grantOf(definition, { answer, askedAt, scope: undefined }, grant);
    return {
      ...fresh,
      // Some give a new one each time, some never another.
      refreshToken: fresh.refreshToken ?? refreshToken,
      externalUserId: fresh.externalUserId ?? grant.externalUserId,
    };
  });
}

/** A grant that the provider does not know is taken back already. */
async function revoke(parts: Parts, { app, grant }: Holding): Promise<void> {
  const { definition } = parts;
  // The refresh token, where there is one: with it everything ends that came of it.
  const token = grant.refreshToken ?? grant.accessToken;
  const proof = proofOf(definition, app);
  await asking(parts, 'unknown', async () => {
    const server = serverOf(definition);
    const response = await oauth.revocationRequest(server, clientOf(app), proof, token, wireOf(parts));
    await oauth.processRevocationResponse(response);
  }).catch((error: unknown) => {
    if (!(error instanceof GrantLost) || error.fault !== 'unknown') throw error;
  });
}

const wireOf = (parts: Parts) => ({ [oauth.customFetch]: carrier(parts) });

const serverOf = ({ oauth: { authorize, token, revoke } }: Definition): oauth.AuthorizationServer => ({
  issuer: new URL(authorize).origin,
  authorization_endpoint: authorize,
  token_endpoint: token,
  ...(revoke !== undefined && { revocation_endpoint: revoke }),
});

const clientOf = (app: ProviderApplication): oauth.Client => ({ client_id: app.clientId });

const proofOf = ({ oauth: { clientAuth } }: Definition, { clientSecret }: ProviderApplication) =>
  clientAuth === 'basic' ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);

function grantUrl(
  { oauth: form }: Definition,
  { app, state, scopes, codeChallenge }: Parameters<WearableProvider['grantUrl']>[0],
): URL {
  const url = new URL(form.authorize);
  const asked = [...new Set([...form.always, ...scopes])].join(form.scopeSeparator);
  const query = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    state,
    ...(asked !== '' && { scope: asked }),
    ...(form.pkce && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
    ...form.authorizeMore,
  };
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url;
}

/** Carries the requests of the library over our line, and brings the answers into the form that it knows. */
const carrier =
  ({ definition, line }: Parts) =>
  async (
    url: string,
    { method, headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
  ): Promise<Response> => {
    const { status, text } = await line({ url, method, headers, body: body.toString() });
    const answer = conform(definition, { status, body: objectIn(definition, text) });
    return new Response(JSON.stringify(answer.body), {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  };

function objectIn({ name }: Definition, text: string): TokenAnswer['body'] {
  if (text.trim() === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  } catch {
    // Said below, as for what is JSON and no object.
  }
  throw new ProviderAway(`${name} answered what cannot be read`);
}

/** A refusal without an `error` says by its status whether the application or the grant is refused. */
function conform({ oauth: { tokenAnswer } }: Definition, given: TokenAnswer): TokenAnswer {
  const { status, body } = tokenAnswer?.(given) ?? given;
  if (status >= 400) {
    const error =
      typeof body['error'] === 'string' ? body['error'] : status === 401 ? 'invalid_client' : 'invalid_grant';
    return { status, body: { error } };
  }
  return { status, body: { token_type: 'bearer', ...withoutNulls(body) } };
}

const withoutNulls = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>;

/** Errors that say whose fault it is: of the application, of the grant, or of the provider. */
async function asking<T>(
  { definition: { name }, clock }: Parts,
  fault: string,
  ask: (askedAt: Date) => Promise<T>,
): Promise<T> {
  try {
    return await ask(clock.now());
  } catch (error) {
    if (error instanceof ProviderBusy || error instanceof ProviderAway || error instanceof GrantLost)
      throw error;
    if (!(error instanceof oauth.ResponseBodyError)) {
      throw new ProviderAway(`${name} answered what cannot be read`);
    }
    if (error.error === 'invalid_client' || error.error === 'unauthorized_client') {
      throw new GrantLost(
        'provider_credential_error',
        `${name} does not know the application by these credentials`,
      );
    }
    if (error.error === 'temporarily_unavailable' || error.error === 'server_error') {
      throw new ProviderAway(`${name} cannot answer now`);
    }
    throw new GrantLost(fault, `${name} refuses the grant: ${error.error}`);
  }
}

interface Answered {
  readonly answer: oauth.TokenEndpointResponse;
  readonly askedAt: Date;
  readonly scope: string | undefined;
}

function grantOf(
  { oauth: { always, userIn } }: Definition,
  { answer, askedAt, scope }: Answered,
  before?: Grant,
): Grant {
  const granted = answer.scope ?? scope;
  const user = userIn?.(answer);
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? null,
    // From the moment of asking: rather a little too early than too late.
    expiresAt: answer.expires_in === undefined ? null : later(askedAt, answer.expires_in * SECOND),
    scopes: granted === undefined ? (before?.scopes ?? always) : granted.split(/[\s,]+/).filter(Boolean),
    externalUserId: typeof user === 'string' || typeof user === 'number' ? String(user) : null,
  };
}
