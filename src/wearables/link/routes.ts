import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoMoment } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { OAuthProvider } from '../connections/bulk-schema.ts';
import { LinkRefused } from '../connections/connect.ts';
import { connectDemo } from '../connections/demo.ts';
import { LinkedSource, ProviderView, SourceLink, viewLink, viewProvider } from '../connections/schema.ts';
import { KNOWN_PROVIDERS, findProvider, LINKED_TYPES } from '../providers.ts';
import { beginAttempt } from './attempt.ts';
import { choicesOf } from './choices.ts';
import { createCode } from './code.ts';
import { headers, wordIn, type Headers } from './header.ts';
import { CodeQuery, CodeView, ConnectDemo, CreateLinkToken, DemoStatus, LinkTokenView } from './schema.ts';
import { createLinkToken, openToken, type LinkToken } from './token.ts';
import { routesWithoutBody } from './without-body.ts';

const tag = 'Link';

/** What teams and their apps ask for, so that users connect something. */
export function linkRoutes(http: Http, app: App): void {
  forTeams(http, app);
  demo(http);
  providers(http);
  forToken(http, app);
  routesWithoutBody(http, app);
}

function forTeams(http: Http, app: App): void {
  http.post('/v2/link/token', {
    schema: {
      operationId: 'createLinkToken',
      summary: 'Make a token with which a user connects a provider',
      description: 'It holds for an hour and for one connection. `link_web_url` is our own page for it.',
      tag,
      body: CreateLinkToken,
      response: { 200: LinkTokenView },
    },
    handler: ({ work, body }) =>
      createLinkToken(work, app, {
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
      summary: 'Make a short code for the app of a user',
      description: 'It holds for an hour, or until `expires_at`, which is a day away at most.',
      tag,
      query: CodeQuery,
      response: { 200: CodeView },
    },
    handler: async ({ work, query }) => {
      const { config } = app;
      const made = await createCode(work, config.REGION, query);
      return { ...made, expires_at: isoMoment(made.expires_at) };
    },
  });
}

function demo(http: Http): void {
  http.post('/v2/link/connect/demo', {
    schema: {
      operationId: 'connectDemo',
      summary: 'Connect a demonstration of a provider to a user of a sandbox',
      description:
        'A month of its past comes at once, and something new every few hours, for 7 days. A user with a ' +
        'demonstration cannot have real connections, nor the other way round.',
      tag,
      body: ConnectDemo,
      response: { 200: DemoStatus },
    },
    handler: async ({ work, body }) => {
      await connectDemo(work, body.user_id, body.provider);
      return { success: true, detail: `The demonstration of ${body.provider} is connected for 7 days` };
    },
  });
}

function providers(http: Http): void {
  http.get('/v2/providers', {
    schema: {
      operationId: 'listProviders',
      summary: 'List the providers, and what each can tell',
      tag,
      query: z.object({
        source_type: z
          .string()
          .max(50)
          .nullish()
          .describe(`What it is that is connected: ${LINKED_TYPES.join(', ')}.`),
      }),
      response: { 200: z.array(ProviderView) },
    },
    handler: async ({ query: { source_type: type } }) =>
      KNOWN_PROVIDERS.filter(({ linked }) => type == null || linked === type).map(viewProvider),
  });
}

/** With the link token in place of a key. */
function forToken(http: Http, app: App): void {
  http.open.get('/v2/link/providers', {
    schema: {
      operationId: 'listLinkProviders',
      summary: 'List what can be connected with a link token',
      tag,
      headers,
      response: { 200: z.array(SourceLink) },
    },
    handler: async (input) => {
      const token = await tokenOf(app, input.headers);
      return (await choicesOf(app, token)).map((known) => viewLink(known, null));
    },
  });

  http.open.get('/v2/link/provider/oauth/:oauth_provider', {
    schema: {
      operationId: 'beginOAuthLink',
      summary: 'Learn where a user grants access to a provider',
      tag,
      params: z.object({ oauth_provider: OAuthProvider }),
      headers,
      response: { 200: LinkedSource },
    },
    handler: async (input) => {
      const { oauth_provider: provider } = input.params;
      const token = await tokenOf(app, input.headers);
      const url = await beginAttempt(app, token, { provider }).catch(toCaller);
      const known = findProvider(provider);
      if (!known) throw new DomainError('not_found', 'Provider not found');
      const { form_components: _form, ...view } = viewLink(known, url.href);
      const days = app.wearableProviders.find(provider)?.historicalDays ?? null;
      return { ...view, group: null, source_type: known.linked, is_active: true, backfill_num_days: days };
    },
  });
}

const tokenOf = (app: App, given: Headers): Promise<LinkToken> =>
  openToken(app, wordIn(app, given)).catch(toCaller);

const OF_TOKEN = new Set<string>(['invalid_token', 'token_expired', 'token_consumed']);

/** 401 for a token that does not hold, 400 for what cannot be done with it. */
function toCaller(error: unknown): never {
  if (!(error instanceof LinkRefused)) throw error;
  const kind = OF_TOKEN.has(error.errorType) ? 'unauthorized' : 'bad_request';
  throw new DomainError(kind, { error_type: error.errorType, error_message: error.message });
}
