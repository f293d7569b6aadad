import type { ProviderRegion } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import {
  languageField,
  markup,
  pagePath,
  renderPage,
  type Markup,
  type PageView,
} from '../../hosted/hosted.ts';
import type { BrowserResponse } from '../../platform/http/serve-open.ts';
import type { LinkError } from '../connections/connect.ts';
import type { KnownProvider } from '../../readings/readings.ts';

/** What every page of a link token needs. */
export interface LinkPage {
  readonly app: App;
  readonly view: PageView;
  readonly word: string;
}

const formStart = ({ app, view, word }: LinkPage): Markup =>
  markup`<form method="post" action="${pagePath(app.config, '/link/start')}">
<input type="hidden" name="token" value="${word}">
${languageField(view)}`;

interface ChoosePageInput {
  readonly choices: readonly KnownProvider[];
  /** The providers with a demo. */
  readonly demos: readonly KnownProvider[];
  readonly closeUrl: string | null;
  /** The error of the previous submission. */
  readonly wrong?: string;
}

/** The page to choose a provider and to consent. */
export function choosePage(page: LinkPage, input: ChoosePageInput): BrowserResponse {
  const { view } = page;
  const { t } = view;
  const { choices, demos, closeUrl, wrong } = input;
  const close = closeUrl === null ? undefined : markup`<p><a href="${closeUrl}">${t('link.cancel')}</a></p>`;
  if (choices.length + demos.length === 0) {
    return renderPage({
      view,
      title: t('link.nothing.title'),
      status: 404,
      body: markup`<p>${t('link.nothing.text')}</p>
        ${close}`,
    });
  }
  const alone = choices.length === 1 && demos.length === 0;
  const team = view.brand?.name || t('link.team');
  return renderPage({
    view,
    title: t('link.title'),
    ...(wrong !== undefined && { status: 422 }),
    body: markup`${wrong === undefined ? undefined : markup`<p role="alert">${wrong}</p>`}
${formStart(page)}
${choices.length === 0 ? undefined : providerChoices(view, choices, alone)}${demos.length === 0 ? undefined : demoChoices(view, demos)}
<p class="consent"><input type="checkbox" id="consent" name="consent" value="yes" required>
<label for="consent">${t('link.consent', { team })}</label></p>
<button>${t('link.continue')}</button>
</form>
${close}`,
  });
}

const providerChoices = (
  view: PageView,
  choices: readonly KnownProvider[],
  alone: boolean,
): Markup => markup`<fieldset>
<legend>${view.t(alone ? 'link.alone' : 'link.choose')}</legend>
${choices.map((choice) => choiceInput(choice, { value: choice.slug, chosen: alone, text: describe(view, choice) }))}</fieldset>`;

/** The catalog describes providers in English only. */
const describe = ({ language }: PageView, { description }: KnownProvider): string =>
  language === 'en' ? description : '';

/** The prefix of the form value of a demo. */
export const DEMO_PREFIX = 'demo:';

const demoChoices = ({ t }: PageView, demos: readonly KnownProvider[]): Markup => markup`<fieldset>
<legend>${t('link.demos')}</legend>
${demos.map((demo) =>
  choiceInput(demo, { value: `${DEMO_PREFIX}${demo.slug}`, chosen: false, text: t('link.demo.text') }),
)}</fieldset>`;

interface ProviderChoice {
  readonly value: string;
  readonly chosen: boolean;
  readonly text: string;
}

const choiceInput = ({ name, logo }: KnownProvider, { value, chosen, text }: ProviderChoice): Markup => {
  const id = `p-${value.replace(DEMO_PREFIX, 'demo-')}`;
  const checked = chosen ? markup` checked` : undefined;
  return markup`<div class="choice">
<input type="radio" id="${id}" name="provider" value="${value}" required${checked}>
<img src="${logo}" alt=""><label for="${id}">${name}${text === '' ? undefined : markup`<small>${text}</small>`}</label>
</div>
`;
};

interface RegionPageInput {
  readonly provider: KnownProvider;
  readonly regions: readonly ProviderRegion[];
}

