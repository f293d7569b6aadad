import { describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible } from './open-dashboard.ts';
import { fillSignIn, joinWithPassword } from './sign-in-form.ts';

describe.skipIf(!hasChromium)('Signing in to the dashboard', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test('the root of the service leads to the sign-in, and a deep link survives it', async () => {
    const page = await dashboard.stranger();
    await page.goto(dashboard.origin);
    await page.getByRole('heading', { name: 'Aliquot', level: 1 }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    await expectAccessible(page);

    await joinWithPassword(dashboard, 'ada@example.com');
    await page.goto(dashboard.urlOf('orders'));
    await page.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    await fillSignIn(page, 'ada@example.com', 'wrong horse wrong battery 1');
    await page.getByRole('alert').waitFor();
    expect(page.url()).toContain('/dashboard/sign-in');

    await fillSignIn(page, 'ada@example.com');
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('orders'));
  });

  test.each(['', '/'])('the address of a team leads to its first page, with %j at its end', async (end) => {
    const page = await dashboard.visit('orders');
    await page.goto(`${dashboard.urlOf('').replace(/\/$/, '')}${end}`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('home'));
  });

  test('a sign-in leads to no other site', async () => {
    const page = await dashboard.stranger();
    await joinWithPassword(dashboard, 'eve@example.com');
    await page.goto(`${dashboard.origin}/dashboard/sign-in?next=//evil.example/`);
    await fillSignIn(page, 'eve@example.com');
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

  test('a member who leaves the screen is signed out, and comes back to the same page', async () => {
    await joinWithPassword(dashboard, 'idle@example.com');
    const page = await dashboard.stranger();
    await page.clock.install();
    await page.goto(dashboard.urlOf('orders?method=testkit'));
    await fillSignIn(page, 'idle@example.com');
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    const sessions = async () =>
      (await dashboard.service.ownerPool.query('select count(*)::int as n from member_session')).rows[0].n;
    const before = await sessions();
    await page.clock.fastForward('16:00');
    await page.getByText('Your session has ended').waitFor();
    expect(await page.getByRole('heading', { name: 'Orders' }).count()).toBe(0);
    expect(await sessions()).toBe(before - 1);
    await fillSignIn(page, 'idle@example.com');
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('orders?method=testkit'));
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
