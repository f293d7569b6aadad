import { renderFormPage } from '../../platform/form-page.ts';

const SCRIPT = `
  const form = document.querySelector('form');
  const told = document.querySelector('[role=status]');
  const token = location.hash.slice(1);
  if (!token) { form.hidden = true; told.textContent = 'This link is incomplete. Copy it from the e-mail again.'; }
  const describe = (errors) =>
    errors.some(({ loc }) => loc.includes('password'))
      ? 'Please choose a password that is harder to guess.'
      : 'Please check your name.';
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    form.querySelector('button').disabled = true;
    // URLs are relative, because a proxy may serve this page below a path of its own.
    try {
      const answer = await fetch('v1/invite/accept', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, name: form.elements.name.value, password: form.elements.password.value }),
      });
      const said = await answer.json();
      if (answer.ok) {
        form.hidden = true;
        history.replaceState(null, '', location.pathname);
        told.textContent = 'You are now a member of ' + said.organization.name + '. Sign in with your password.';
        location.replace('dashboard/sign-in?org=' + said.organization.id);
      }
      else told.textContent = typeof said.detail === 'string' ? said.detail : describe(said.detail);
    } catch {
      told.textContent = 'The service is not reachable. Please try again.';
    }
    form.querySelector('button').disabled = false;
  });
`;

/** The page behind the link of an invite. The token is in the URL fragment and is sent only with the form. */
export const acceptPage = renderFormPage({
  title: 'Accept an invite',
  heading: 'Accept the invite',
  content: `<form>
  <label for="name">Your name</label>
  <input id="name" name="name" autocomplete="name" maxlength="200" required>
  <label for="password">A password, of at least 12 characters</label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required>
  <button>Become a member</button>
</form>`,
  script: SCRIPT,
});
