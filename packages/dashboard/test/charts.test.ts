import { describe, expect, test } from 'vitest';
import { isoTimestamp, later, MINUTE } from '../../server/src/platform/clock.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible } from './open-dashboard.ts';

describe.skipIf(!hasChromium)('Charts', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test('a drag zooms all charts of the page, the URL keeps it, and back zooms out', async () => {
    const page = await dashboard.visit('home');
    const figure = page.getByRole('figure').first();
    await figure.waitFor();
    await figure.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0 } = (await figure.boundingBox()) ?? {};
    await page.mouse.move(x + width * 0.5, y + 80);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.7, y + 80, { steps: 4 });
    await page.mouse.move(x + width * 0.8, y + 80, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/zoom=\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d$/);
    const [, from = '', to = ''] = /zoom=(.*)\.\.(.*)$/.exec(page.url()) ?? [];
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
    expect(days).toBeGreaterThan(3);
    expect(days).toBeLessThan(20);
    // The same days for readers who do not see the chart.
    await page.getByRole('button', { name: /^Show as table: Results received/ }).click();
    const rows = page.getByRole('table', { name: /^Results received/ }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(days + 1);
    await expectAccessible(page);
    await page.reload();
    await page.getByRole('button', { name: 'Reset zoom' }).first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Reset zoom' }).first().waitFor({ state: 'hidden' });
    expect(page.url()).not.toContain('zoom=');
  });

  test('the samples that devices sent are counted by day, in whole numbers', async () => {
    const { team, service } = dashboard;
    const data = [1, 2, 3].map((minutes) => ({
      timestamp: isoTimestamp(later(service.clock.now(), -minutes * MINUTE)),
      value: 60 + minutes,
    }));
    const body = { source: { provider: 'apple_health_kit', type: 'watch' }, data };
    const pushed = await team.post(`/v2/timeseries/${await team.user()}/heartrate`, body);
    expect(pushed.status, pushed.text).toBe(200);
    const page = await dashboard.visit('home');
    const chart = page.getByRole('figure', { name: /^Samples of devices: 3 samples received/ });
    await chart.waitFor();
    await chart.scrollIntoViewIfNeeded();
    const numbers = async () =>
      (await chart.locator('svg text').allTextContents()).filter((tick) => /^[\d.,]+$/.test(tick));
    await expect.poll(numbers).toContain('3');
    expect((await numbers()).filter((tick) => !/^\d+$/.test(tick))).toEqual([]);
    await page.getByRole('button', { name: /^Show as table: Samples of devices/ }).click();
    const last = page
      .getByRole('table', { name: /^Samples of devices/ })
      .getByRole('row')
      .last();
    await expect.poll(() => last.innerText()).toMatch(/\b3\t0$/);
    await expectAccessible(page);
  });

  test('the keyboard chooses a time range by two lists', async () => {
    const page = await dashboard.visit('home');
    await page.getByRole('button', { name: /^Time range: Results received/ }).press('Enter');
    await page.getByLabel('From').selectOption({ index: 4 });
    await page.getByLabel('To').selectOption({ index: 9 });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show this time' }).press('Enter');
    await page.waitForURL(/zoom=/);
    await page.getByRole('button', { name: /^Show as table: Results received/ }).press('Enter');
    const rows = page.getByRole('table', { name: /^Results received/ }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(7);
    await page.getByRole('button', { name: 'Reset zoom' }).first().press('Enter');
    await expect.poll(() => rows.count()).toBe(31);
  });
});
