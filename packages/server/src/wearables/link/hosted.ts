import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import type { BrowserResponse, BrowserRequest } from '../../platform/http/serve-open.ts';
import {
  markup,
  pagePath,
  parseForm,
  redirectTo,
  renderPage,
  viewOf,
  withBrand,
  type PageView,
} from '../../hosted/hosted.ts';
import { LinkError } from '../connections/connect.ts';
import { findProvider, describeProvider } from '../../readings/readings.ts';
import { completeAttempt } from './attempt.ts';
import { AUTHORIZE_PATH, beginAttempt, openAttempt } from './begin-attempt.ts';
import { createAttemptCookie, readAttemptCookie } from './browser-cookie.ts';
import { listChoices, listDemos } from './choices.ts';
import { connectDemoWithToken } from './connect-demo.ts';
import {
  choosePage,
  DEMO_PREFIX,
  donePage,
  errorPage,
  continuePage,
  regionPage,
  type LinkPage,
} from './pages.ts';
import { verifySignedToken } from './signed-tokens.ts';
import { buildRedirectUrl } from './redirect.ts';
import type { LinkTokenRow } from './store.ts';
import { openToken, type LinkToken } from './token.ts';
import { countWrongTokens } from './wrong-tokens.ts';

/** The hosted pages for connecting a provider, the `oauth_url` of the API, and the OAuth callback of the providers. */
export function hostedRoutes(http: Http, app: App): void {
  http.visit('/link', {
    methods: ['GET'],
    handler: (visit) => withLinkPage(app, visit, { word: visit.query['token'], show: showChoices }),
  });
  http.visit('/link/start', {
    methods: ['GET', 'POST'],
    handler: async (visit) => {
      if (visit.method !== 'POST') return restartPage(viewOf(visit));
      const fields = parseForm(visit.body);
      return withLinkPage(app, visit, { word: fields['token'], fields, show: startLink });
    },
  });
  http.visit(AUTHORIZE_PATH, {
    methods: ['GET'],
    handler: (visit) =>
      withErrorPage(attemptView(app, visit), () =>
        countWrongTokens(app, visit.address, () => sendToProvider(app, visit)),
      ),
  });
  http.visit('/v2/link/callback/:provider', {
    // Some providers check that the URL exists before they accept it.
    methods: ['GET', 'HEAD'],
    handler: (visit) => withErrorPage(attemptView(app, visit), () => handleCallback(app, visit)),
  });
}

type FormFields = Readonly<Record<string, string>>;

interface LinkStep {
  readonly word: string | undefined;
  readonly fields?: FormFields;
  readonly show: (page: LinkPage, fields: FormFields) => Promise<BrowserResponse>;
}

/** Shows a page in the brand of the team that issued the token, also where the token no longer works. */
async function withLinkPage(
  app: App,
  visit: BrowserRequest,
  { word = '', fields = {}, show }: LinkStep,
): Promise<BrowserResponse> {
  const issued = verifySignedToken(app, 'link_token', word);
  const plain = { ...viewOf(visit, fields['lang']), path: pagePath(app.config, '/link', { token: word }) };
  const view = issued ? await withBrand(app, plain, issued.tenant) : plain;
  return withErrorPage(view, () =>
    countWrongTokens(app, visit.address, () => show({ app, view, word }, fields)),
  );
}

async function withErrorPage(view: PageView, show: () => Promise<BrowserResponse>): Promise<BrowserResponse> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof LinkError) return errorPage(view, error);
    throw error;
  }
}

/** In the language of the page where the user began, which the signed state carries through the provider. */
const attemptView = (app: App, visit: BrowserRequest): PageView =>
  viewOf(visit, verifySignedToken(app, 'link_state', visit.query['state'] ?? '')?.language);

