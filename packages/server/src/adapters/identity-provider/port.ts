/** An identity provider that speaks OpenID Connect, as one organization has registered this service there. */
export interface OidcClient {
  /** The issuer identifier, without a trailing slash unless the provider has one. */
  readonly issuer: string;
  readonly clientId: string;
  readonly authentication: ClientAuthenticationMethod;
  /** Undefined for a client without a secret (`none`). */
  readonly clientSecret: string | undefined;
}

/** How this service proves at the token endpoint that it is the client. */
export const CLIENT_AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type ClientAuthenticationMethod = (typeof CLIENT_AUTHENTICATION_METHODS)[number];

export interface OidcAuthorizationRequest {
  readonly client: OidcClient;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Whose account is meant, if known: an e-mail address. */
  readonly loginHint: string | undefined;
  /** The person must authenticate again, however recently that happened (`prompt=login`, `max_age=0`). */
  readonly mustAuthenticate: boolean;
}

export interface OidcCallback extends Pick<
  OidcAuthorizationRequest,
  'client' | 'redirectUri' | 'state' | 'nonce' | 'codeVerifier'
> {
  /** The query parameters that the browser brought. */
  readonly parameters: URLSearchParams;
}

/** The verified claims of an ID token. Strings are not bounded. */
export interface IdTokenClaims {
  /** Names an account of the issuer, forever. */
  readonly subject: string;
  readonly email: string | undefined;
  /** Whether the provider says that the address belongs to the account. */
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
  /** When the person last authenticated at the provider; undefined if it does not tell. */
  readonly authenticatedAt: Date | undefined;
}

/**
 * `forbidden`: a private address, or http. `unreachable`: no answer, too slow, too large, or an HTTP error. `metadata`:
 * the discovery document is not usable. `denied`: the provider refused the person. `client`: it refused this service.
 * `invalid`: its answer failed a check.
 */
export type IdentityProviderFault =
  'forbidden' | 'unreachable' | 'metadata' | 'denied' | 'client' | 'invalid';

export class IdentityProviderError extends Error {
  readonly fault: IdentityProviderFault;

  /** @param message what is wrong, without secrets and without personal data */
  constructor(fault: IdentityProviderFault, message: string) {
    super(message);
    this.name = 'IdentityProviderError';
    this.fault = fault;
  }
}

/**
 * The identity providers of all organizations. Every method throws an IdentityProviderError for what the provider does
 * wrong. Nothing is sent to an address outside the allowed ones, and redirects are not followed.
 */
export interface IdentityProviders {
  /** Reads the discovery document again, and checks that it has what the flow needs. */
  readonly checkIssuer: (issuer: string) => Promise<void>;
  /** The URL at the provider to which the browser goes. */
  readonly buildAuthorizationUrl: (request: OidcAuthorizationRequest) => Promise<URL>;
  /** Exchanges the code of a callback and verifies the ID token. */
  readonly exchangeCode: (callback: OidcCallback) => Promise<IdTokenClaims>;
}
