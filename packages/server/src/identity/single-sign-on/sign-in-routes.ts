import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, invalidField, requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { BrowserRequest, BrowserResponse } from '../../platform/http/serve-open.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import {
  expiredCookie,
  readCookieToken,
  recordAttempt,
  requireSameOrigin,
  requireSession,
} from '../accounts/accounts.ts';
import { LowerCaseEmail } from '../organizations/organizations.ts';
import {
  domainOfEmail,
  findActiveConnection,
  findConnectionForDomain,
  findConnectionOfMember,
  type SsoConnectionRow,
} from '../sso-connections/sso-connections.ts';
import { completeRequest } from './complete.ts';
import { refusalPage, signedInPage, signInPage } from './pages.ts';
import { SsoRefusal } from './refusal.ts';
import { startRequest, type StartedSso } from './request.ts';
import { ReturnTo } from './schema.ts';

const tag = 'Accounts';

const StartSso = z
  .object({
    email: LowerCaseEmail.nullish().describe(
      'An e-mail address, whose domain decides about the connection. Either this or connection_id.',
    ),
    connection_id: z.guid().nullish().describe('The connection. Either this or email.'),
    return_to: ReturnTo,
  })
  .meta({ id: 'StartSsoSignIn' });
const ReauthenticateWithSso = z.object({ return_to: ReturnTo }).meta({ id: 'StartSsoReauthentication' });

const StartedSsoView = z
  .object({
    authorization_url: z.string().describe('The URL of the identity provider to which the browser must go.'),
    expires_at: Timestamp.describe('When the browser must be back.'),
  })
  .meta({ id: 'StartedSso' });

const toStartedView = ({ authorizationUrl, expiresAt }: StartedSso): z.input<typeof StartedSsoView> => ({
  authorization_url: authorizationUrl,
  expires_at: isoTimestamp(expiresAt),
});

/** Signing in with the identity provider of an organization, and authenticating there again. */
export function singleSignInRoutes(http: Http, app: App): void {
  start(http, app);
  again(http, app);
  http.page('/sso', {
    handler: async () => ({ status: 200, type: 'text/html; charset=utf-8', text: signInPage }),
  });
  http.visit('/sso/:org_id/callback', {
    methods: ['GET'],
    handler: (request) => handleCallback(app, request),
  });
}

function start(http: Http, app: App): void {
  http.open.post('/v1/session/sso', {
    schema: {
      operationId: 'startSsoSignIn',
      summary: 'Begin a single sign-on',
      description:
        'Extension. Returns the URL at the identity provider, and sets a cookie: only this browser can come back, once, ' +
        'within 10 minutes. The provider sends it to `/sso/{org_id}/callback`, which opens the session. The page at ' +
        '/sso calls this. 404 for an address or connection without single sign-on, whether or not there is such a ' +
        'member; 503 where the provider cannot be reached.',
      tag,
      body: StartSso,
      response: { 200: StartedSsoView },
    },
    handler: async (request) => {
      requireSameOrigin(app, request);
      await recordAttempt(app, { kind: 'single-sign-on', address: request.from.address });
      const { email, connection_id: id, return_to: returnTo } = request.body;
      const connection = await findAskedConnection(app, { email: email ?? undefined, id: id ?? undefined });
      const started = await startRequest(app, {
        connection,
        session: undefined,
        loginHint: email ?? undefined,
        returnTo: returnTo ?? undefined,
      });
      request.setCookie(started.cookie);
      return toStartedView(started);
    },
  });
}

async function findAskedConnection(
  app: App,
  { email, id }: { email: string | undefined; id: string | undefined },
): Promise<SsoConnectionRow> {
  if ((email === undefined) === (id === undefined))
    throw invalidField(['body', 'email'], 'expected either email or connection_id');
  const found = await asSystem(app.db, async (tx) => {
    if (id !== undefined) return findActiveConnection(tx, id);
    return email === undefined ? undefined : findConnectionForDomain(tx, domainOfEmail(email));
  });
  if (found) return found;
  throw new DomainError(
    'not_found',
    'There is no single sign-on for this address or link: sign in otherwise, or ask an administrator of your organization',
  );
}

function again(http: Http, app: App): void {
  http.open.post('/v1/session/reauthenticate/sso', {
    schema: {
      operationId: 'startSsoReauthentication',
      summary: 'Authenticate again by single sign-on',
      description:
        'Extension. Like `POST /v1/session/reauthenticate`, for a member who has signed in with a connection: the ' +
        'identity provider must authenticate the member again (`prompt=login`, `max_age=0`) and say so by `auth_time`. ' +
        'The session is replaced when the browser comes back. Needs the x-csrf-token header. 409 for a member who has ' +
        'never signed in with an active connection.',
      tag,
      usesSession: true,
      body: ReauthenticateWithSso,
      response: { 200: StartedSsoView },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      await recordAttempt(app, { kind: 'single-sign-on', address: request.from.address });
      const connection = await asSystem(app.db, async (tx) => {
        const id = await findConnectionOfMember(tx, session.memberId);
        if (id === undefined) throw new DomainError('conflict', 'You have not signed in with single sign-on');
        return requireFound(await findActiveConnection(tx, id), 'Connection');
      });
      const started = await startRequest(app, {
        connection,
        session,
        loginHint: session.email,
        returnTo: request.body.return_to ?? undefined,
      });
      request.setCookie(started.cookie);
      return toStartedView(started);
    },
  });
}

async function handleCallback(app: App, request: BrowserRequest): Promise<BrowserResponse> {
  const { query, params, headers, address } = request;
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const ended = expiredCookie(app, 'single-sign-on');
  try {
    const { opened, returnTo } = await completeRequest(app, {
      orgId: params['org_id'] ?? '',
      parameters: new URLSearchParams(given),
      browserToken: readCookieToken(app, 'single-sign-on', headers),
      address,
      userAgent: headers['user-agent']?.toString(),
    });
    const cookies = { 'set-cookie': [opened.cookie, ended] };
    if (returnTo !== undefined) return { status: 303, headers: { location: returnTo, ...cookies }, text: '' };
    const page = signedInPage();
    return { ...page, headers: { ...page.headers, ...cookies } };
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    return refusalPage(app.config, error.reason);
  }
}
