import { describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS } from './open-dashboard.ts';

describe.skipIf(!hasChromium)('The pages of a test', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test('fail the test in which they log an error, and no later one', async () => {
    const page = await dashboard.visit('home');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.evaluate(`console.error('it went wrong')`);
    await page.evaluate(`fetch('https://elsewhere.example/').catch(() => {})`);
    const wrong = await dashboard.endTest().catch(String);
    expect(wrong).toContain('it went wrong');
    expect(wrong).toContain('elsewhere.example');
    expect(page.isClosed()).toBe(true);
    await dashboard.endTest();
  });
});
