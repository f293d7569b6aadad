import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import { readTenant } from '../../platform/work.ts';
import { readBrand, readTeamSettings } from '../../identity/management/management.ts';
import { LinkError } from '../connections/connect.ts';
import { LinkedSource } from '../connections/schema.ts';
import { beginOAuthLink } from './begin-oauth-link.ts';
import { linkTokenHeaders } from './header.ts';
import {
  EmailAuthBody,
  LinkConfigView,
  LinkStateView,
  PasswordAuthBody,
  StartLinkBody,
  TokenValidityBody,
  TokenValidityView,
  UnsupportedLink,
} from './older-schema.ts';
import { requireLinkToken, requireWorkingToken } from './require-link-token.ts';
import { openToken, type LinkToken } from './token.ts';
import { rejectLink } from './unsupported-providers.ts';
import { countWrongTokens } from './wrong-tokens.ts';

const shared = { tag: 'Link', deprecated: true } as const;

/** Routes that older clients call, on top of those that came after them. */
export function olderLinkRoutes(http: Http, app: App): void {
  checkTokenRoute(http, app);
  tokenRoutes(http, app);
  startRoute(http, app);
  credentialRoutes(http, app);
}

function checkTokenRoute(http: Http, app: App): void {
  http.open.post('/v2/link/token/isValid', {
    schema: {
      ...shared,
      operationId: 'checkLinkToken',
      summary: 'Check a link token',
      description: 'Says of a token that is expired, used or unknown why, instead of an error.',
      body: TokenValidityBody,
      response: { 200: TokenValidityView },
    },
    handler: async ({ body, from }) => {
      try {
        await countWrongTokens(app, from.address, () => openToken(app, body.token));
        return { is_valid: true, error_type: null, error: null };
      } catch (error) {
        if (!(error instanceof LinkError)) throw error;
        return { is_valid: false, error_type: error.errorType, error: error.message };
      }
    },
  });
}

function tokenRoutes(http: Http, app: App): void {
  http.open.get('/v2/link/state', {
    schema: {
      ...shared,
      operationId: 'getLinkState',
      summary: 'Get the state of a link token',
      headers: linkTokenHeaders,
      response: { 200: LinkStateView },
    },
    handler: async (input) => toLinkState(await requireLinkToken(app, input)),
  });

  http.open.get('/v2/team/link/config', {
    schema: {
      ...shared,
      operationId: 'getLinkConfig',
      summary: 'Get what a link page shows',
      description: 'The name, the color and the logo of the team of a link token.',
      headers: linkTokenHeaders,
      response: { 200: LinkConfigView },
    },
    handler: async (input) => {
      const { tenant } = await requireLinkToken(app, input);
      return readTenant(app, tenant, async (work) => {
        const [{ name, color, website }, { logo_url }] = await Promise.all([
          readBrand(work),
          readTeamSettings(work),
        ]);
        return { team_name: name, color, website: website || null, logo_url };
      });
    },
  });
}

const toLinkState = ({ row, user }: LinkToken) => ({
  state: 'pending' as const,
  user_id: user.id,
  provider: row.provider,
  filter_on_providers: row.filter_on_providers,
  redirect_url: row.redirect_url,
  expires_at: isoTimestamp(row.expires_at),
});

function startRoute(http: Http, app: App): void {
  http.open.post('/v2/link/start', {
    schema: {
      ...shared,
      operationId: 'startLink',
      summary: 'Start connecting an OAuth provider',
      description: 'The same as `GET /v2/link/provider/oauth/{oauth_provider}`, with the token in the body.',
      body: StartLinkBody,
      response: { 200: LinkedSource },
    },
    handler: async ({ body, from }) =>
      beginOAuthLink(app, await requireWorkingToken(app, { from }, body.link_token), {
        provider: body.provider,
      }),
  });
}

const UNSUPPORTED =
  'No provider with passwords or e-mail addresses is supported: always returns state `error`.';

function credentialRoutes(http: Http, app: App): void {
  http.open.post('/v2/link/auth', {
    schema: {
      ...shared,
      operationId: 'linkWithPassword',
      summary: 'Connect a provider by password',
      description: UNSUPPORTED,
      headers: linkTokenHeaders,
      body: PasswordAuthBody,
      response: { 200: UnsupportedLink },
    },
    handler: (input) => rejectLink(app, input, input.body.provider),
  });

  http.open.post('/v2/link/auth/email', {
    schema: {
      ...shared,
      operationId: 'linkWithEmail',
      summary: 'Connect a provider by e-mail',
      description: UNSUPPORTED,
      headers: linkTokenHeaders,
      body: EmailAuthBody,
      response: { 200: UnsupportedLink },
    },
    handler: (input) => rejectLink(app, input, input.body.provider),
  });
}
