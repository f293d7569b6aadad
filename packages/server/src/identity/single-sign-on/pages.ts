import type { Config } from '../../platform/config.ts';
import { renderFormPage } from '../../platform/form-page.ts';
import { PAGE_POLICY } from '../../platform/http/security-headers.ts';
import type { BrowserResponse } from '../../platform/http/serve-open.ts';
import { publicPath } from '../../platform/public-url.ts';
import { REFUSAL_PAGES, type RefusalReason } from './refusal.ts';

const SCRIPT = `
  const form = document.querySelector('form');
  const told = document.querySelector('[role=status]');
  const address = document.querySelector('fieldset');
  const query = new URLSearchParams(location.search);
  const connection = query.get('connection');
  // URLs are relative, because a proxy may serve this page below a path of its own.
  const back = query.get('return_to') ?? new URL('dashboard', location.href).pathname;
  address.hidden = address.disabled = connection !== null;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    form.querySelector('button').disabled = true;
    told.textContent = '';
    const who = connection === null ? { email: form.elements.email.value } : { connection_id: connection };
    try {
      const answer = await fetch('v1/session/sso', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...who, return_to: back }),
      });
      const said = await answer.json();
      if (answer.ok) { location.assign(said.authorization_url); return; }
      told.textContent =
        typeof said.detail === 'string' ? said.detail : 'This link or this address is not complete. Check it, and try again.';
    } catch {
      told.textContent = 'The service is not reachable. Please try again.';
    }
    form.querySelector('button').disabled = false;
  });
`;

/**
 * The page where a single sign-on begins, by the address or with `?connection=`. It begins with a click: a link alone
 * would let another site sign a browser in with an account that is not its user's.
 */
export const signInPage = renderFormPage({
  title: 'Single sign-on',
  heading: 'Sign in with your organization',
  content: `<form>
  <fieldset>
    <label for="email">Your e-mail address at work</label>
    <input id="email" name="email" type="email" autocomplete="username" maxlength="254" required>
  </fieldset>
  <button>Continue to your identity provider</button>
</form>`,
  script: SCRIPT,
});

const toPage = (status: number, text: string): BrowserResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY },
  text,
});

export const signedInPage = (): BrowserResponse =>
  toPage(
    200,
    renderFormPage({
      title: 'Signed in',
      heading: 'You are signed in',
      content: '<p>You can close this page and go on where you were.</p>',
      script: '',
    }),
  );

export function refusalPage(config: Config, reason: RefusalReason): BrowserResponse {
  const { status, text } = REFUSAL_PAGES[reason];
  const page = renderFormPage({
    title: 'Not signed in',
    heading: 'You are not signed in',
    content: `<p role="alert">${text}</p>\n<p><a href="${publicPath(config, '/sso')}">Begin again</a></p>`,
    script: '',
  });
  return toPage(status, page);
}
