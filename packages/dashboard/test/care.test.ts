import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, loadingParts, overflowOf } from './open-dashboard.ts';

const DEMOGRAPHICS = {
  first_name: 'Maria',
  last_name: 'Alvarez',
  email: 'maria@example.com',
  phone_number: '+16025550123',
  gender: 'female',
  dob: '1986-04-12',
  address: { first_line: '123 Main Street', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' },
};

const TABS = [
  'Profile',
  'Timeline',
  'Orders',
  'Biomarkers',
  'Lab reports',
  'Daily charts',
  'Connections',
  'Devices',
  'Data sources',
  'Insurance',
];

describe.skipIf(!hasChromium)('Users, the catalog and new orders', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test('a user is created, gets demographics, is deleted and comes back', async () => {
    const page = await dashboard.visit('users');
    await page.getByRole('button', { name: 'Create user' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create user' });
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText('Client user id is missing').waitFor();
    await dialog.getByLabel('Client user id').fill('story-1');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await page.getByRole('heading', { name: 'story-1', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Add demographics' }).click();
    const form = page.getByRole('dialog', { name: 'Demographics' });
    await form.getByLabel('First name').fill('Maria');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Last name is missing').waitFor();
    await form.getByLabel('Last name').fill('Alvarez');
    await form.getByLabel('Birth date').fill('1986-04-12');
    await choose(page, form.getByRole('combobox', { name: 'Gender' }), 'Female');
    await form.getByLabel('Phone').fill('+1 602 555 0123');
    await form.getByLabel('E-mail').fill('maria@example.com');
    await form.getByLabel('Street and number').fill('123 Main Street');
    await form.getByRole('textbox', { name: 'City' }).fill('Phoenix');
    await choose(page, form.getByRole('combobox', { name: 'State' }), 'AZ');
    await form.getByLabel('ZIP code').fill('85004');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Maria Alvarez', level: 1 }).waitFor();
    // The title gets into the history of the browser.
    expect(await page.title()).toMatch(/^story-1 /);
    expect(page.url()).not.toMatch(/Maria|Alvarez|1986/);
    expect(await page.title()).not.toMatch(/Maria|Alvarez/);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete user' }).click();
    await page.getByRole('button', { name: 'Delete user' }).click();
    await page.getByRole('button', { name: 'Undo the deletion' }).click();
    await page.getByRole('heading', { name: 'Maria Alvarez', level: 1 }).waitFor();
  });

  test('every tab of a user is accessible, and fits a phone', async () => {
    const { team } = dashboard;
    const userId = await team.user('story-tabs');
    await team.post('/v2/link/connect/demo', { user_id: userId, provider: 'oura' });
    const page = await dashboard.visit(`users/${userId}`);
    for (const tab of TABS) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await page.getByRole('tabpanel').waitFor();
      await expect.poll(() => loadingParts(page)).toBe(0);
      await expectAccessible(page);
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
  });

  test('a lab test is found by its marker, copied, and retired', async () => {
    const page = await dashboard.visit('catalog?tab=markers&name=2345-7');
    await page.getByRole('cell', { name: 'Glucose', exact: true }).first().waitFor();
    await page.goto(dashboard.urlOf('catalog'));
    await page.getByRole('link', { name: 'Standard Walk-In Panel' }).click();
    await page.getByRole('heading', { name: 'Standard Walk-In Panel', level: 1 }).waitFor();
    await expect.poll(() => loadingParts(page)).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New version' }).click();
    const dialog = page.getByRole('dialog', { name: 'New version' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Walk-in panel, second version');
    expect(await dialog.getByRole('checkbox', { name: 'Retire the version before it' }).isChecked()).toBe(
      false,
    );
    await dialog.getByRole('button', { name: 'Create lab test' }).click();
    await page.getByRole('heading', { name: 'Walk-in panel, second version', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'New version' }).click();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Walk-in panel, third version');
    await dialog.getByRole('checkbox', { name: 'Retire the version before it' }).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create lab test' }).click();
    await page.getByRole('heading', { name: 'Walk-in panel, third version', level: 1 }).waitFor();
    const versions = page.getByRole('table', { name: 'Versions' }).locator('tbody').getByRole('row');
    await expect
      .poll(() => versions.allInnerTexts())
      .toMatchObject([
        expect.stringMatching(/^Standard Walk-In Panel\s+active/),
        expect.stringMatching(/^Walk-in panel, second version\s+inactive/),
        expect.stringMatching(/^Walk-in panel, third version \(this one\)\s+active/),
      ]);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: 'Walk-in panel, second version' }).click();
    await page.getByRole('heading', { name: 'Walk-in panel, second version', level: 1 }).waitFor();
    const history = page.getByRole('table', { name: 'History' }).locator('tbody').getByRole('row');
    await expect
      .poll(() => history.allInnerTexts())
      .toMatchObject([expect.stringMatching(/^Retired/), expect.stringMatching(/^Created/)]);
    await page.getByRole('link', { name: 'Walk-in panel, third version' }).click();
    await page.getByRole('heading', { name: 'Walk-in panel, third version', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Retire' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click();
    await page.getByRole('button', { name: 'Make active' }).waitFor();
    expect(await page.getByRole('button', { name: 'Retire' }).count()).toBe(0);
  });

  test('a catalog file is compared, refused with its lines, and imported when it is right', async () => {
    const example = new URL('../../../docs/examples/own-catalog.csv', import.meta.url);
    const right = await readFile(example, 'utf8');
    const page = await dashboard.visit('catalog');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Import catalog', level: 1 }).waitFor();
    const choose = async (content: string) => {
      const chosen = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Catalog file' }).click();
      const file = { name: 'catalog.csv', mimeType: 'text/csv', buffer: Buffer.from(content) };
      await (await chosen).setFiles([file]);
    };
    await choose(right.replace('6.50', 'cheap').replace('2345-7', '2345-8'));
    const faults = page.getByRole('table', { name: 'Faults' });
    await faults.getByText('expected US dollars', { exact: false }).waitFor();
    await faults.getByText('check digit', { exact: false }).waitFor();
    const [first] = await faults.locator('tbody').getByRole('row').allInnerTexts();
    expect(first).toMatch(/^\d+\s+(price|loinc)\s/);
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
    await expectAccessible(page);

    await choose(right);
    const changes = page.getByRole('table', { name: 'Changes' });
    await expect.poll(() => changes.getByText('New marker').count()).toBe(2);
    await changes.getByText('New lab').waitFor();
    const harbor = '/v3/lab_tests/markers?lab_slug=harbor_lab';
    expect((await dashboard.team.get(harbor)).json.total).toBe(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The catalog is as the file says').waitFor();
    expect((await dashboard.team.get(harbor)).json.total).toBe(2);
    await choose(right);
    await page.getByText('Nothing to import').waitFor();
  });

  test('an order is placed once, though its button is clicked twice and its answer is lost', async () => {
    const { team } = dashboard;
    const userId = await team.user('story-order');
    await team.patch(`/v2/user/${userId}/info`, DEMOGRAPHICS);
    const page = await dashboard.visit(`orders/new?user_id=${userId}`);
    await page.getByRole('button', { name: 'Choose Standard Walk-In Panel' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('The laboratory needs an answer').first().waitFor();
    await choose(page, page.getByRole('combobox', { name: /fasting/i }).first(), 'Yes');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('ZIP code').fill('8500');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('A ZIP code has five digits').waitFor();
    await page.getByLabel('ZIP code').fill('85004');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Ordering physician').first().waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Labcorp Phoenix 1 (sample)').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Next' }).click();

    // The first answer is lost on its way: the service has placed the order, and the page cannot know.
    const keys: (string | undefined)[] = [];
    await page.route('**/v3/order', async (route) => {
      keys.push(route.request().headers()['x-idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Place order' }).dblclick();
    await page.getByText('It is not known whether the order is placed').waitFor();
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.waitForURL(/orders\/[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    const { total } = (await team.get(`/v3/orders?user_id=${userId}`)).json;
    expect(total).toBe(1);
  });
});

async function choose(page: Page, field: ReturnType<Page['getByRole']>, option: string): Promise<void> {
  await field.click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
