import type { VisitAnswer } from '../../platform/http/serve-open.ts';
import type { LinkRefused } from '../connections/connect.ts';
import type { KnownProvider } from '../providers.ts';
import { markup, page, type Markup } from './html.ts';

interface Choosing {
  readonly word: string;
  readonly choices: readonly KnownProvider[];
  /** Of these somebody who does not exist can be connected. */
  readonly demos: readonly KnownProvider[];
  /** Who reads the data. */
  readonly who: string;
  readonly closeUrl: string | null;
  /** What was wrong with what the user sent. */
  readonly wrong?: string;
}

/** Choose a provider, agree, go. */
export function choosePage({ word, choices, demos, who, closeUrl, wrong }: Choosing): VisitAnswer {
  const close = closeUrl === null ? undefined : markup`<p><a href="${closeUrl}">Cancel and go back</a></p>`;
  if (choices.length + demos.length === 0) {
    return page({
      title: 'Nothing to connect',
      status: 404,
      body: markup`<p>There is nothing that could be connected here.</p>
        ${close}`,
    });
  }
  const alone = choices.length === 1 && demos.length === 0;
  return page({
    title: 'Connect your data',
    ...(wrong !== undefined && { status: 422 }),
    body: markup`${wrong === undefined ? undefined : markup`<p role="alert">${wrong}</p>`}
<form method="post" action="/link/start">
<input type="hidden" name="token" value="${word}">
${choices.length === 0 ? undefined : providersOf(choices, alone)}${demos.length === 0 ? undefined : demonstrationsOf(demos)}
<p><input type="checkbox" id="consent" name="consent" value="yes" required>
<label for="consent">I agree that ${who} reads the health data that I share with it there.</label></p>
<button>Continue</button>
</form>
${close}`,
  });
}

const providersOf = (choices: readonly KnownProvider[], alone: boolean): Markup => markup`<fieldset>
<legend>${alone ? 'You are about to connect' : 'Choose what to connect'}</legend>
${choices.map((choice) => choiceOf(choice, { value: choice.slug, chosen: alone }))}</fieldset>`;

/** What the value of a demonstration's choice begins with. */
export const DEMO = 'demo:';

const demonstrationsOf = (demos: readonly KnownProvider[]): Markup => markup`<fieldset>
<legend>Try it with somebody who does not exist</legend>
${demos.map((demo) => choiceOf({ ...demo, description: MADE }, { value: `${DEMO}${demo.slug}`, chosen: false }))}</fieldset>`;

const MADE = 'A demonstration: a month of made data at once, and more for a week.';

interface Choice {
  readonly value: string;
  readonly chosen: boolean;
}

const choiceOf = ({ name, description, logo }: KnownProvider, { value, chosen }: Choice): Markup => {
  const id = `p-${value.replace(DEMO, 'demo-')}`;
  const checked = chosen ? markup` checked` : undefined;
  return markup`<div class="choice">
<input type="radio" id="${id}" name="provider" value="${value}" required${checked}>
<img src="${logo}" alt=""><label for="${id}">${name}<small>${description}</small></label>
</div>
`;
};

/** On the way: a page of its own, since a form may lead to us only. */
export const goingPage = (
  { name }: KnownProvider,
  url: string,
  headers: Readonly<Record<string, string>>,
): VisitAnswer =>
  page({
    title: `On to ${name}`,
    goingTo: url,
    headers,
    body: markup`<p>${name} asks you there what you want to share.</p>
      <p><a class="button" href="${url}" rel="noreferrer">Continue to ${name}</a></p>`,
  });

/** What came of it, and the way back to the app of the team where it gave one. */
export const donePage = (name: string, backUrl: string | null = null): VisitAnswer =>
  page({
    title: 'Connected',
    ...(backUrl !== null && { goingTo: backUrl }),
    body: markup`<p role="status">${name} is connected.${backUrl === null ? ' You can close this page.' : ''}</p>
      ${buttonTo(backUrl)}`,
  });

const buttonTo = (url: string | null): Markup | undefined =>
  url === null ? undefined : markup`<p><a class="button" href="${url}" rel="noreferrer">Continue</a></p>`;

const WORDS: Partial<Record<LinkRefused['errorType'], string>> = {
  invalid_token: 'This link is not whole, or not ours. Ask for a new one.',
  token_expired: 'This link is over. Ask for a new one.',
  token_consumed: 'This link was used already. Ask for a new one if you want to connect something else.',
  duplicate_connection: 'This cannot be connected twice.',
  required_scopes_not_granted: 'Something that is needed was not shared. Try again and agree to all of it.',
  user_cancelled: 'You did not share anything. Nothing was connected.',
};

/** What went wrong, by what a way back says of it. */
export const wordsOf = (errorType: string | undefined): string =>
  Object.entries(WORDS).find(([type]) => type === errorType)?.[1] ?? 'This did not work. Try again.';

export const errorPage = ({ errorType, message }: LinkRefused, backUrl: string | null = null): VisitAnswer =>
  page({
    title: errorType === 'token_consumed' ? 'Used already' : 'Not connected',
    ...(backUrl === null ? { status: 400 } : { goingTo: backUrl }),
    body: markup`<p role="alert">${WORDS[errorType] ?? message}</p>
      ${buttonTo(backUrl)}`,
  });
