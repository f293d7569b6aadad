import * as oauth from 'oauth4webapi';
import { IdentityProviderError, type IdentityProviderFault } from './port.ts';

/** What to do where the discovery document is not that of the issuer. */
const DISCOVERY = {
  status: 'answers no discovery document at /.well-known/openid-configuration',
  issuer: 'has a discovery document of another issuer: enter the issuer exactly as the document names it',
};

/** The error of the port for whatever went wrong at a provider. Messages of the library may name claims, and are not used. */
export function toProviderError(
  error: unknown,
  fault: Extract<IdentityProviderFault, 'metadata' | 'invalid'>,
  host: string,
): IdentityProviderError {
  if (error instanceof IdentityProviderError) return error;
  if (error instanceof oauth.AuthorizationResponseError)
    return new IdentityProviderError('denied', `${host} refused the sign-in: ${toCode(error.error)}`);
  if (error instanceof oauth.ResponseBodyError) return toTokenError(error, host);
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new IdentityProviderError('client', `${host} refused the client id or the client secret`);
  return new IdentityProviderError(fault, `${host} ${describe(error, fault)}`);
}

function toTokenError({ error }: oauth.ResponseBodyError, host: string): IdentityProviderError {
  if (error === 'invalid_client' || error === 'unauthorized_client')
    return new IdentityProviderError('client', `${host} refused the client id or the client secret`);
  if (error === 'temporarily_unavailable' || error === 'server_error')
    return new IdentityProviderError('unreachable', `${host} is temporarily unavailable`);
  return new IdentityProviderError('invalid', `${host} refused the code: ${toCode(error)}`);
}

/** Codes of RFC 6749 only: the text comes from a query parameter or from the provider. */
const toCode = (text: string): string => (/^[a-z_]{1,40}$/.test(text) ? text : 'unknown_error');

function describe(error: unknown, fault: 'metadata' | 'invalid'): string {
  const code = error instanceof oauth.OperationProcessingError ? error.code : undefined;
  if (fault === 'metadata') {
    if (code === oauth.JSON_ATTRIBUTE_COMPARISON) return DISCOVERY.issuer;
    return DISCOVERY.status;
  }
  const claim = claimOf(error);
  if (code === oauth.JWT_TIMESTAMP_CHECK) return 'sent an ID token that has expired or is not valid yet';
  if (claim !== undefined) return `sent an ID token with another ${claim}`;
  if (code === oauth.KEY_SELECTION) return 'signed the ID token with a key that it does not publish';
  return 'sent a response that failed a check';
}

/** The name of the claim that was compared, of a fixed list. */
function claimOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const claim = typeof cause === 'object' && cause !== null && 'claim' in cause ? cause.claim : undefined;
  return typeof claim === 'string' && ['iss', 'aud', 'azp', 'nonce'].includes(claim) ? claim : undefined;
}
