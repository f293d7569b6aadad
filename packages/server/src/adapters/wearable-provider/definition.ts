import type { HealthReading } from '../../readings/readings.ts';
import type { ProviderApi } from './api.ts';
import type { ProviderHttpClient, ProviderResponseHeaders } from './http-client.ts';
import type {
  Grant,
  NotificationResult,
  ProviderWebhookRequest,
  ProviderApplication,
  ProviderTimeSpan,
  WearableProvider,
} from './port.ts';

/** A response of a token endpoint, before it is normalized to RFC 6749. */
export interface TokenResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A provider's OAuth 2 endpoints, and its deviations from the standard. */
interface OAuthConfig {
  readonly authorize: string;
  readonly token: string;
  /** The revocation endpoint of RFC 7009, if the provider has one. */
  readonly revoke?: string;
  /** Client authentication: Basic header, or form fields. */
  readonly clientAuth: 'basic' | 'post';
  readonly pkce: boolean;
  readonly scopeSeparator: ' ' | ',';
  /** Scopes that are always requested, because nothing works without them. */
  readonly requiredScopes: readonly string[];
  /** Translates the scopes of the interface to those of the provider, and the granted ones back, if they differ. */
  readonly toProviderScopes?: (scopes: readonly string[]) => readonly string[];
  readonly fromProviderScopes?: (granted: readonly string[]) => readonly string[];
  readonly authorizeParameters?: Readonly<Record<string, string>>;
  readonly tokenParameters?: Readonly<Record<string, string>>;
  readonly refreshParameters?: Readonly<Record<string, string>>;
  readonly normalizeTokenResponse?: (answer: TokenResponse) => TokenResponse;
  /** Reads the user's id from a token response. */
  readonly readUserId?: (body: Readonly<Record<string, unknown>>) => unknown;
}

interface PullableResource {
  readonly scopes: readonly string[];
  /** Maximum length of one request; undefined if the provider always returns everything. */
  readonly windowDays?: number;
  readonly pull: PullFunction;
}

/** Yields all readings of one window, oldest first. */
export type PullFunction = (
  api: ProviderApi,
  asked: { span: ProviderTimeSpan; grant: Grant; known: ReadonlySet<string> },
) => AsyncIterable<HealthReading>;

/** The context of calls other than pulls. */
export interface ProviderCallContext {
  readonly api: ProviderApi;
  readonly app: ProviderApplication;
  readonly now: Date;
}

/** The context of notifications. */
export interface NotificationContext {
  readonly http: ProviderHttpClient;
  readonly now: Date;
}

/** Everything specific to one provider. `provider.ts` builds the implementation of the port from it. */
export interface ProviderDefinition {
  readonly slug: string;
  readonly name: string;
  /** Base URL for relative paths. */
  readonly api: string;
  readonly oauth: OAuthConfig;
  /**
   * For a provider with a host per region: the origin of each, by its own name, and the name for a region of the
   * interface. `api` is the origin of the default region, the first of the choices for users. A token is only sent to
   * the host that issued it.
   */
  readonly regions?: {
    readonly origins: Readonly<Record<string, string>>;
    readonly find: (region: string) => string | undefined;
    readonly choices: readonly { readonly region: string; readonly label: string }[];
  };
  /**
   * The API replaces one that was shut down. Grants that the token endpoint did not issue are lost, and what was stored
   * from the earlier API is continued: see `continueSummaries`.
   */
  readonly replacesEarlierApi?: boolean;
  readonly resources: Readonly<Record<string, PullableResource>>;
  readonly news: WearableProvider['news'];
  readonly historicalDays: number;
  readonly readRetrySeconds?: (headers: ProviderResponseHeaders, now: Date) => number | undefined;
  /** Runs after a grant: reads the user's id if the token lacks it, or registers the user with the application. */
  readonly afterGrant?: (means: ProviderCallContext, grant: Grant) => Promise<Partial<Grant>>;
  /** Replaces revocation by RFC 7009. */
  readonly revoke?: (means: ProviderCallContext, grant: Grant) => Promise<void>;
  readonly subscribe?: (
    means: ProviderCallContext,
    asked: { grant: Grant; address: string },
  ) => Promise<void>;
  readonly parseNotification: (
    app: ProviderApplication,
    request: ProviderWebhookRequest,
    context: NotificationContext,
  ) => NotificationResult | Promise<NotificationResult>;
}