/** Shown when a browser reloads the page of a submitted form with GET. */
const restartPage = (view: PageView): BrowserResponse =>
  renderPage({
    view,
    title: view.t('link.restart.title'),
    status: 400,
    body: markup`<p role="alert">${view.t('link.restart.text')}</p>`,
  });

const showChoices = async (page: LinkPage): Promise<BrowserResponse> =>
  offerChoices(page, await openToken(page.app, page.word));

async function offerChoices(page: LinkPage, token: LinkToken, wrong?: string): Promise<BrowserResponse> {
  const cancelled = new LinkError('user_cancelled', 'The user closed the page');
  const closes = token.row.redirects_close;
  return choosePage(page, {
    choices: await listChoices(page.app, token),
    demos: listDemos(token),
    closeUrl: closes ? buildRedirectUrl(token.row, { provider: undefined, refused: cancelled }) : null,
    ...(wrong !== undefined && { wrong }),
  });
}

async function startLink(page: LinkPage, fields: FormFields): Promise<BrowserResponse> {
  const { app, view, word } = page;
  const { provider: slug = '', consent, region: chosen } = fields;
  const token = await openToken(app, word);
  const provider = findProvider(slug.replace(DEMO_PREFIX, ''));
  if (!provider) return offerChoices(page, token, view.t('link.wrong.provider'));
  if (consent !== 'yes') return offerChoices(page, token, view.t('link.wrong.consent'));
  if (slug.startsWith(DEMO_PREFIX)) return startDemo(page, token, provider.slug);
  const regions = app.wearableProviders.find(slug)?.regions ?? [];
  const region = regions.find((one) => one.region === chosen)?.region;
  if (regions.length > 0 && region === undefined) return regionPage(page, { provider, regions });
  try {
    const state = await beginAttempt(app, token, { provider: slug, region, language: view.language });
    const { authorizationUrl: url, browser } = await openAttempt(app, { state, browser: undefined });
    const headers = { 'set-cookie': createAttemptCookie(app, { state, browser }) };
    return continuePage(view, provider, { url, headers });
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return showFormResult(view, token.row, { provider: slug, refused: error });
  }
}

/** A demo needs no consent at a provider and is connected at once. */
async function startDemo(
  { app, view }: LinkPage,
  token: LinkToken,
  provider: string,
): Promise<BrowserResponse> {
  try {
    await connectDemoWithToken(app, token, provider);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return showFormResult(view, token.row, { provider, refused: error });
  }
  return showFormResult(view, token.row, { provider, refused: undefined });
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
    const { t, ...view } = viewOf(visit);
    const body = markup`<p>${t('link.callback.text')}</p>`;
    return renderPage({ view: { ...view, t }, title: t('link.callback.title'), body });
  }
  const browser = readAttemptCookie(visit, state);
  const back = await completeAttempt(app, { provider, state, code, error, scope, browser });
  const told = { provider, refused: back.refused };
  const url = getReturnUrl(back.row, told);
  if (url !== null) return redirectTo(url);
  const { team_id: teamId, environment } = back.row;
  return resultPage(await withBrand(app, attemptView(app, visit), { teamId, environment }), told, null);
}

interface LinkOutcome {
  readonly provider: string;
  readonly refused: LinkError | undefined;
}

/** The result of a form post: the CSP forbids redirects of forms to other origins, so the page itself leads on. */
const showFormResult = (view: PageView, row: LinkTokenRow, told: LinkOutcome): BrowserResponse =>
  resultPage(view, told, getReturnUrl(row, told));

/** The URL of the team's app to which the browser goes; null if there is none. */
const getReturnUrl = (row: LinkTokenRow, told: LinkOutcome): string | null =>
  told.refused && !row.redirects_errors ? null : buildRedirectUrl(row, told);

const resultPage = (
  view: PageView,
  { provider, refused }: LinkOutcome,
  url: string | null,
): BrowserResponse =>
  refused ? errorPage(view, refused, url) : donePage(view, describeProvider(provider).name, url);
