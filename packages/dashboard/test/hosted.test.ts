import { mkdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { orderFor } from '../../server/test/appointments.ts';
import { createOrder, simulateOrder } from '../../server/test/orders.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, overflowOf } from './open-dashboard.ts';

/** Set it to a folder to look at the pages: a picture of each language, width and theme. */
const PICTURES = process.env['HOSTED_PICTURES'];

const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt'] as const;

/** A sentence of each page in each language, as a patient reads it. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  link: [
    'Connect your data',
    'Ihre Daten verbinden',
    'Connecter vos données',
    'Conecte sus datos',
    'Conecte os seus dados',
  ],
  portal: ['Your connections', 'Ihre Verbindungen', 'Vos connexions', 'Sus conexiones', 'As suas conexões'],
  booking: [
    'Book your home visit',
    'Hausbesuch buchen',
    'Réserver votre visite à domicile',
    'Reserve su visita a domicilio',
    'Marque a sua visita em casa',
  ],
  results: ['Your results', 'Ihre Ergebnisse', 'Vos résultats', 'Sus resultados', 'Os seus resultados'],
};

// Ten runs of axe in one test take their time on a busy machine.
describe.skipIf(!hasChromium)('The hosted pages', { timeout: BROWSER_LIMIT_MS }, () => {
  let paths: Readonly<Record<string, string>>;
  const pathOf = (url: string) => `${new URL(url).pathname}${new URL(url).search}`;

  const dashboard = useDashboard({
    prepare: async ({ team }) => {
      const brand_information = {
        company_name: 'Harbor Health',
        brand_color: '#0d6e6e',
        support_email: 'care@harbor.example',
        support_contact: '+1 415 555 0100',
        company_address: '1 Harbor Way\nSan Francisco, CA 94104',
      };
      const set = await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
        sandbox: { patient_results_enabled: true, brand_information },
      });
      if (set.status !== 200) throw new Error(set.text);
      const user = await team.user();
      await team.post('/v2/link/connect/demo', { user_id: user, provider: 'fitbit' });
      const portal = await team.post(`/v2/user/${user}/create_portal_url`, { context: 'launch' });
      const link = await team.post('/v2/link/token', { user_id: await team.user() });
      const finished = await createOrder(team);
      await simulateOrder(team, finished, 'completed', {
        interpretation: 'abnormal',
        has_missing_results: true,
      });
      const results = await team.post(`/v1/order/${finished}/result_url`);
      const booking = await team.post(`/v1/order/${await orderFor(team, 'phlebotomy')}/booking_url`);
      const center = await team.post(`/v1/order/${await orderFor(team, 'psc')}/booking_url`);
      paths = {
        link: pathOf(link.json.link_web_url),
        portal: pathOf(portal.json.url),
        booking: pathOf(booking.json.url),
        results: pathOf(results.json.url),
        center: pathOf(center.json.url),
      };
    },
  });

  const open = (path = '') => `${dashboard.origin}${path}`;

  async function picture(page: Page, name: string): Promise<void> {
    if (PICTURES === undefined) return;
    await mkdir(PICTURES, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [390, 1024]) {
        await page.setViewportSize({ width, height: 844 });
        await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
    }
  }

  async function expectFits(page: Page): Promise<void> {
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    }
  }

  test.each(Object.keys(HEADINGS))('/%s is accessible and fits a phone, in five languages', async (name) => {
    const page = await dashboard.stranger({ width: 390, height: 844 });
    for (const [at, language] of LANGUAGES.entries()) {
      await page.goto(open(`${paths[name]}&lang=${language}`));
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(HEADINGS[name]?.[at]);
      await expectFits(page);
      await expectAccessible(page);
      if (at < 2) await picture(page, `${name}-${language}`);
    }
  });

  test('the language menu changes the language, and forms keep it', async () => {
    const page = await dashboard.stranger({ width: 390, height: 844 });
    await page.goto(open(paths['portal']));
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByRole('button', { name: 'Anbieter verbinden' }).click();
    await page.getByRole('heading', { name: 'Ihre Daten verbinden' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
  });

  test('a patient books a home visit, moves and cancels it', async () => {
    const page = await dashboard.stranger({ width: 390, height: 844 });
    await page.goto(open(paths['booking']));
    await page.locator('.days a').last().click();
    await page.getByRole('radio').first().focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Notes for the visit').fill('Ring twice');
    await page.getByRole('button', { name: 'Book this appointment' }).click();
    await page.getByText('Your appointment is booked.').waitFor();
    const before = await page.locator('dd.when').textContent();
    await expectFits(page);
    await expectAccessible(page);
    await picture(page, 'booked-en');
    await page.getByRole('link', { name: 'Choose another time' }).click();
    await page.locator('.days a').last().click();
    await page.getByRole('radio').last().check();
    await picture(page, 'move-en');
    await page.getByRole('button', { name: 'Move to this time' }).click();
    await page.getByText('Your appointment is moved.').waitFor();
    expect(await page.locator('dd.when').textContent()).not.toBe(before);
    await page.getByRole('link', { name: 'Cancel the appointment' }).click();
    await expectFits(page);
    await expectAccessible(page);
    await picture(page, 'cancel-en');
    await page.getByText('I am ill').click();
    await page.getByRole('button', { name: 'Cancel the appointment' }).click();
    await page.getByText('Your appointment is cancelled.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Book another appointment' }).click();
    await page.getByRole('heading', { name: 'Book your home visit' }).waitFor();
    expect(await page.locator('.days a').count()).toBeGreaterThan(0);
  });

  test('a patient books at a center nearby', async () => {
    const page = await dashboard.stranger({ width: 390, height: 844 });
    await page.goto(open(paths['center']));
    await expectFits(page);
    await expectAccessible(page);
    await picture(page, 'center-en');
    await page.locator('.centers a').first().click();
    await page.getByRole('radio').first().check();
    await picture(page, 'center-slots-en');
    await page.getByRole('button', { name: 'Book this appointment' }).click();
    await page.getByText('Your appointment is booked.').waitFor();
    expect(await page.locator('dd.when').textContent()).toMatch(/\d{4}/);
  });

  test('a link that is not valid says so', async () => {
    const page = await dashboard.stranger({ width: 390, height: 844 });
    await page.goto(open('/results?token=made-up&lang=de'));
    await page.getByRole('heading', { name: 'Dieser Link ist ungültig' }).waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await expectAccessible(page);
  });
});
