import { createHash } from 'node:crypto';

const STYLE = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem; }
  label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
  input, button { padding: 0.6rem; margin: 0.4rem 0 1.2rem; }
`;

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
    try {
      const answer = await fetch('/v1/invite/accept', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, name: form.elements.name.value, password: form.elements.password.value }),
      });
      const said = await answer.json();
      if (answer.ok) { form.hidden = true; told.textContent = 'You are now a member of ' + said.organization.name + '.'; }
      else told.textContent = typeof said.detail === 'string' ? said.detail : describe(said.detail);
    } catch {
      told.textContent = 'The service is not reachable. Please try again.';
    }
    form.querySelector('button').disabled = false;
  });
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the page's own style and script. `form-action` is off, because a native submit could leak the token. */
const policy = [
  `default-src 'none'`,
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

/** The page behind the link of an invite. The token is in the URL fragment and is sent only with the form. */
export const acceptPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>Accept an invite</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Accept the invite</h1>
<form>
  <label for="name">Your name</label>
  <input id="name" name="name" autocomplete="name" maxlength="200" required>
  <label for="password">A password, of at least 12 characters</label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required>
  <button>Become a member</button>
</form>
<p role="status" aria-live="polite"></p>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
