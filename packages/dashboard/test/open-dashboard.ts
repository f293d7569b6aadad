import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openSession } from '../../server/src/identity/accounts/accounts.ts';
import { joinOrganization } from '../../server/test/members.ts';
import { openTestService, type TestService, type TestTeam } from '../../server/test/service.ts';
import { openChromium, releaseChromium } from './chromium.ts';
import { openPathProxy, type PathProxy } from './path-proxy.ts';

/**
 * Only ends tests that hang. A page is drawn by the processor, and axe looks at each tab in turn: on a machine that does
 * something else as well, a story takes minutes.
 */
export const BROWSER_LIMIT_MS = 240_000;

/** A whole service that browsers can visit. */
export interface TestDashboard {
  readonly service: TestService;
  readonly team: TestTeam;
  /** Where browsers reach the service: `http://localhost:40123`, with the prefix of a proxy. */
  readonly origin: string;
  /** The proxy in front, where the dashboard has a prefix. */
  readonly proxy: PathProxy | undefined;
  /** A page in a browser of its own, in which nobody is signed in. */
  stranger(options?: VisitOptions): Promise<Page>;
  /** A page in a browser of its own, in which a new member with this role is signed in, at a path of the team. */
  visit(path: string, options?: MemberOptions): Promise<Page>;
  /** The URL of a page of the team: `orders` is `…/dashboard/TEAM/sandbox/orders`. */
  urlOf(path: string, environment?: 'sandbox' | 'production'): string;
  /** Closes the pages. Fails if one of them logged an error, asked another host or got an answer of 5xx. */
  endTest(): Promise<void>;
  /** Closes everything, and fails as `endTest` does for what happened after it. */
  close(): Promise<void>;
}

interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Where the clock of the browser stands still. */
  readonly fixedTime?: Date;
  /** Other origins that the story leads to. */
  readonly mayAsk?: readonly string[];
}

interface MemberOptions extends VisitOptions {
  /** As the invite names it: `org_admin` by default, or `no_role` with `roles`. */
  readonly member?: Record<string, unknown>;
  readonly environment?: 'sandbox' | 'production';
}

let members = 0;

export async function openDashboard(
  settings: Record<string, string> = {},
  prefix?: string,
): Promise<TestDashboard> {
  const proxy = prefix === undefined ? undefined : await openPathProxy(prefix);
  const service = await openTestService({ ...settings, ...(proxy && { PUBLIC_URL: proxy.url }) });
  const team = await service.team();
  await service.http.server.listen({ port: Number(settings['PORT'] ?? 0), host: '127.0.0.1' });
  const { port } = service.http.server.server.address() as AddressInfo;
  if (proxy) proxy.target = port;
  const origin = proxy?.url ?? `http://localhost:${port}`;
  const browser = await openChromium();
  const complaints: string[] = [];
  const contexts: { close(): Promise<void> }[] = [];
  const urlOf = (path: string, environment = 'sandbox') =>
    `${origin}/dashboard/${team.tenant.teamId}/${environment}/${path}`;

  const stranger = async ({
    width = 1440,
    height = 900,
    colorScheme = 'light',
    fixedTime,
    mayAsk = [],
  }: VisitOptions = {}) => {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      locale: 'en-US',
      timezoneId: 'America/New_York',
      reducedMotion: 'reduce',
    });
    contexts.push(context);
    const page = await context.newPage();
    if (fixedTime) await page.clock.setFixedTime(fixedTime);
    watch(page, [origin, ...mayAsk], complaints);
    return page;
  };

  /** The pages go first: one that is left would ask a service that stops, or do the work of each later test, too. */
  const endTest = async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    const wrong = complaints.splice(0);
    // Not by `expect`, whose message shortens a list.
    if (wrong.length > 0) throw new Error(`The pages of this test did wrong:\n${wrong.join('\n')}`);
  };

  return {
    service,
    team,
    origin,
    proxy,
    urlOf,
    stranger,
    endTest,
    visit: async (path, { member = { role: 'org_admin' }, environment, ...options } = {}) => {
      const page = await stranger(options);
      const email = `member-${(members += 1)}@example.com`;
      const id = await joinOrganization(service, team, { email, ...member });
      const origins = { method: 'password', address: '192.0.2.1', userAgent: 'Chromium' } as const;
      const { cookie } = await openSession(service.app, id, origins);
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split(/=(.*)/);
      await page.context().addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
      await page.goto(urlOf(path, environment));
      return page;
    },
    close: async () => {
      try {
        await endTest();
      } finally {
        await releaseChromium();
        await proxy?.close();
        await service.close();
      }
    },
  };
}

/** What no page may do, whatever a test looks at. A refused request that a test causes is not one of them. */
function watch(page: Page, origins: readonly string[], complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() !== 'error' || /Failed to load resource/.test(message.text())) return;
    complaints.push(`${page.url()}: console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    const isOwn = origins.some((origin) => url === origin || url.startsWith(`${origin}/`));
    if (!isOwn && !/^(?:data|blob):/.test(url)) complaints.push(`${page.url()}: asked ${url}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${page.url()}: ${response.status()} of ${response.url()}`);
  });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** Runs axe-core over the page as it is shown, in the light and the dark theme: WCAG 2.2 A and AA. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Colors that still change would be measured halfway.
    await expect.poll(() => page.evaluate(`document.getAnimations().length`)).toBe(0);
    // A page that was looked at before has it.
    if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axeSource);
    const result = await page.evaluate<AxeResult>(
      `axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        resultTypes: ['violations'],
      })`,
    );
    const found = result.violations.map(
      ({ id, help, nodes }) =>
        `${colorScheme}: ${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
    );
    expect(found).toEqual([]);
  }
}

/** How many parts of the page show that their data are still on their way. */
export const loadingParts = (page: Page): Promise<number> =>
  page.getByRole('status', { name: 'Loading' }).count();

/** By how many pixels the page is wider than its window. Charts follow the width of their place a moment later. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');

/** By how many pixels the tables of the page are wider than their places, at the width of a small laptop. */
export async function sidewaysScrollOf(page: Page): Promise<number> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1024, height: 768 });
  const excess =
    await page.evaluate<number>(`Math.max(...[...document.querySelectorAll('table')].map((table) => {
    const place = table.closest('.mantine-TableScrollContainer-scrollContainer');
    return place ? place.scrollWidth - place.clientWidth : 0;
  }))`);
  if (before) await page.setViewportSize(before);
  return excess;
}