/** The page to choose where the account at the provider is: another region does not know it. The user has consented. */
export const regionPage = (
  page: LinkPage,
  { provider: { slug, name: provider }, regions }: RegionPageInput,
): BrowserResponse => {
  const { view } = page;
  const { t } = view;
  return renderPage({
    view,
    title: t('link.region.title', { provider }),
    body: markup`${formStart(page)}
<input type="hidden" name="provider" value="${slug}">
<input type="hidden" name="consent" value="yes">
<fieldset>
<legend>${t('link.region.legend', { provider })}</legend>
${regions.map((region) => regionInput(view, region))}</fieldset>
<button>${t('link.continue')}</button>
</form>`,
  });
};

const regionInput = (view: PageView, { region, label, isDefault }: ProviderRegion): Markup => {
  const checked = isDefault ? markup` checked` : undefined;
  return markup`<div class="choice">
<input type="radio" id="r-${region}" name="region" value="${region}" required${checked}>
<label for="r-${region}">${nameRegion(view, { region, label })}</label>
</div>
`;
};

/** Countries by their name in the language of the page; a group of countries, such as `eu`, is another country. */
function nameRegion(
  { language, t }: PageView,
  { region, label }: Pick<ProviderRegion, 'region' | 'label'>,
): string {
  if (language === 'en') return label;
  if (!/^[a-z]{2}$/.test(region) || region === 'eu') return t('link.region.other');
  return new Intl.DisplayNames([language], { type: 'region' }).of(region.toUpperCase()) ?? label;
}

/** An intermediate page, because the CSP forbids forms to redirect to other origins. */
export const continuePage = (
  view: PageView,
  { name: provider }: KnownProvider,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): BrowserResponse => {
  const title = view.t('link.leaving.title', { provider });
  return renderPage({
    view: { ...view, path: undefined },
    title,
    goingTo: url,
    headers,
    body: markup`<p>${view.t('link.leaving.text', { provider })}</p>
      <p><a class="button" href="${url}" rel="noreferrer">${title}</a></p>`,
  });
};

/** The result page, with a link back to the team's app if it has a redirect URL. */
export const donePage = (
  view: PageView,
  provider: string,
  backUrl: string | null = null,
): BrowserResponse => {
  const { t } = view;
  const text = `${t('link.done.text', { provider })}${backUrl === null ? ` ${t('link.done.close')}` : ''}`;
  return renderPage({
    view: { ...view, path: undefined },
    title: t('link.done.title'),
    ...(backUrl !== null && { goingTo: backUrl }),
    body: markup`<p role="status">${text}</p>
      ${linkButton(view, backUrl)}`,
  });
};

const linkButton = ({ t }: PageView, url: string | null): Markup | undefined =>
  url === null
    ? undefined
    : markup`<p><a class="button" href="${url}" rel="noreferrer">${t('link.continue')}</a></p>`;

const ERROR_TEXTS = {
  invalid_token: 'link.error.invalid_token',
  token_expired: 'link.error.token_expired',
  token_consumed: 'link.error.token_consumed',
  duplicate_connection: 'link.error.duplicate_connection',
  required_scopes_not_granted: 'link.error.required_scopes_not_granted',
  user_cancelled: 'link.error.user_cancelled',
} as const satisfies Partial<Record<LinkError['errorType'], string>>;

const hasText = (errorType: string): errorType is keyof typeof ERROR_TEXTS =>
  Object.hasOwn(ERROR_TEXTS, errorType);

/** The text for the error type of a redirect URL. */
export const getErrorText = ({ t }: PageView, errorType = ''): string =>
  t(hasText(errorType) ? ERROR_TEXTS[errorType] : 'link.error.other');

export const errorPage = (
  view: PageView,
  { errorType, message }: LinkError,
  backUrl: string | null = null,
): BrowserResponse => {
  // The messages of other errors are English, for developers too.
  const text = hasText(errorType) || view.language !== 'en' ? getErrorText(view, errorType) : message;
  return renderPage({
    view,
    title: view.t(errorType === 'token_consumed' ? 'link.error.used' : 'link.error.title'),
    ...(backUrl === null ? { status: 400 } : { goingTo: backUrl }),
    body: markup`<p role="alert">${text}</p>
      ${linkButton(view, backUrl)}`,
  });
};
