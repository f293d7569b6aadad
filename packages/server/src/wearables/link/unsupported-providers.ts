import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { LinkError } from '../connections/connect.ts';
import { linkTokenHeaders, readLinkToken } from './header.ts';
import { buildRedirectUrl } from './redirect.ts';
import {
  EmailBody,
  EmailLink,
  EmailProvider,
  MfaBody,
  PasswordBody,
  PasswordProvider,
  ProviderLink,
} from './schema.ts';
import type { LinkTokenRequest } from './require-link-token.ts';
import { openToken } from './token.ts';
import { countWrongTokens } from './wrong-tokens.ts';

const UNSUPPORTED = 'This deployment does not support this provider';
const sharedSchema = {
  tag: 'Link',
  headers: linkTokenHeaders,
  description: `${UNSUPPORTED}: always returns state \`error\`.`,
};

/** Providers with password or e-mail sign-in have no implementation. The routes exist and return an error. */
export function unsupportedProviderRoutes(http: Http, app: App): void {
  const password = { params: z.object({ provider: PasswordProvider }), response: { 200: ProviderLink } };
  http.open.post('/v2/link/provider/password/:provider', {
    schema: {
      ...sharedSchema,
      ...password,
      operationId: 'linkPasswordProvider',
      summary: 'Connect a password provider',
      body: PasswordBody,
    },
    handler: (input) => rejectLink(app, input, input.params.provider),
  });
  http.open.post('/v2/link/provider/password/:provider/complete_mfa', {
    schema: {
      ...sharedSchema,
      ...password,
      operationId: 'completePasswordProviderMfa',
      summary: 'Complete the MFA of a password provider',
      body: MfaBody,
    },
    handler: (input) => rejectLink(app, input, input.params.provider),
  });
  http.open.post('/v2/link/provider/email/:provider', {
    schema: {
      ...sharedSchema,
      operationId: 'linkEmailProvider',
      summary: 'Connect an e-mail provider',
      params: z.object({ provider: EmailProvider }),
      body: EmailBody,
      response: { 200: EmailLink },
    },
    handler: (input) => rejectLink(app, input, input.params.provider),
  });
}

/** The answer for a provider that this deployment does not support, or for an invalid token. */
export async function rejectLink<P extends string>(
  app: App,
  { headers, from }: LinkTokenRequest,
  provider: P,
) {
  try {
    const { row } = await countWrongTokens(app, from.address, () =>
      openToken(app, readLinkToken(app, headers)),
    );
    const refused = new LinkError('provider_api_error', UNSUPPORTED);
    const redirect = row.redirects_errors ? buildRedirectUrl(row, { provider, refused }) : null;
    return toErrorResponse(provider, refused, redirect);
  } catch (error) {
    if (error instanceof LinkError) return toErrorResponse(provider, error, null);
    throw error;
  }
}

const toErrorResponse = <P extends string>(provider: P, refused: LinkError, redirect: string | null) => ({
  state: 'error' as const,
  redirect_url: redirect,
  error_type: refused.errorType,
  error: refused.message,
  provider_mfa: null,
  provider,
  connected: false,
  provider_id: null,
});
