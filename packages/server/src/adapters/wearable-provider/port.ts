import type { HealthReading, SampledResource, SummaryResource } from '../../readings/readings.ts';

/** An OAuth grant for one user's data. Always encrypted at rest. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** When the access token expires, in system time; null if the provider does not say. */
  readonly expiresAt: Date | null;
  /** The granted scopes, as the provider names them. */
  readonly scopes: readonly string[];
  /** The provider's id of the user; null if unknown. */
  readonly externalUserId: string | null;
  /** The origin of the token endpoint that issued the tokens; undefined for grants stored by earlier versions. */
  readonly issuer?: string | undefined;
}

/** An OAuth application at the provider: the team's own or the deployment's. */
export interface ProviderApplication {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /**
   * Secrets that authenticate webhooks: those of Fitbit's subscribers, the signature secret of Polar's
   * webhook. Other providers sign with the client secret or repeat a token derived from it.
   */
  readonly webhookSecrets?: readonly string[];
}

export interface ProviderTimeSpan {
  readonly from: Date;
  readonly to: Date;
}

/** A provider's notification that one of its users has new data. */
export interface ProviderNotification {
  readonly externalUserId: string;
  readonly resources: readonly string[];
  /** The time that the new data cover; null if unknown. */
  readonly span: ProviderTimeSpan | null;
  /** The user revoked the grant at the provider. */
  readonly deregistered: boolean;
  /** What the user deleted at the provider, by the provider's ids. */
  readonly deleted?: readonly DeletedRecord[];
}

export interface DeletedRecord {
  readonly resource: SummaryResource;
  readonly key: string;
  /** The series that the provider measures only during such a record, so that they go with it. */
  readonly series?: readonly SampledResource[];
  /** The series of which a part of the record has single values, which go with it. */
  readonly part?: RecordPart;
  /** Only the part was deleted. */
  readonly keepsRecord?: boolean;
}

/** A part of a record with a timestamp of its own. */
interface RecordPart {
  readonly resources: readonly SampledResource[];
  /** Where the record's raw payload has the time of the values. */
  readonly timePath: readonly string[];
}

export interface ProviderWebhookRequest {
  readonly method: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** The outcome of a webhook request: notifications for any number of users, a verification challenge, or a refusal. */
export type NotificationResult =
  | {
      readonly kind: 'news';
      readonly news: readonly ProviderNotification[];
      /** The status that the provider expects; 200 by default. */
      readonly status?: number;
    }
  | { readonly kind: 'challenge'; readonly status: number; readonly body: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** A region that a user can choose, for a provider with a host per region. */
export interface ProviderRegion {
  readonly region: string;
  /** Where the account was made, as users call it. */
  readonly label: string;
  /** The configured region of the deployment. */
  readonly isDefault: boolean;
}

/** A provider that users connect through OAuth 2. Every call can throw the errors below. */
export interface WearableProvider {
  readonly slug: string;
  /** The resources that it supplies, from RESOURCES. */
  readonly resources: readonly string[];
  /** The scopes that a resource requires. */
  readonly scopesOf: (resource: string) => readonly string[];
  /** How new data are noticed: by webhook (`dated`: with the days they cover) or by polling. */
  readonly news:
    | { readonly kind: 'webhook'; readonly dated: boolean }
    | { readonly kind: 'poll'; readonly everySeconds: number };
  /** The origin that issues tokens, for grants that are imported. */
  readonly issuer: string;
  /** Summaries that an earlier API of the provider gave under other keys are continued. */
  readonly replacesEarlierApi: boolean;
  /** Default number of days of the first historical pull. */
  readonly historicalDays: number;

  /** What to ask users who do not come with a region; empty if there is nothing to ask. */
  readonly regions: readonly ProviderRegion[];
  /** Whether users of this region can connect. False for a provider without regions. */
  isRegionSupported(region: string): boolean;
  /** The authorization URL for the user. `codeChallenge` is for PKCE (S256); providers without PKCE ignore it. */
  buildAuthorizationUrl(ask: {
    app: ProviderApplication;
    state: string;
    scopes: readonly string[];
    codeChallenge: string;
    /** The user's region; the configured one by default. */
    region?: string | undefined;
  }): URL;
  /** Exchanges an authorization code for a grant. */
  exchangeCode(code: {
    app: ProviderApplication;
    code: string;
    codeVerifier: string;
    /** The `scope` parameter of the redirect: some providers report granted scopes only there. */
    scope?: string;
    /** The region of the authorization URL. */
    region?: string | undefined;
  }): Promise<Grant>;
  refresh(app: ProviderApplication, grant: Grant): Promise<Grant>;
  /**
   * Revokes the grant. Succeeds if the provider no longer knows it. Throws AccessTokenRejectedError if revocation needs
   * a valid access token and this one has expired.
   */
  revoke(app: ProviderApplication, grant: Grant): Promise<void>;
  /** Subscribes to notifications, if the provider requires it. Idempotent. */
  subscribe(app: ProviderApplication, grant: Grant, address: string): Promise<void>;
  /**
   * Streams all readings of one resource and time span, oldest first. `known` holds the provider's ids of workouts
   * whose streams or details need no request of their own.
   */
  pull(
    grant: Grant,
    what: { resource: string; span: ProviderTimeSpan; known?: ReadonlySet<string> },
  ): AsyncIterable<HealthReading>;
  /** Throws ProviderUnavailableError if the request cannot be authenticated now. */
  parseNotification(app: ProviderApplication, request: ProviderWebhookRequest): Promise<NotificationResult>;
}

/** A permanent failure: the user must reconnect, or the team must fix its credentials. */
export class GrantLostError extends Error {
  /** One of CONNECTION_FAULTS. */
  readonly fault: string;
  constructor(fault: string, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * The access token was rejected, possibly because it expired early. Refresh the grant once and retry; a second
 * rejection is permanent.
 */
export class AccessTokenRejectedError extends GrantLostError {}

/** The provider is limiting requests: retry after this time. */
export class ProviderRateLimitedError extends Error {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, message: string) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A temporary failure: no response, an error response or an unreadable one. Retry later. */
export class ProviderUnavailableError extends Error {}

/** The provider cannot be reached or timed out; other requests would fail now, too. */
export class ProviderUnreachableError extends ProviderUnavailableError {}
