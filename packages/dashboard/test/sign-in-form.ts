import type { Page } from 'playwright-core';
import type { TestDashboard } from './open-dashboard.ts';

const PASSWORD = 'violet harbor lantern 42';

/** Invites an administrator, who accepts with a password; returns the link of the invite. */
export async function joinWithPassword(
  { team, service }: TestDashboard,
  email: string,
  password = PASSWORD,
): Promise<string> {
  const invite = await team.management.post(`/v1/org/${team.orgId}/invite`, { email, role: 'org_admin' });
  const link = String(invite.json.invite_url);
  const body = { token: link.split('#')[1], name: 'Ada', password };
  const accepted = await service.client({}).post('/v1/invite/accept', body);
  if (accepted.status !== 200) throw new Error(accepted.text);
  return link;
}

export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
