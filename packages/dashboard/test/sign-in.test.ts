import { describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, type TestDashboard } from './open-dashboard.ts';

describe.skipIf(!hasChromium)('Signing in to the dashboard', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test('the root of the service leads to the sign-in, and a deep link survives it', async () => {
    const page = await dashboard.stranger();
    await page.goto(dashboard.origin);
    await page.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    await expectAccessible(page);

    await setPassword(dashboard, 'ada@example.com', 'violet harbor lantern 42');
    await page.goto(dashboard.urlOf('orders'));
    await page.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong horse wrong battery 1');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(page.url()).toContain('/dashboard/sign-in');

    await page.getByRole('textbox', { name: 'Password' }).fill('violet harbor lantern 42');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('orders'));
  });

  test('a sign-in leads to no other site', async () => {
    const page = await dashboard.stranger();
    await setPassword(dashboard, 'eve@example.com', 'violet harbor lantern 43');
    await page.goto(`${dashboard.origin}/dashboard/sign-in?next=//evil.example/`);
    await page.getByRole('textbox', { name: 'E-mail' }).fill('eve@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('violet harbor lantern 43');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(new URL(page.url()).origin).toBe(dashboard.origin);
  });

  test('signing out leaves nothing on the screen', async () => {
    const page = await dashboard.visit('users');
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Users' }).count()).toBe(0);
  });

  test('a session that ends elsewhere ends here, too', async () => {
    const page = await dashboard.visit('users', { member: { role: 'org_admin', name: 'Ended' } });
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByText('Your session has ended').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });
});

/** Creates an owner-invited member with a password, as the link of an invitation does. */
async function setPassword(dashboard: TestDashboard, email: string, password: string): Promise<void> {
  const { team, service } = dashboard;
  const invite = await team.management.post(`/v1/org/${team.orgId}/invite`, { email, role: 'org_admin' });
  const token = String(invite.json.invite_url).split('#')[1];
  const accepted = await service.client({}).post('/v1/invite/accept', { token, name: 'Ada', password });
  expect(accepted.status).toBe(200);
}
