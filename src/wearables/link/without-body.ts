import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { LinkRefused } from '../connections/connect.ts';
import { headers, wordIn, type Headers } from './header.ts';
import { redirectAfter } from './redirect.ts';
import {
  EmailBody,
  EmailLink,
  EmailProvider,
  MfaBody,
  PasswordBody,
  PasswordProvider,
  ProviderLink,
} from './schema.ts';
import { openToken } from './token.ts';

const NO_BODY = 'This deployment cannot speak with this provider yet';
const shared = { tag: 'Link', headers, description: `${NO_BODY}: the answer is an error.` };

/** Providers that want a password or an address: nobody speaks with them yet, and the answer says so in its own way. */
export function routesWithoutBody(http: Http, app: App): void {
  const password = { params: z.object({ provider: PasswordProvider }), response: { 200: ProviderLink } };
  http.open.post('/v2/link/provider/password/:provider', {
    schema: {
      ...shared,
      ...password,
      operationId: 'linkPasswordProvider',
      summary: 'Connect a provider that wants the password of the user',
      body: PasswordBody,
    },
    handler: (input) => refuse(app, input.headers, input.params.provider),
  });
  http.open.post('/v2/link/provider/password/:provider/complete_mfa', {
    schema: {
      ...shared,
      ...password,
      operationId: 'completePasswordProviderMfa',
      summary: 'Bring the second factor that a provider asked the user for',
      body: MfaBody,
    },
    handler: (input) => refuse(app, input.headers, input.params.provider),
  });
  http.open.post('/v2/link/provider/email/:provider', {
    schema: {
      ...shared,
      operationId: 'linkEmailProvider',
      summary: 'Connect a provider that shares data with an e-mail address',
      params: z.object({ provider: EmailProvider }),
      body: EmailBody,
      response: { 200: EmailLink },
    },
    handler: (input) => refuse(app, input.headers, input.params.provider),
  });
}

async function refuse<P extends string>(app: App, given: Headers, provider: P) {
  try {
    const { row } = await openToken(app, wordIn(app, given));
    const refused = new LinkRefused('provider_api_error', NO_BODY);
    const redirect = row.redirects_errors ? redirectAfter(row, { provider, refused }) : null;
    return refusal(provider, refused, redirect);
  } catch (error) {
    if (error instanceof LinkRefused) return refusal(provider, error, null);
    throw error;
  }
}

const refusal = <P extends string>(provider: P, refused: LinkRefused, redirect: string | null) => ({
  state: 'error' as const,
  redirect_url: redirect,
  error_type: refused.errorType,
  error: refused.message,
  provider_mfa: null,
  provider,
  connected: false,
  provider_id: null,
});
