import { describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, loadingParts, overflowOf } from './open-dashboard.ts';

interface Entry {
  readonly path: string;
  readonly title: string;
  readonly group?: string;
  readonly permissions?: readonly string[];
}

// By its URL: the table imports components, which are checked with the types of a browser.
const table = new URL('../src/pages.ts', import.meta.url).href;
const { PAGES } = (await import(table)) as { PAGES: readonly Entry[] };

/** Pages that need no object. */
const LISTS = PAGES.filter(({ path }) => !path.includes('$'));

const ROLES = ['administrator', 'developer', 'operations', 'clinician', 'readonly', 'support'] as const;

const memberWith = (role: string) => ({
  role: 'no_role',
  roles: [{ role, team_id: null, environment: null }],
});

interface Attention {
  readonly page: string;
  readonly pathOf?: (ids: object) => string | undefined;
}

const attentionTable = new URL('../src/pages/home/attention.ts', import.meta.url).href;
const { ATTENTION_TEXTS } = (await import(attentionTable)) as {
  ATTENTION_TEXTS: Readonly<Record<string, Attention>>;
};

test.each(Object.entries(ATTENTION_TEXTS))(
  '%s on the home page leads to pages that exist',
  (_kind, { page, pathOf }) => {
    const patterns = PAGES.map(({ path }) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`));
    const isPage = (path: string) => patterns.some((pattern) => pattern.test(path));
    expect(isPage(page)).toBe(true);
    const ofItem = pathOf?.({ id: 'i', order_id: 'o', user_id: 'u' });
    expect(isPage(ofItem ?? page)).toBe(true);
  },
);

test('the home page has words for every kind of item', async () => {
  const { ATTENTION_KINDS } = await import('../../server/src/overview/attention.ts');
  expect(Object.keys(ATTENTION_TEXTS).toSorted()).toEqual([...ATTENTION_KINDS].toSorted());
});

describe.skipIf(!hasChromium)('The pages of the dashboard', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test.each(LISTS)('$path shows its title, is accessible, and fits a phone', async ({ path, title }) => {
    const page = await dashboard.visit(path);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await expect.poll(() => loadingParts(page)).toBe(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
  });

  test.each(ROLES)('the navigation of %s offers what the role may open, and nothing else', async (role) => {
    const page = await dashboard.visit('home', { member: memberWith(role) });
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const access = (await page.evaluate(`fetch('/v1/session/access').then((answer) => answer.json())`)) as {
      teams: { sandbox: string[] }[];
    };
    const held = new Set(access.teams[0]?.sandbox);
    const permitted = ({ permissions }: Entry) => !permissions || permissions.some((one) => held.has(one));
    const inNavigation = PAGES.filter(({ group }) => group !== undefined);
    const offered = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
    expect(offered.toSorted()).toEqual(
      inNavigation
        .filter(permitted)
        .map(({ title }) => title)
        .toSorted(),
    );
    const [refused] = inNavigation.filter((entry) => !permitted(entry));
    if (!refused) return;
    await page.goto(dashboard.urlOf(refused.path));
    await page.getByText('Your role does not include this page').waitFor();
  });

  test('sandbox and production are told apart, and each shows its own', async () => {
    await dashboard.team.user('only-in-sandbox');
    const page = await dashboard.visit('users');
    await page.getByRole('link', { name: 'only-in-sandbox' }).waitFor();
    await page.getByText('Production', { exact: true }).click();
    await page.waitForURL(/\/production\/home$/);
    await page.goto(dashboard.urlOf('users', 'production'));
    await page.getByText('No users yet').waitFor();
    expect(await page.getByText('only-in-sandbox').count()).toBe(0);
  });

  test('a team of another organization is a page that does not exist', async () => {
    const other = await dashboard.service.team();
    const page = await dashboard.visit('home');
    await page.goto(dashboard.urlOf('users').replace(dashboard.team.tenant.teamId, other.tenant.teamId));
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  });
});
