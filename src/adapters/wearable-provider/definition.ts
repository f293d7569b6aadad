import type { Reading } from '../../wearables/readings.ts';
import type { Api } from './api.ts';
import type { AnswerHeaders } from './exchange.ts';
import type { Grant, NewsAnswer, NewsRequest, ProviderApplication, Span, WearableProvider } from './port.ts';

/** An answer of a token endpoint, to be brought into the form of RFC 6749 where it has another. */
export interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a provider speaks OAuth 2, and where it departs from it. */
export interface OAuthForm {
  readonly authorize: string;
  readonly token: string;
  /** Where RFC 7009 is spoken. */
  readonly revoke?: string;
  /** How the application proves itself: in a header, or in the body. */
  readonly clientAuth: 'basic' | 'post';
  readonly pkce: boolean;
  readonly scopeSeparator: ' ' | ',';
  /** Scopes without which nothing can be had at all, asked for beside the others. */
  readonly always: readonly string[];
  readonly authorizeMore?: Readonly<Record<string, string>>;
  readonly tokenMore?: Readonly<Record<string, string>>;
  readonly refreshMore?: Readonly<Record<string, string>>;
  readonly tokenAnswer?: (answer: TokenAnswer) => TokenAnswer;
  /** The user, in the answer of the token endpoint. */
  readonly userIn?: (body: Readonly<Record<string, unknown>>) => unknown;
}

export interface ResourceRow {
  readonly scopes: readonly string[];
  /** The longest time that is asked about at once; nothing where the provider answers all that it has. */
  readonly windowDays?: number;
  readonly pull: Pull;
}

/** Everything of one window, oldest first. */
export type Pull = (
  api: Api,
  asked: { span: Span; grant: Grant; known: ReadonlySet<string> },
) => AsyncIterable<Reading>;

/** With what a provider is asked for more than readings. */
export interface Means {
  readonly api: Api;
  readonly app: ProviderApplication;
  readonly now: Date;
}

/** What makes one provider different from another. `provider.ts` makes the body of the port of it. */
export interface Definition {
  readonly slug: string;
  readonly name: string;
  /** Where paths without an origin lead. */
  readonly api: string;
  readonly oauth: OAuthForm;
  readonly resources: Readonly<Record<string, ResourceRow>>;
  readonly news: WearableProvider['news'];
  readonly historicalDays: number;
  readonly busySeconds?: (headers: AnswerHeaders, now: Date) => number | undefined;
  /** Who the user is, where the token does not say it; or what has to be done before anything is told. */
  readonly afterGrant?: (means: Means, grant: Grant) => Promise<Partial<Grant>>;
  /** In place of RFC 7009. */
  readonly revoke?: (means: Means, grant: Grant) => Promise<void>;
  readonly subscribe?: (means: Means, asked: { grant: Grant; address: string }) => Promise<void>;
  readonly readNews: (app: ProviderApplication, request: NewsRequest) => NewsAnswer;
}
