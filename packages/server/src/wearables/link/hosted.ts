import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import type { BrowserResponse, BrowserRequest } from '../../platform/http/serve-open.ts';
import { readTenant } from '../../platform/work.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { LinkError } from '../connections/connect.ts';
import { findProvider, describeProvider } from '../../readings/readings.ts';
import { completeAttempt } from './attempt.ts';
import { AUTHORIZE_PATH, beginAttempt, openAttempt } from './begin-attempt.ts';
import { createAttemptCookie, readAttemptCookie } from './browser-cookie.ts';
import { listChoices, listDemos } from './choices.ts';
import { connectDemoWithToken } from './connect-demo.ts';
import { parseForm, redirectTo, renderPage, markup } from './html.ts';
import { choosePage, DEMO_PREFIX, donePage, errorPage, continuePage, regionPage } from './pages.ts';
import { buildRedirectUrl } from './redirect.ts';
import type { LinkTokenRow } from './store.ts';
import { openToken, type LinkToken } from './token.ts';
import { countWrongTokens } from './wrong-tokens.ts';

/** The hosted pages for connecting a provider, the `oauth_url` of the API, and the OAuth callback of the providers. */
export function hostedRoutes(http: Http, app: App): void {
  http.visit('/link', {
    methods: ['GET'],
    handler: (visit) =>
      withErrorPage(() => countWrongTokens(app, visit.address, () => showChoices(app, visit.query['token']))),
  });
  http.visit('/link/start', {
    methods: ['GET', 'POST'],
    handler: (visit) =>
      visit.method === 'POST'
        ? withErrorPage(() => countWrongTokens(app, visit.address, () => startLink(app, visit)))
        : restartPage(),
  });
  http.visit(AUTHORIZE_PATH, {
    methods: ['GET'],
    handler: (visit) =>
      withErrorPage(() => countWrongTokens(app, visit.address, () => sendToProvider(app, visit))),
  });
  http.visit('/v2/link/callback/:provider', {
    // Some providers check that the URL exists before they accept it.
    methods: ['GET', 'HEAD'],
    handler: (visit) => withErrorPage(() => handleCallback(app, visit)),
  });
}

async function withErrorPage(show: () => Promise<BrowserResponse>): Promise<BrowserResponse> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof LinkError) return errorPage(error);
    throw error;
  }
}

/** Shown when a browser reloads the page of a submitted form with GET. */
const restartPage = async (): Promise<BrowserResponse> =>
  renderPage({
    title: 'Start again',
    status: 400,
    body: markup`<p role="alert">Open the link that you were given again.</p>`,
  });

async function showChoices(app: App, word = '', wrong?: string): Promise<BrowserResponse> {
  const token = await openToken(app, word);
  const cancelled = new LinkError('user_cancelled', 'The user closed the page');
  const closes = token.row.redirects_close;
  return choosePage({
    word,
    choices: await listChoices(app, token),
    demos: listDemos(token),
    who: await getTeamName(app, token),
    closeUrl: closes ? buildRedirectUrl(token.row, { provider: undefined, refused: cancelled }) : null,
    ...(wrong !== undefined && { wrong }),
  });
}

/** The name of the team as known to the user, or a generic phrase. */
async function getTeamName(app: App, { tenant }: LinkToken): Promise<string> {
  const settings = await readTenant(app, tenant, readTeamSettings);
  return settings.brand_information?.company_name ?? 'the app that sent you here';
}

async function startLink(app: App, { body }: BrowserRequest): Promise<BrowserResponse> {
  const { token: word = '', provider: slug = '', consent, region: chosen } = parseForm(body);
  const token = await openToken(app, word);
  const provider = findProvider(slug.replace(DEMO_PREFIX, ''));
  if (!provider) return showChoices(app, word, 'Choose one of these providers.');
  if (consent !== 'yes') return showChoices(app, word, 'To continue, agree to share your data.');
  if (slug.startsWith(DEMO_PREFIX)) return startDemo(app, token, provider.slug);
  const regions = app.wearableProviders.find(slug)?.regions ?? [];
  const region = regions.find((one) => one.region === chosen)?.region;
  if (regions.length > 0 && region === undefined) return regionPage({ word, provider, regions });
  try {
    const state = await beginAttempt(app, token, { provider: slug, region });
    const { authorizationUrl, browser } = await openAttempt(app, { state, browser: undefined });
    return continuePage(provider, authorizationUrl, {
      'set-cookie': createAttemptCookie(app, { state, browser }),
    });
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return showFormResult(token.row, { provider: slug, refused: error });
  }
}

/** A demo needs no consent at a provider and is connected at once. */
async function startDemo(app: App, token: LinkToken, provider: string): Promise<BrowserResponse> {
  try {
    await connectDemoWithToken(app, token, provider);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return showFormResult(token.row, { provider, refused: error });
  }
  return showFormResult(token.row, { provider, refused: undefined });
}

/** Binds the attempt to this browser, and sends it to the provider. */
async function sendToProvider(app: App, visit: BrowserRequest): Promise<BrowserResponse> {
  const { state = '' } = visit.query;
  const { authorizationUrl, browser } = await openAttempt(app, {
    state,
    browser: readAttemptCookie(visit, state),
  });
  return redirectTo(authorizationUrl, { 'set-cookie': createAttemptCookie(app, { state, browser }) });
}

async function handleCallback(app: App, visit: BrowserRequest): Promise<BrowserResponse> {
  const { method, params, query } = visit;
  const provider = params['provider'] ?? '';
  const { state = '', code, error, scope } = query;
  if (method === 'HEAD' || (query['state'] === undefined && code === undefined && error === undefined)) {
    return renderPage({ title: 'Callback', body: markup`<p>Providers redirect users to this address.</p>` });
  }
  const browser = readAttemptCookie(visit, state);
  const back = await completeAttempt(app, { provider, state, code, error, scope, browser });
  return redirectOrShow(back.row, { provider, refused: back.refused });
}

interface LinkOutcome {
  readonly provider: string;
  readonly refused: LinkError | undefined;
}

/** Redirects to the team's app if it has a redirect URL, else shows the result. */
function redirectOrShow(row: LinkTokenRow, told: LinkOutcome): BrowserResponse {
  const url = getReturnUrl(row, told);
  return url === null ? resultPage(told, null) : redirectTo(url);
}

/** Same, for a form post: the CSP forbids redirects of forms to other origins, so the page itself leads on. */
const showFormResult = (row: LinkTokenRow, told: LinkOutcome): BrowserResponse =>
  resultPage(told, getReturnUrl(row, told));

const getReturnUrl = (row: LinkTokenRow, told: LinkOutcome): string | null =>
  told.refused && !row.redirects_errors ? null : buildRedirectUrl(row, told);

const resultPage = ({ provider, refused }: LinkOutcome, url: string | null): BrowserResponse =>
  refused ? errorPage(refused, url) : donePage(describeProvider(provider).name, url);
