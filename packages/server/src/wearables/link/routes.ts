import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { issuerOf } from '../../identity/management/management.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { OAuthProvider } from '../connections/bulk-schema.ts';
import { LinkError } from '../connections/connect.ts';
import { connectDemo } from '../demo/demo-connection.ts';
import {
  LinkedSource,
  ProviderView,
  SourceLink,
  toSourceLink,
  toProviderView,
} from '../connections/schema.ts';
import { KNOWN_PROVIDERS, findProvider, LINKED_TYPES } from '../../readings/readings.ts';
import { authorizeUrl, beginAttempt } from './begin-attempt.ts';
import { listChoices } from './choices.ts';
import { createLinkCode } from './code.ts';
import { linkTokenHeaders, readLinkToken, type LinkRequestHeaders } from './header.ts';
import {
  LinkCodeQuery,
  LinkCodeView,
  ConnectDemoBody,
  CreateLinkTokenBody,
  DemoStatus,
  LinkRegion,
  LinkTokenView,
} from './schema.ts';
import { createLinkToken, openToken, type LinkToken } from './token.ts';
import { countWrongTokens } from './wrong-tokens.ts';
import { unsupportedProviderRoutes } from './unsupported-providers.ts';

const tag = 'Link';

/** Routes of teams and their apps for connecting users to providers. */
export function linkRoutes(http: Http, app: App): void {
  teamRoutes(http, app);
  demoRoute(http);
  providerRoutes(http);
  linkTokenRoutes(http, app);
  unsupportedProviderRoutes(http, app);
}

function teamRoutes(http: Http, app: App): void {
  http.post('/v2/link/token', {
    schema: {
      operationId: 'createLinkToken',
      summary: 'Create a link token',
      description:
        'A user can connect one provider with it within an hour. `link_web_url` is the hosted page.',
      tag,
      body: CreateLinkTokenBody,
      response: { 200: LinkTokenView },
    },
    handler: ({ work, body, principal }) =>
      createLinkToken(work, app, {
        issuer: issuerOf(principal),
        userId: body.user_id,
        provider: body.provider ?? null,
        only: body.filter_on_providers ?? null,
        redirectUrl: body.redirect_url ?? null,
        redirectsErrors: body.on_error === 'redirect',
        redirectsClose: body.on_close === 'redirect',
      }),
  });

  http.post('/v2/link/code/create', {
    schema: {
      operationId: 'createLinkCode',
      summary: 'Create a short link code',
      description: 'A user enters it in an app. Valid for an hour, or until `expires_at`, at most 24 hours.',
      tag,
      query: LinkCodeQuery,
      response: { 200: LinkCodeView },
    },
    handler: async ({ work, query }) => {
      const { config } = app;
      const made = await createLinkCode(work, config.REGION, query);
      return { ...made, expires_at: isoTimestamp(made.expires_at) };
    },
  });
}

function demoRoute(http: Http): void {
  http.post('/v2/link/connect/demo', {
    schema: {
      operationId: 'connectDemo',
      summary: 'Connect a demo provider (sandbox)',
      description:
        'Generates a month of history at once, then new data every few hours for 7 days. A user cannot have both ' +
        'demo and real connections.',
      tag,
      body: ConnectDemoBody,
      response: { 200: DemoStatus },
    },
    handler: async ({ work, body }) => {
      await connectDemo(work, body.user_id, body);
      return { success: true, detail: `The demo of ${body.provider} is connected for 7 days` };
    },
  });
}

function providerRoutes(http: Http): void {
  http.get('/v2/providers', {
    schema: {
      operationId: 'listProviders',
      summary: 'List providers and their resources',
      tag,
      query: z.object({
        source_type: z
          .string()
          .max(50)
          .nullish()
          .describe(`Only providers of this type: ${LINKED_TYPES.join(', ')}.`),
      }),
      response: { 200: z.array(ProviderView) },
    },
    handler: async ({ query: { source_type: type } }) =>
      KNOWN_PROVIDERS.filter(({ linked }) => type == null || linked === type).map(toProviderView),
  });
}

/** Authenticated with a link token instead of an API key. */
function linkTokenRoutes(http: Http, app: App): void {
  http.open.get('/v2/link/providers', {
    schema: {
      operationId: 'listLinkProviders',
      summary: 'List providers available to a link token',
      tag,
      headers: linkTokenHeaders,
      response: { 200: z.array(SourceLink) },
    },
    handler: async (input) => {
      const token = await requireLinkToken(app, input);
      return (await listChoices(app, token)).map((known) => toSourceLink(known, null));
    },
  });

  http.open.get('/v2/link/provider/oauth/:oauth_provider', {
    schema: {
      operationId: 'beginOAuthLink',
      summary: 'Get the OAuth URL of a provider',
      description:
        'Open `oauth_url` in the browser of the user: it is an address of this service, which sends the browser on to ' +
        'the provider. The first browser that opens it, within 30 minutes, is the only one that can complete the connection.',
      tag,
      params: z.object({ oauth_provider: OAuthProvider }),
      query: z.object({ region: LinkRegion.optional() }),
      headers: linkTokenHeaders,
      response: { 200: LinkedSource },
    },
    handler: async (input) => {
      const { oauth_provider: provider } = input.params;
      const token = await requireLinkToken(app, input);
      const state = await beginAttempt(app, token, { provider, region: input.query.region }).catch(
        throwApiError,
      );
      const known = findProvider(provider);
      if (!known) throw new DomainError('not_found', 'Provider not found');
      const { form_components: _form, ...view } = toSourceLink(known, authorizeUrl(app, state));
      const days = app.wearableProviders.find(provider)?.historicalDays ?? null;
      return { ...view, group: null, source_type: known.linked, is_active: true, backfill_num_days: days };
    },
  });
}

interface LinkTokenRequest {
  readonly headers: LinkRequestHeaders;
  readonly from: { readonly address: string };
}

const requireLinkToken = (app: App, { headers, from }: LinkTokenRequest): Promise<LinkToken> =>
  countWrongTokens(app, from.address, () => openToken(app, readLinkToken(app, headers))).catch(throwApiError);

const TOKEN_ERRORS = new Set<string>(['invalid_token', 'token_expired', 'token_consumed']);

/** 401 for an invalid token, 400 for anything else. */
function throwApiError(error: unknown): never {
  if (!(error instanceof LinkError)) throw error;
  const kind = TOKEN_ERRORS.has(error.errorType) ? 'unauthorized' : 'bad_request';
  throw new DomainError(kind, { error_type: error.errorType, error_message: error.message });
}
