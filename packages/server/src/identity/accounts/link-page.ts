import { renderFormPage } from '../../platform/form-page.ts';

const SCRIPT = `
  const form = document.querySelector('form');
  const told = document.querySelector('[role=status]');
  const owner = document.querySelector('fieldset');
  const [, kind, token] = /^#(owner[.])?([\\w-]+)$/.exec(location.hash) ?? [];
  if (!token) { form.hidden = true; told.textContent = 'This link is incomplete. Copy the whole link again.'; }
  owner.hidden = owner.disabled = !kind;
  const describe = (errors) =>
    errors.some(({ loc }) => loc.includes('password'))
      ? 'Please choose a password that is harder to guess.'
      : 'Please check your name and e-mail address.';
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    form.querySelector('button').disabled = true;
    const { name, email, password } = form.elements;
    // URLs are relative, because a proxy may serve this page below a path of its own.
    const person = kind ? { name: name.value, email: email.value } : {};
    try {
      const answer = await fetch('v1/session/link', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, password: password.value, ...person }),
      });
      const said = await answer.json();
      if (answer.status === 202) {
        form.hidden = true;
        history.replaceState(null, '', location.pathname);
        told.textContent = 'Your password is set. Your second factor is missing.';
        location.replace('dashboard/sign-in?step=' + said.status + '&methods=' + said.methods.join(','));
      }
      else if (answer.ok) {
        form.hidden = true;
        history.replaceState(null, '', location.pathname);
        told.textContent = 'Your password is set, and you are signed in as ' + said.member.email + '.';
        // Relative, because a proxy may serve this page below a path of its own.
        location.replace('dashboard');
      }
      else told.textContent = typeof said.detail === 'string' ? said.detail : describe(said.detail);
    } catch {
      told.textContent = 'The service is not reachable. Please try again.';
    }
    form.querySelector('button').disabled = false;
  });
`;

/**
 * The page behind a one-time link. The token is in the URL fragment and is sent only with the form; `owner.` before it
 * asks for the name and address of the first owner, too.
 */
export const linkPage = renderFormPage({
  title: 'Set your password',
  heading: 'Set your password',
  content: `<form>
  <fieldset hidden disabled>
    <label for="name">Your name</label>
    <input id="name" name="name" autocomplete="name" maxlength="200" required>
    <label for="email">Your e-mail address</label>
    <input id="email" name="email" type="email" autocomplete="username" maxlength="254" required>
  </fieldset>
  <label for="password">A password, of at least 12 characters</label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required>
  <button>Set the password and sign in</button>
</form>`,
  script: SCRIPT,
});
