import { describe, expect, test } from 'vitest';
import { orderFor } from '../../server/test/appointments.ts';
import { openIdentityProvider } from '../../server/test/identity-provider.ts';
import { createOrder } from '../../server/test/orders.ts';
import { connectProvider, joinWithAddress } from '../../server/test/single-sign-on.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS } from './open-dashboard.ts';
import { fillSignIn, joinWithPassword } from './sign-in-form.ts';

const PREFIX = '/aliquot';

describe.skipIf(!hasChromium)('Below the path of a proxy', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard({ prefix: PREFIX });

  test.each([
    ['strips', true],
    ['passes on', false],
  ])('a member signs in and opens an order, where the proxy %s the path', async (_name, strips) => {
    const { origin, proxy, team } = dashboard;
    if (proxy) proxy.stripsPrefix = strips;
    const email = `member-${strips}@clinic.example`;
    expect(await joinWithPassword(dashboard, email)).toMatch(new RegExp(`^${origin}/invite#`));
    const id = await createOrder(team, 'testkit');
    const page = await dashboard.stranger();
    await page.goto(dashboard.urlOf('orders'));
    await fillSignIn(page, email);
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('orders'));
    const [cookie] = await page.context().cookies(origin);
    expect(cookie).toMatchObject({ path: PREFIX, httpOnly: true, sameSite: 'Strict' });

    await page.locator(`a[href$="${id}"]`).first().click();
    await page.getByRole('region', { name: 'Status' }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf(`orders/${id}`));
    // The page is told by the event stream, which the proxy passes on as it comes.
    await team.post(`/v3/order/${id}/cancel`, {});
    await page.getByRole('region', { name: 'Status' }).getByText('cancelled', { exact: true }).waitFor();

    await page.goto(`${origin}/reference`);
    await page.getByText(`${origin}/v2/user`).first().waitFor();
    await page.getByRole('link', { name: 'dashboard', exact: true }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(origin);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(page.url()).toBe(dashboard.urlOf('home'));
    expect(proxy?.outside).toEqual([]);
  });

  test('a patient books a visit, and a user connects a provider', async () => {
    const { origin, proxy, team } = dashboard;
    const booking = await team.post(`/v1/order/${await orderFor(team, 'phlebotomy')}/booking_url`);
    expect(booking.json.url).toMatch(new RegExp(`^${origin}/booking`));
    const page = await dashboard.stranger();
    await page.goto(booking.json.url);
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.locator('.days a').last().click();
    await page.getByRole('radio').first().check();
    await page.getByRole('button').last().click();
    await page.locator('dd.when').waitFor();
    expect(page.url()).toMatch(new RegExp(`^${origin}/booking`));
    const portal = await team.post(`/v2/user/${await team.user()}/create_portal_url`, { context: 'launch' });
    await page.goto(portal.json.url);
    await page.getByRole('button', { name: 'Connect a provider' }).click();
    await page.getByRole('heading', { name: 'Connect your data' }).waitFor();
    expect(proxy?.outside).toEqual([]);
  });

  test('a member signs in by single sign-on, comes back to the deep link, and reads why a later one failed', async () => {
    const { service, team, proxy } = dashboard;
    const provider = await openIdentityProvider(service.clock);
    try {
      const connection = await connectProvider(service, team, provider);
      const member = await joinWithAddress(service, team, { domain: connection.domain, role: 'org_admin' });
      provider.account = { sub: 'ada', email: member.email, email_verified: true };
      const page = await dashboard.stranger({ mayAsk: [provider.issuer] });
      await page.goto(dashboard.urlOf('users?tab=all'));
      await page.getByRole('textbox', { name: 'E-mail' }).fill(member.email);
      await page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
      await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
      expect(page.url()).toBe(dashboard.urlOf('users?tab=all'));

      provider.faults = { callback: (parameters) => parameters.set('state', 'of another browser') };
      await page.goto(`${dashboard.origin}/sso?connection=${connection.id}`);
      await page.getByRole('button', { name: /Continue/ }).click();
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
      await page.getByRole('link', { name: 'Begin again' }).click();
      await page.getByRole('heading', { name: 'Sign in with your organization' }).waitFor();
      expect(proxy?.outside).toEqual([]);
    } finally {
      await provider.close();
    }
  });

  test('a passkey is added in the account and signs in without a password', async () => {
    const page = await dashboard.visit('account');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await dialog.getByLabel('Name of the passkey').fill('The laptop');
    await dialog.getByRole('button', { name: 'Add the passkey' }).click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await codes.getByRole('checkbox').check();
    await codes.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('table', { name: 'Passkeys' }).getByText('The laptop').waitFor();

    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(dashboard.urlOf('account'));
    const passkey = page.getByRole('table', { name: 'Passkeys' }).getByRole('row', { name: /The laptop/ });
    await passkey.waitFor();
    expect(await passkey.innerText()).not.toContain('Never');
  });
});
