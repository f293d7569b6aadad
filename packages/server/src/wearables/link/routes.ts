import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { issuerOf } from '../../identity/management/management.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import { OAuthProvider } from '../connections/bulk-schema.ts';
import { connectDemo } from '../demo/demo-connection.ts';
import {
  LinkedSource,
  ProviderView,
  SourceLink,
  toSourceLink,
  toProviderView,
} from '../connections/schema.ts';
import { KNOWN_PROVIDERS, LINKED_TYPES } from '../../readings/readings.ts';
import { beginOAuthLink } from './begin-oauth-link.ts';
import { listChoices } from './choices.ts';
import { createLinkCode, exchangeCode } from './code.ts';
import { linkTokenHeaders } from './header.ts';
import { olderLinkRoutes } from './older-routes.ts';
import { requireLinkToken, throwApiError } from './require-link-token.ts';
import {
  ExchangeCodeQuery,
  ExchangedCodeView,
  LinkCodeQuery,
  LinkCodeView,
  ConnectDemoBody,
  CreateLinkTokenBody,
  DemoStatus,
  LinkRegion,
  LinkTokenView,
} from './schema.ts';
import { createLinkToken } from './token.ts';
import { unsupportedProviderRoutes } from './unsupported-providers.ts';

const tag = 'Link';

/** Routes of teams and their apps for connecting users to providers. */
export function linkRoutes(http: Http, app: App): void {
  teamRoutes(http, app);
  exchangeRoute(http, app);
  demoRoute(http);
  providerRoutes(http);
  linkTokenRoutes(http, app);
  unsupportedProviderRoutes(http, app);
  olderLinkRoutes(http, app);
}

function teamRoutes(http: Http, app: App): void {
  http.post('/v2/link/token', {
    opensToUsers: true,
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
        userId: requireOwn(principal, body.user_id),
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
      description:
        'A user enters it in an app, which exchanges it for a sign-in token, once. Valid for an hour, or until ' +
        '`expires_at`, at most 24 hours, unless it or the API key that creates it is revoked.',
      tag,
      query: LinkCodeQuery,
      response: { 200: LinkCodeView },
    },
    handler: async ({ work, query, principal }) => {
      const issuer = issuerOf(principal);
      const made = await createLinkCode(work, app.config.REGION, { ...query, issuer });
      return { ...made, expires_at: isoTimestamp(made.expires_at) };
    },
  });
}

/** Authenticated with the code. */
function exchangeRoute(http: Http, app: App): void {
  http.open.post('/v2/link/code/exchange', {
    schema: {
      operationId: 'exchangeLinkCode',
      summary: 'Exchange a short link code for a sign-in token',
      description:
        'Extension, as the public mobile SDKs call it, without a key: the code is the credential. It can be exchanged ' +
        'once. 401 for an unknown, used or expired code; after 20 of them in a minute, all codes from the address are a 429.',
      tag,
      query: ExchangeCodeQuery,
      response: { 200: ExchangedCodeView },
    },
    handler: ({ query, from }) =>
      exchangeCode(app, { code: query.code.toLowerCase(), address: from.address }).catch(throwApiError),
  });
}

/** The user of the body. For the app of a user, any other user is a 404. */
const requireOwn = ({ userId }: TeamPrincipal, asked: string): string =>
  requireFound(userId === undefined || userId === asked.toLowerCase() ? asked : undefined, 'User');

function demoRoute(http: Http): void {
  http.post('/v2/link/connect/demo', {
    schema: {
      operationId: 'connectDemo',
      summary: 'Connect a demo provider (sandbox)',
      description:
        'Generates a month of history, and then the last day with its first daily events; after that new data every few ' +
        'hours for 7 days. This takes some seconds in the background: wait for `historical.data.*.created` before you ' +
        'read. A user cannot have both demo and real connections. Every resource is filled by at least one demo.',
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
      const token = await requireLinkToken(app, input);
      return beginOAuthLink(app, token, {
        provider: input.params.oauth_provider,
        region: input.query.region,
      });
    },
  });
}
