import { gzipSync } from 'node:zlib';
import type { TestService } from './service.ts';

/** What differs between the SDKs in how they send. */
interface PhonePlatform {
  readonly provider: 'apple_health_kit' | 'health_connect';
  readonly versionHeader: string;
  /** Parts of a path whose bodies are packed. */
  readonly packed: readonly string[];
  /** Only one SDK says where a history ends. */
  readonly saysFinal: boolean;
}

export const IOS: PhonePlatform = {
  provider: 'apple_health_kit',
  versionHeader: 'x-vital-ios-sdk-version',
  packed: ['timeseries', 'summary', 'sdk_sync_progress'],
  saysFinal: true,
};
export const ANDROID: PhonePlatform = {
  provider: 'health_connect',
  versionHeader: 'x-vital-android-sdk-version',
  packed: ['timeseries', 'summary'],
  saysFinal: false,
};

/** One portion of a resource. */
export interface PhonePortion {
  readonly path: (user: string) => string;
  readonly data: unknown;
  /** The name under which its history is announced. */
  readonly backfill: string;
}

/**
 * Stands in for an app with a mobile SDK, after what the SDKs send: signs in by exchanging a sign-in token, refreshes
 * its tokens after a 401 and repeats the request, packs bodies, and knows where its own history has ended.
 */
export class Phone {
  readonly #service: TestService;
  readonly #platform: PhonePlatform;
  #tokens = { access_token: '', refresh_token: '' };
  #user = '';
  readonly #done = new Set<string>();

  constructor(service: TestService, platform: PhonePlatform) {
    this.#service = service;
    this.#platform = platform;
  }

  async signIn(signInToken: string): Promise<void> {
    const both = JSON.parse(Buffer.from(signInToken, 'base64').toString());
    const [, claims = ''] = both.user_token.split('.');
    this.#user = JSON.parse(Buffer.from(claims, 'base64').toString()).uid;
    await this.#askTokens({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:junction:sign-in-token',
      subject_token: both.user_token,
    });
  }

  async #askTokens(form: Record<string, string>): Promise<void> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const payload = new URLSearchParams(form).toString();
    const answer = await this.#service.http.server.inject({
      method: 'POST',
      url: '/v1/token',
      headers,
      payload,
    });
    if (answer.statusCode !== 200) throw new Error(`No tokens: ${answer.body}`);
    this.#tokens = answer.json();
  }

  async call(
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    body?: unknown,
  ): Promise<{ status: number; json: unknown }> {
    const send = () => {
      const isPacked =
        method === 'POST' && this.#platform.packed.some((part) => url.split('/').includes(part));
      const text = body === undefined ? undefined : JSON.stringify(body);
      return this.#service.http.server.inject({
        method,
        url,
        headers: {
          authorization: `Bearer ${this.#tokens.access_token}`,
          [this.#platform.versionHeader]: '4.0.0',
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
        },
        ...(text === undefined ? {} : { payload: isPacked ? gzipSync(text) : text }),
      });
    };
    const first = await send();
    if (first.statusCode !== 401) return { status: first.statusCode, json: first.json() };
    await this.#askTokens({ grant_type: 'refresh_token', refresh_token: this.#tokens.refresh_token });
    const second = await send();
    return { status: second.statusCode, json: second.json() };
  }

  async #require(url: string, body: unknown): Promise<unknown> {
    const { status, json } = await this.call('POST', url, body);
    if (status !== 200) throw new Error(`${url}: ${status} ${JSON.stringify(json)}`);
    return json;
  }

  connect(): Promise<unknown> {
    const { provider } = this.#platform;
    return this.#require(`/v2/link/provider/manual/${provider}`, {
      user_id: this.#user,
      granted_permissions: [],
    });
  }

  syncState(): Promise<unknown> {
    const { provider } = this.#platform;
    const body = { tzinfo: 'Europe/Berlin', granted_permissions: null };
    return this.#require(`/v2/user/${this.#user}/sdk_sync_state/${provider}`, body);
  }

  /** One sync: the history of what has not been sent, and what is new of the rest. Returns what was pushed. */
  async sync(
    portions: readonly PhonePortion[],
    { losesResponses = false }: { losesResponses?: boolean } = {},
  ): Promise<{ stage: string; answer: unknown }[]> {
    await this.syncState();
    const pushed: { stage: string; answer: unknown }[] = [];
    for (const portion of portions) {
      const stage = this.#done.has(portion.backfill) ? 'daily' : 'historical';
      if (stage === 'historical') await this.#announce(portion);
      const answer = await this.#push(portion, stage);
      pushed.push({ stage, answer });
      // A phone that got no response does not know that the portion has arrived.
      if (!losesResponses) this.#done.add(portion.backfill);
    }
    const { provider } = this.#platform;
    await this.#require(`/v2/user/${this.#user}/sdk_sync_progress/${provider}`, {
      sync_progress: {},
      device_info: {},
    });
    return pushed;
  }

  async #announce({ backfill }: PhonePortion): Promise<void> {
    if (!this.#platform.saysFinal) return;
    const body = {
      range_start: '2026-02-01T00:00:00Z',
      range_end: '2026-03-02T15:00:00Z',
      backfill_type: backfill,
    };
    await this.#require(`/v2/user/${this.#user}/sdk_start_historical_stage/${this.#platform.provider}`, body);
  }

  #push({ path, data }: PhonePortion, stage: string): Promise<unknown> {
    const range =
      stage === 'historical' ? { start_date: '2026-02-01T00:00:00Z', end_date: '2026-03-02T15:00:00Z' } : {};
    const final = this.#platform.saysFinal ? { is_final_chunk: true } : {};
    const { provider } = this.#platform;
    const body = { stage, provider, time_zone: 'Europe/Berlin', data, ...range, ...final };
    return this.#require(path(this.#user), body);
  }
}
