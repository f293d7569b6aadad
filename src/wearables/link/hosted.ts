import { randomBytes } from 'node:crypto';
import type { App } from '../../app.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import type { VisitAnswer, VisitInput } from '../../platform/http/serve-open.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { readTenant } from '../../platform/work.ts';
import { teamSettings } from '../../management/management.ts';
import { LinkRefused } from '../connections/connect.ts';
import { findProvider, providerNamed } from '../providers.ts';
import { beginAttempt, endAttempt } from './attempt.ts';
import { choicesOf, demosOf } from './choices.ts';
import { connectDemonstration } from './demonstration.ts';
import { fieldsOf, onTo, page, markup } from './html.ts';
import { choosePage, DEMO, donePage, errorPage, goingPage } from './pages.ts';
import { redirectAfter } from './redirect.ts';
import type { LinkTokenRow } from './store.ts';
import { digestOf } from './tickets.ts';
import { openToken, type LinkToken } from './token.ts';

const COOKIE = 'aliquot_link';
const COOKIE_SECONDS = (30 * MINUTE) / SECOND;

/** Our own pages for users who connect something, and the way back from the providers. */
export function hostedRoutes(http: Http, app: App): void {
  http.visit('/link', {
    methods: ['GET'],
    handler: (visit) => showing(() => choose(app, visit.query['token'])),
  });
  http.visit('/link/start', {
    methods: ['GET', 'POST'],
    handler: (visit) => (visit.method === 'POST' ? showing(() => start(app, visit)) : beginAnew()),
  });
  http.visit('/v2/link/callback/:provider', {
    // Some providers look whether the address is there before they take it.
    methods: ['GET', 'HEAD'],
    handler: (visit) => showing(() => comeBack(app, visit)),
  });
}

async function showing(show: () => Promise<VisitAnswer>): Promise<VisitAnswer> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof LinkRefused) return errorPage(error);
    throw error;
  }
}

/** For a browser that brings back the page of a form without the form. */
const beginAnew = async (): Promise<VisitAnswer> =>
  page({
    title: 'Begin anew',
    status: 400,
    body: markup`<p role="alert">Open the link that you were given once more.</p>`,
  });

async function choose(app: App, word = '', wrong?: string): Promise<VisitAnswer> {
  const token = await openToken(app, word);
  const cancelled = new LinkRefused('user_cancelled', 'The user closed the page');
  const closes = token.row.redirects_close;
  return choosePage({
    word,
    choices: await choicesOf(app, token),
    demos: demosOf(token),
    who: await nameOf(app, token),
    closeUrl: closes ? redirectAfter(token.row, { provider: undefined, refused: cancelled }) : null,
    ...(wrong !== undefined && { wrong }),
  });
}

/** Whom the user knows: what the team says of itself, else no more than what is true of all. */
async function nameOf(app: App, { tenant }: LinkToken): Promise<string> {
  const settings = await readTenant(app, tenant, teamSettings);
  return settings.brand_information?.company_name ?? 'the app that sent you here';
}

async function start(app: App, { body }: VisitInput): Promise<VisitAnswer> {
  const { token: word = '', provider: slug = '', consent } = fieldsOf(body);
  const token = await openToken(app, word);
  const provider = findProvider(slug.replace(DEMO, ''));
  if (!provider) return choose(app, word, 'Choose one of these.');
  if (consent !== 'yes') return choose(app, word, 'Nothing is connected unless you agree.');
  if (slug.startsWith(DEMO)) return demonstrate(app, token, provider.slug);
  const browser = randomBytes(24).toString('base64url');
  try {
    const url = await beginAttempt(app, token, { provider: slug, browser });
    const cookie = cookieOf(app, { state: url.searchParams.get('state') ?? '', browser });
    return goingPage(provider, url.href, { 'set-cookie': cookie });
  } catch (error) {
    if (!(error instanceof LinkRefused)) throw error;
    return cameOfForm(token.row, { provider: slug, refused: error });
  }
}

/** Somebody who does not exist has nobody to ask: the demonstration is connected at once. */
async function demonstrate(app: App, token: LinkToken, provider: string): Promise<VisitAnswer> {
  try {
    await connectDemonstration(app, token, provider);
  } catch (error) {
    if (!(error instanceof LinkRefused)) throw error;
    return cameOfForm(token.row, { provider, refused: error });
  }
  return cameOfForm(token.row, { provider, refused: undefined });
}

/** One for each way back: somebody may be on two ways at once, in two tabs. */
const cookieName = (state: string): string => `${COOKIE}_${digestOf(state).toString('hex').slice(0, 16)}`;

/** Known again at the way back, and nowhere else. */
function cookieOf(app: App, { state, browser }: { state: string; browser: string }): string {
  const secure = publicUrl(app.config, '').startsWith('https:') ? '; Secure' : '';
  const limits = `Max-Age=${COOKIE_SECONDS}; Path=/v2/link/callback; HttpOnly; SameSite=Lax`;
  return `${cookieName(state)}=${browser}; ${limits}${secure}`;
}

function browserOf({ headers }: VisitInput, state: string): string | undefined {
  const begin = `${cookieName(state)}=`;
  const pairs = String(headers['cookie'] ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(begin))?.slice(begin.length);
}

async function comeBack(app: App, visit: VisitInput): Promise<VisitAnswer> {
  const { method, params, query } = visit;
  const provider = params['provider'] ?? '';
  const { state = '', code, error, scope } = query;
  if (method === 'HEAD' || (query['state'] === undefined && code === undefined && error === undefined)) {
    return page({ title: 'Nothing to see', body: markup`<p>Users come back here from a provider.</p>` });
  }
  const browser = browserOf(visit, state);
  const back = await endAttempt(app, { provider, state, code, error, scope, browser });
  return cameBack(back.row, { provider, refused: back.refused });
}

interface CameOf {
  readonly provider: string;
  readonly refused: LinkRefused | undefined;
}

/** Back to the app of the team where it wants to know, else the user is told. */
function cameBack(row: LinkTokenRow, told: CameOf): VisitAnswer {
  const url = backUrl(row, told);
  return url === null ? tell(told, null) : onTo(url);
}

/** The same as the answer to a form of ours, of which no browser follows a redirect away from us: a page leads on. */
const cameOfForm = (row: LinkTokenRow, told: CameOf): VisitAnswer => tell(told, backUrl(row, told));

const backUrl = (row: LinkTokenRow, told: CameOf): string | null =>
  told.refused && !row.redirects_errors ? null : redirectAfter(row, told);

const tell = ({ provider, refused }: CameOf, url: string | null): VisitAnswer =>
  refused ? errorPage(refused, url) : donePage(providerNamed(provider).name, url);
