import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { order } from '../../server/test/examples.ts';
import { findLabTestId } from '../../server/test/orders.ts';
import { isHeadlessShell } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, loadingParts, type TestDashboard } from './open-dashboard.ts';
import { compareWithSnapshot } from './picture-comparison.ts';

const MINUTE = 60_000;

const PATIENTS = ['Ada Lovelace', 'Grace Hopper', 'Mary Putnam', 'Rosalind Franklin', 'Henrietta Leavitt'];
const METHODS = ['testkit', 'walk_in_test', 'at_home_phlebotomy'];

/** Ids are random, and the fixed-width font is one of the machine: both are left out. */
const STYLE = `
  .copy-id { display: none !important; }
  *, *::before { caret-color: transparent !important; }
  :root { --mantine-font-family-monospace: 'Inter Variable' !important; }
  code, pre { font-family: 'Inter Variable' !important; }
`;

/** Playwright's own styles are inline, which the policy of the page forbids. */
const leaveOut = (page: Page): Promise<void> =>
  page.evaluate<void>(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(STYLE)});
    document.adoptedStyleSheets = [sheet];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data } = texts.currentNode;
      const known = data.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
      if (known !== data) texts.currentNode.data = known;
    }
  })()`);

const SAMPLE = 'Aliquot: orders, results & users 0123456789';
const SAMPLE_WIDTH = 330.8;

const widthOfSample = (page: Page): Promise<number> =>
  page.evaluate<number>(`(async () => {
    await document.fonts.load("16px 'Inter Variable'");
    const context = document.createElement('canvas').getContext('2d');
    context.font = "16px 'Inter Variable'";
    return context.measureText(${JSON.stringify(SAMPLE)}).width;
  })()`);

describe.skipIf(!isHeadlessShell)('The pages look as before', { timeout: BROWSER_LIMIT_MS }, () => {
  const ids: Record<string, string> = {};

  const fill = async ({ service, team }: TestDashboard) => {
    for (const [at, name] of PATIENTS.entries()) {
      const [first_name, last_name] = name.split(' ');
      const user = await team.user(`patient-${at + 1}`);
      ids['user'] ??= user;
      service.clock.move(MINUTE);
      const asked = order(user, await findLabTestId(team, METHODS[at % METHODS.length] ?? ''));
      const patient_details = { ...asked.patient_details, first_name, last_name };
      const placed = await team.post('/v3/order', { ...asked, patient_details });
      expect(placed.status, placed.text).toBe(200);
      ids['order'] ??= placed.json.order.id;
      service.clock.move(47 * MINUTE);
    }
    await service.settle();
  };
  const dashboard = useDashboard({ prepare: fill });

  const PAGES: readonly [name: string, path: string, colorScheme?: 'dark'][] = [
    ['home', 'home'],
    ['users', 'users'],
    ['user', 'users/{user}'],
    ['orders', 'orders'],
    ['order', 'orders/{order}'],
    ['order-dark', 'orders/{order}', 'dark'],
    ['catalog', 'catalog'],
    ['members', 'settings/members'],
    ['quick-start', 'developers?tab=start'],
    ['wearables-dark', 'wearables', 'dark'],
  ];

  test('at 1024 pixels', async ({ skip }) => {
    const page = await dashboard.visit('home', {
      width: 1024,
      height: 768,
      fixedTime: dashboard.service.clock.now(),
      member: { role: 'org_admin', email: 'nora@clinic.example' },
    });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const width = await widthOfSample(page);
    if (Math.abs(width - SAMPLE_WIDTH) > 1)
      skip(`The font is not that of the snapshots: ${width} pixels wide`);
    const wrong: (string | undefined)[] = [];
    for (const [name, path, colorScheme = 'light'] of PAGES) {
      await page.emulateMedia({ colorScheme });
      await page.goto(dashboard.urlOf(path.replaceAll(/\{(\w+)\}/g, (_text, id: string) => ids[id] ?? '')));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => loadingParts(page)).toBe(0);
      await page.evaluate(`document.fonts.ready`);
      await expect.poll(() => page.evaluate(`document.getAnimations().length`)).toBe(0);
      await leaveOut(page);
      wrong.push(await compareWithSnapshot(name, await page.screenshot({ caret: 'initial' })));
    }
    expect(wrong.filter((one) => one !== undefined).join('\n')).toBe('');
  });
});
