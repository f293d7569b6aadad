import type { BrowserContext } from 'playwright-core';
import { z } from 'zod';

interface ServiceAccess {
  readonly url: string;
  readonly origin: string;
  readonly orgId: string;
  readonly managementKey: string;
}

const Invited = z.object({ invite_url: z.string() });
const PASSWORD = 'violet harbor lantern 42';

/** Signs a new administrator in, as a person would: an invitation, a password, the form. */
export async function signIn(
  context: BrowserContext,
  { url, origin, orgId, managementKey }: ServiceAccess,
): Promise<void> {
  const email = 'budgets@example.com';
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', 'x-management-key': managementKey };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const { invite_url } = Invited.parse(await post(`/v1/org/${orgId}/invite`, { email, role: 'org_admin' }));
  await post('/v1/invite/accept', { token: invite_url.split('#')[1], name: 'Budgets', password: PASSWORD });
  const page = await context.newPage();
  await page.goto(`${origin}/dashboard`);
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.close();
}
