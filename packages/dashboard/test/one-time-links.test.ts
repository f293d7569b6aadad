import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { createSignInUrl, prepareOwnerUrl } from '../../server/src/identity/accounts/accounts.ts';
import { givePassword } from '../../server/test/browser.ts';
import { addMember } from '../../server/test/members.ts';
import { openSmtpStandIn } from '../../server/test/smtp.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, overflowOf } from './open-dashboard.ts';
import { fillSignIn } from './sign-in-form.ts';

/** Where the mails of the service arrive. */
const mailbox = await openSmtpStandIn();

/** The link in the last mail to an address. */
const linkIn = (email: string, page: string): string => {
  const mail = mailbox.received.findLast(({ to }) => to.includes(email))?.raw.replaceAll('=\r\n', '') ?? '';
  return new RegExp(`http://\\S+/${page}#[\\w-]{43}`).exec(mail)?.[0] ?? '';
};

const PASSWORD = 'violet harbor lantern 42';

const setPassword = async (page: Page, password = PASSWORD) => {
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Set the password and sign in' }).click();
};

describe.skipIf(!hasChromium)('One-time links in the dashboard', { timeout: BROWSER_LIMIT_MS }, () => {
  // Below the path of a proxy, as every page must work there too.
  const dashboard = useDashboard({
    prefix: '/aliquot',
    settings: { SMTP_URL: mailbox.url, MAIL_FROM: 'no-reply@lab.example' },
  });
  afterAll(() => mailbox.close());

  /** A link for a new member, as the operator makes it. */
  const linkFor = async (email: string) => {
    await addMember(dashboard.service, dashboard.team.orgId, { email, role: 'org_admin' });
    const by = { actor: 'operator' };
    const orgId = dashboard.team.orgId;
    return (await createSignInUrl(dashboard.service.app, { email, orgId, by })).url;
  };

  test('the URL that the first start prints leads its owner to Home, once', async () => {
    const url = String((await prepareOwnerUrl(dashboard.service.app))?.url);
    const token = String(url.split('owner.')[1]);
    expect(url.startsWith(`${dashboard.origin}/sign-in-link#owner.`)).toBe(true);
    const page = await dashboard.stranger({ width: 390, height: 844 });
    const asked: string[] = [];
    const referrers: string[] = [];
    page.on('request', (request) => {
      asked.push(request.url());
      referrers.push(request.headers()['referer'] ?? '');
    });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Welcome to Aliquot', level: 1 }).waitFor();
    await page.getByText('At least 12 characters, and hard to guess').waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await expectAccessible(page);

    await page.getByRole('textbox', { name: 'Your name' }).fill('Ada Lovelace');
    await page.getByRole('textbox', { name: 'Your e-mail address' }).fill('ada@clinic.example');
    await setPassword(page, 'password1234');
    await page.getByText('This password is too easy to guess').waitFor();
    const field = page.getByRole('textbox', { name: 'Password' });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show the password' }).click();
    expect(await field.getAttribute('type')).toBe('text');

    await setPassword(page);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(asked.filter((text) => text.includes(token))).toEqual([]);
    expect(new Set(referrers)).toEqual(new Set(['']));
    expect(dashboard.proxy?.outside).toEqual([]);
    // The address with the token is not left in the history.
    expect(
      await page.evaluate(`JSON.stringify(sessionStorage) + JSON.stringify(localStorage)`),
    ).not.toContain(token);
    await page.goBack();
    expect(page.url()).not.toContain(token);

    const other = await dashboard.stranger({ width: 390, height: 844 });
    await other.goto(url);
    await other.getByRole('textbox', { name: 'Your name' }).fill('Eve');
    await other.getByRole('textbox', { name: 'Your e-mail address' }).fill('eve@clinic.example');
    await setPassword(other);
    await other.getByText('This link is no longer valid').waitFor();
    await expectAccessible(other);
    await other.getByRole('link', { name: 'Go to the sign-in' }).click();
    await fillSignIn(other, 'ada@clinic.example');
    await other.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  test('a part of a link is refused before anything is typed, and the whole one works after it', async () => {
    const url = await linkFor('rita@clinic.example');
    const page = await dashboard.stranger();
    await page.goto(String(url.split('#')[0]));
    await page.getByText('This link is incomplete').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    // Pasted into the same tab, only the fragment changes.
    await page.evaluate(`location.hash = ${JSON.stringify(String(url.split('#')[1]))}`);
    await page.getByRole('heading', { name: 'Set your password', level: 1 }).waitFor();
    await expectAccessible(page);
    await setPassword(page);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('home'));
  });

  test('a member changes the own address by the link in the new mailbox, signed in or after it', async () => {
    const [old, wanted] = ['cleo@clinic.example', 'cleo.new@clinic.example'];
    const id = await addMember(dashboard.service, dashboard.team.orgId, { email: old, role: 'org_admin' });
    await givePassword(dashboard.service, id, PASSWORD);
    const page = await dashboard.stranger();
    await page.goto(dashboard.urlOf('account'));
    await fillSignIn(page, old);
    await page.getByRole('button', { name: 'Change your e-mail address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change your e-mail address' });
    await dialog.getByRole('textbox', { name: 'New e-mail address' }).fill(wanted);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('Your new address is not confirmed yet').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
    await expectAccessible(page);

    const link = linkIn(wanted, 'confirm-email');
    expect(link.startsWith(`${dashboard.origin}/confirm-email#`)).toBe(true);
    // On another device, where nobody is signed in.
    const phone = await dashboard.stranger({ width: 390, height: 844 });
    const asked: string[] = [];
    phone.on('request', (request) => asked.push(request.url()));
    await phone.goto(link);
    await phone.getByText('Sign in with your old address first').waitFor();
    expect(await overflowOf(phone)).toBeLessThanOrEqual(0);
    await expectAccessible(phone);
    await fillSignIn(phone, old);
    await phone.getByText(`From now on you sign in with ${wanted}`).waitFor();
    await expectAccessible(phone);
    await phone.getByRole('button', { name: 'Use this address' }).click();
    await phone.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(asked.filter((url) => url.includes(String(link.split('#')[1])))).toEqual([]);

    // The first browser was signed out, and the link is used up.
    await page.goto(link);
    await page.getByText('Sign in with your old address first').waitFor();
    await fillSignIn(page, wanted);
    await page.getByText('This link is no longer valid').waitFor();
    await page.goto(dashboard.urlOf('account'));
    await page.getByText(wanted).first().waitFor();
    const { rows } = await dashboard.service.ownerPool.query(
      'select email from organization_member where id = $1',
      [id],
    );
    expect(rows).toEqual([{ email: wanted }]);
  });

  test('a forgotten password is set by the link in the mailbox', async () => {
    const email = 'dora@clinic.example';
    await addMember(dashboard.service, dashboard.team.orgId, { email, role: 'org_admin' });
    const page = await dashboard.stranger();
    await page.goto(`${dashboard.origin}/dashboard/sign-in`);
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('Look into your mailbox').waitFor();
    await expect.poll(() => linkIn(email, 'sign-in-link')).not.toBe('');
    await page.goto(linkIn(email, 'sign-in-link'));
    await setPassword(page);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('home'));
  });

  test('a member with a second factor shows it after the new password', async () => {
    const url = await linkFor('nora@clinic.example');
    const policy = `/v1/org/${dashboard.team.orgId}/sign_in_policy`;
    const required = await dashboard.team.management.patch(policy, { require_second_factor: true });
    expect(required.status, required.text).toBe(200);
    const page = await dashboard.stranger();
    await page.goto(url);
    await setPassword(page);
    await page.getByRole('heading', { name: 'One step more', level: 1 }).waitFor();
    await page.getByText('Your organization requires a second factor').waitFor();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    expect(page.url()).not.toContain('#');
    await expectAccessible(page);
  });
});
