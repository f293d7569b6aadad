import type { Reading } from '../../wearables/readings.ts';

/** What lets us read about one user until it ends or is taken back. Sealed wherever it is kept. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** When the access token ends, on the system's clock; null where the provider does not say. */
  readonly expiresAt: Date | null;
  /** What the user granted, in the provider's words. */
  readonly scopes: readonly string[];
  /** The user, as the provider calls them; null where it does not say. */
  readonly externalUserId: string | null;
}

/** The application at the provider: the team's own, or that of the deployment. */
export interface ProviderApplication {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /**
   * What the application was given beside it to know news by: the verify tokens of Fitbit's subscribers, the signature
   * secret of Polar's webhook. The others sign with the client secret, or repeat a token that is made of it.
   */
  readonly webhookSecrets?: readonly string[];
}

export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** What a provider says that is new, of one of its users. */
export interface News {
  readonly externalUserId: string;
  readonly resources: readonly string[];
  /** Null where it does not say what time it is about. */
  readonly span: Span | null;
  /** The user took the grant back at the provider. */
  readonly deregistered: boolean;
}

export interface NewsRequest {
  readonly method: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** A provider says things about many users at once, or asks whether we are who it wants to tell. */
export type NewsAnswer =
  | { readonly kind: 'news'; readonly news: readonly News[] }
  | { readonly kind: 'challenge'; readonly status: number; readonly body: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** One provider that users grant access to by OAuth 2. Every call may throw the errors below. */
export interface WearableProvider {
  readonly slug: string;
  /** What it can tell: names of RESOURCES. */
  readonly resources: readonly string[];
  /** The scopes without which a resource cannot be had. */
  readonly scopesOf: (resource: string) => readonly string[];
  /** How news comes: it tells us, and of which days where it is `dated`; or we ask every so often. */
  readonly news:
    | { readonly kind: 'webhook'; readonly dated: boolean }
    | { readonly kind: 'poll'; readonly everySeconds: number };
  /** Days of history that it is asked for at first, where the team says nothing. */
  readonly historicalDays: number;

  /** Where the user is sent to grant access. `codeChallenge` is that of PKCE (S256); providers without it ignore it. */
  grantUrl(ask: {
    app: ProviderApplication;
    state: string;
    scopes: readonly string[];
    codeChallenge: string;
  }): URL;
  /** What the code is worth that came back with the user. */
  redeem(code: {
    app: ProviderApplication;
    code: string;
    codeVerifier: string;
    /** `scope` of the address that the user came back to: some providers say only there what was granted. */
    scope?: string;
  }): Promise<Grant>;
  refresh(app: ProviderApplication, grant: Grant): Promise<Grant>;
  /**
   * Takes the grant back; done too where the provider does not know it any more. Throws AccessRefused where that takes
   * an access token that lives, and this one does not.
   */
  revoke(app: ProviderApplication, grant: Grant): Promise<void>;
  /** Registers for news of this user, where the provider wants that for each; repeats are harmless. */
  subscribe(app: ProviderApplication, grant: Grant, address: string): Promise<void>;
  /**
   * Everything of one resource and time, oldest first, page by page. `known` are workouts, by the provider's ids, of which
   * the stream need not be told again.
   */
  pull(
    grant: Grant,
    what: { resource: string; span: Span; known?: ReadonlySet<string> },
  ): AsyncIterable<Reading>;
  readNews(app: ProviderApplication, request: NewsRequest): NewsAnswer;
}

/** Nothing will come of asking again: the user has to connect anew, or somebody to mend the credentials. */
export class GrantLost extends Error {
  /** One of CONNECTION_FAULTS. */
  readonly fault: string;
  constructor(fault: string, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * The access token is refused. It may have ended before its time: refresh the grant once and ask again; what is refused
 * again then is lost.
 */
export class AccessRefused extends GrantLost {}

/** The provider wants to be left alone for a while. */
export class ProviderBusy extends Error {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, message: string) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** It does not answer, or says what cannot be understood; worth another try later. */
export class ProviderAway extends Error {}

/** It cannot be reached, or does not answer in time: so it will be with whatever else it is asked now. */
export class ProviderSilent extends ProviderAway {}
