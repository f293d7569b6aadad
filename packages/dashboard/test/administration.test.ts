import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import {
  BROWSER_LIMIT_MS,
  expectAccessible,
  loadingParts,
  openDashboard,
  overflowOf,
} from './open-dashboard.ts';

const PASSWORD = 'violet harbor lantern 42';

describe.skipIf(!hasChromium)('Administration in the dashboard', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  /** The six digits that an authenticator app shows for the key on the page. */
  const codeOn = async (page: Page): Promise<string> => {
    const secret = await page.locator('code', { hasText: /^[A-Z2-7]{32,}$/ }).innerText();
    return new TOTP({ secret }).generate({ timestamp: dashboard.service.clock.now().getTime() });
  };

  const signIn = async (page: Page, email: string) => {
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };

  test('a member enrolls an authenticator app and keeps the recovery codes', async () => {
    const page = await dashboard.visit('account');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    const digits = page.getByRole('dialog').getByRole('textbox');
    await digits.first().focus();
    await page.keyboard.type('000000');
    await page.getByRole('alert').waitFor();
    expect(page.url()).toBe(dashboard.urlOf('account'));

    await digits.first().focus();
    await page.keyboard.type(await codeOn(page));
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.first().waitFor();
    expect(await codes.count()).toBe(10);
    await expectAccessible(page);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('10 left').waitFor();
  });

  test('an invited member signs in and sees only what the role may', async () => {
    const admin = await dashboard.visit('settings/members');
    await admin.getByRole('button', { name: 'Invite a member' }).click();
    await admin.getByRole('textbox', { name: 'E-mail' }).fill('rita@example.com');
    await admin.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await admin.locator('pre', { hasText: '/invite#' }).innerText();
    await admin.getByRole('button', { name: 'I have stored it' }).click();
    await admin.getByRole('tab', { name: 'Invites' }).click();
    await admin.getByText('rita@example.com').waitFor();

    const page = await dashboard.stranger();
    await page.goto(`${dashboard.origin}/invite#${link.split('#')[1]}`);
    await page.getByLabel('Your name').fill('Rita');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Become a member' }).click();
    await page.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    await signIn(page, 'rita@example.com');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await navigation.getByRole('link', { name: 'Orders' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Members and roles' }).count()).toBe(0);
    await page.goto(dashboard.urlOf('settings/members'));
    await page.getByText('Your role does not include this page').waitFor();
    await page.goto(dashboard.urlOf('settings/team'));
    await page.getByText('You can read these settings').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('a second factor that the organization requires is enrolled in the sign-in, which keeps the deep link', async () => {
    const other = await openDashboard();
    try {
      const { team, service } = other;
      const invite = await team.management.post(`/v1/org/${team.orgId}/invite`, {
        email: 'nora@example.com',
        role: 'org_admin',
      });
      const token = String(invite.json.invite_url).split('#')[1];
      await service.client({}).post('/v1/invite/accept', { token, name: 'Nora', password: PASSWORD });
      const policy = await team.management.patch(`/v1/org/${team.orgId}/sign_in_policy`, {
        require_second_factor: true,
      });
      expect(policy.status).toBe(200);

      const page = await other.stranger();
      await page.goto(other.urlOf('settings/team?tab=brand'));
      await signIn(page, 'nora@example.com');
      await page.getByText('Your organization requires a second factor').waitFor();
      await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('textbox').first().focus();
      const secret = await page.locator('code', { hasText: /^[A-Z2-7]{32,}$/ }).innerText();
      await page.keyboard.type(new TOTP({ secret }).generate({ timestamp: service.clock.now().getTime() }));
      await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
      await page.getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Team settings', level: 1 }).waitFor();
      expect(page.url()).toBe(other.urlOf('settings/team?tab=brand'));
    } finally {
      await other.close();
    }
  });

  test('an administrator deactivates a member, whose session ends', async () => {
    const member = await dashboard.visit('account', {
      member: { role: 'no_role', name: 'Dan', roles: [{ role: 'developer' }] },
    });
    const email = await member.getByText(/^member-\d+@example\.com$/).innerText();
    const admin = await dashboard.visit('settings/members');
    await admin.getByRole('textbox', { name: 'Search members' }).fill(email);
    await admin.getByRole('row', { name: email }).getByRole('link').click();
    await admin.getByRole('button', { name: 'Deactivate' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await admin.getByText('deactivated').waitFor();
    await expectAccessible(admin);
    await member.getByRole('link', { name: 'Home' }).click();
    await member.reload();
    await member.getByRole('heading', { name: 'Sign in to Aliquot' }).waitFor();
    expect(member.url()).toContain('/dashboard/sign-in');
  });

  test('the preview of a brand shows the mail with its styles, as the policy permits', async () => {
    const page = await dashboard.visit('settings/team?tab=brand', { member: { role: 'org_admin' } });
    const frame = page.frameLocator('iframe[title="A mail"]');
    const heading = frame.getByRole('heading', { level: 1 });
    await heading.waitFor();
    expect(await heading.evaluate((element) => element.computedStyleMap().get('font-size')?.toString())).toBe(
      '20px',
    );
  });

  const TABS = [
    'settings/team?tab=brand',
    'settings/members?tab=invites',
    'settings/members?tab=roles',
    'settings/sign-in?tab=sso',
    'settings/sign-in?tab=domains',
    'settings/sign-in?tab=directory',
    'settings/data?tab=break-glass',
    'settings/data?tab=data-key',
    'settings/organization?tab=keys',
  ];
  test.each(TABS)('%s is accessible and fits a phone', async (path) => {
    const page = await dashboard.visit(path, { member: { role: 'org_admin', is_owner: true } });
    // The page of the brand has tabs within its tab.
    await page.getByRole('tabpanel').first().waitFor();
    await expect.poll(() => loadingParts(page)).toBe(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
  });
});
