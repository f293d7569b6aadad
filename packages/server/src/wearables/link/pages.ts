import type { ProviderRegion } from '../../adapters/wearable-provider/port.ts';
import type { BrowserResponse } from '../../platform/http/serve-open.ts';
import type { LinkError } from '../connections/connect.ts';
import type { KnownProvider } from '../../readings/readings.ts';
import { markup, renderPage, type Markup } from './html.ts';

interface ChoosePageInput {
  readonly word: string;
  readonly choices: readonly KnownProvider[];
  /** The providers with a demo. */
  readonly demos: readonly KnownProvider[];
  /** The name of the team that receives the data. */
  readonly who: string;
  readonly closeUrl: string | null;
  /** The error of the previous submission. */
  readonly wrong?: string;
}

/** The page to choose a provider and to consent. */
export function choosePage({ word, choices, demos, who, closeUrl, wrong }: ChoosePageInput): BrowserResponse {
  const close = closeUrl === null ? undefined : markup`<p><a href="${closeUrl}">Cancel and go back</a></p>`;
  if (choices.length + demos.length === 0) {
    return renderPage({
      title: 'Nothing to connect',
      status: 404,
      body: markup`<p>No provider can be connected with this link.</p>
        ${close}`,
    });
  }
  const alone = choices.length === 1 && demos.length === 0;
  return renderPage({
    title: 'Connect your data',
    ...(wrong !== undefined && { status: 422 }),
    body: markup`${wrong === undefined ? undefined : markup`<p role="alert">${wrong}</p>`}
<form method="post" action="/link/start">
<input type="hidden" name="token" value="${word}">
${choices.length === 0 ? undefined : providerChoices(choices, alone)}${demos.length === 0 ? undefined : demoChoices(demos)}
<p><input type="checkbox" id="consent" name="consent" value="yes" required>
<label for="consent">I agree that ${who} receives the health data that I share with it there.</label></p>
<button>Continue</button>
</form>
${close}`,
  });
}

const providerChoices = (choices: readonly KnownProvider[], alone: boolean): Markup => markup`<fieldset>
<legend>${alone ? 'You are about to connect' : 'Choose what to connect'}</legend>
${choices.map((choice) => choiceInput(choice, { value: choice.slug, chosen: alone }))}</fieldset>`;

/** The prefix of the form value of a demo. */
export const DEMO_PREFIX = 'demo:';

const demoChoices = (demos: readonly KnownProvider[]): Markup => markup`<fieldset>
<legend>Demo providers (sandbox)</legend>
${demos.map((demo) => choiceInput({ ...demo, description: DEMO_DESCRIPTION }, { value: `${DEMO_PREFIX}${demo.slug}`, chosen: false }))}</fieldset>`;

const DEMO_DESCRIPTION = 'Demo: a month of generated data at once, and new data for a week.';

interface ProviderChoice {
  readonly value: string;
  readonly chosen: boolean;
}

const choiceInput = (
  { name, description, logo }: KnownProvider,
  { value, chosen }: ProviderChoice,
): Markup => {
  const id = `p-${value.replace(DEMO_PREFIX, 'demo-')}`;
  const checked = chosen ? markup` checked` : undefined;
  return markup`<div class="choice">
<input type="radio" id="${id}" name="provider" value="${value}" required${checked}>
<img src="${logo}" alt=""><label for="${id}">${name}<small>${description}</small></label>
</div>
`;
};

interface RegionPageInput {
  readonly word: string;
  readonly provider: KnownProvider;
  readonly regions: readonly ProviderRegion[];
}

/** The page to choose where the account at the provider is: another region does not know it. The user has consented. */
export const regionPage = ({ word, provider: { slug, name }, regions }: RegionPageInput): BrowserResponse =>
  renderPage({
    title: `Your ${name} account`,
    body: markup`<form method="post" action="/link/start">
<input type="hidden" name="token" value="${word}">
<input type="hidden" name="provider" value="${slug}">
<input type="hidden" name="consent" value="yes">
<fieldset>
<legend>In which country did you create your ${name} account?</legend>
${regions.map(regionInput)}</fieldset>
<button>Continue</button>
</form>`,
  });

const regionInput = ({ region, label, isDefault }: ProviderRegion): Markup => {
  const checked = isDefault ? markup` checked` : undefined;
  return markup`<div class="choice">
<input type="radio" id="r-${region}" name="region" value="${region}" required${checked}>
<label for="r-${region}">${label}</label>
</div>
`;
};

/** An intermediate page, because the CSP forbids forms to redirect to other origins. */
export const continuePage = (
  { name }: KnownProvider,
  url: string,
  headers: Readonly<Record<string, string>>,
): BrowserResponse =>
  renderPage({
    title: `Continue to ${name}`,
    goingTo: url,
    headers,
    body: markup`<p>${name} will ask you what you want to share.</p>
      <p><a class="button" href="${url}" rel="noreferrer">Continue to ${name}</a></p>`,
  });

/** The result page, with a link back to the team's app if it has a redirect URL. */
export const donePage = (name: string, backUrl: string | null = null): BrowserResponse =>
  renderPage({
    title: 'Connected',
    ...(backUrl !== null && { goingTo: backUrl }),
    body: markup`<p role="status">${name} is connected.${backUrl === null ? ' You can close this page.' : ''}</p>
      ${linkButton(backUrl)}`,
  });

const linkButton = (url: string | null): Markup | undefined =>
  url === null ? undefined : markup`<p><a class="button" href="${url}" rel="noreferrer">Continue</a></p>`;

const ERROR_TEXTS: Partial<Record<LinkError['errorType'], string>> = {
  invalid_token: 'This link is invalid. Ask for a new one.',
  token_expired: 'This link has expired. Ask for a new one.',
  token_consumed: 'This link has been used already. To connect something else, ask for a new one.',
  duplicate_connection: 'A conflicting connection already exists.',
  required_scopes_not_granted: 'A required permission was not granted. Try again and agree to all of them.',
  user_cancelled: 'You did not grant access. Nothing was connected.',
};

/** The text for the error type of a redirect URL. */
export const getErrorText = (errorType: string | undefined): string =>
  Object.entries(ERROR_TEXTS).find(([type]) => type === errorType)?.[1] ?? 'Something went wrong. Try again.';

export const errorPage = (
  { errorType, message }: LinkError,
  backUrl: string | null = null,
): BrowserResponse =>
  renderPage({
    title: errorType === 'token_consumed' ? 'Link already used' : 'Not connected',
    ...(backUrl === null ? { status: 400 } : { goingTo: backUrl }),
    body: markup`<p role="alert">${ERROR_TEXTS[errorType] ?? message}</p>
      ${linkButton(backUrl)}`,
  });
