import { afterAll, afterEach, beforeAll } from 'vitest';
import { lateBound } from '../../server/test/service-hooks.ts';
import { BROWSER_LIMIT_MS, openDashboard, type TestDashboard } from './open-dashboard.ts';

interface DashboardSettings {
  readonly settings?: Record<string, string>;
  /** The path below which a proxy serves it, such as `/aliquot`. */
  readonly prefix?: string;
  /** Fills the team before the first test. */
  readonly prepare?: (dashboard: TestDashboard) => Promise<void>;
}

/**
 * Opens a dashboard before the tests of a `describe` and closes it after them. The pages of a test are closed when it
 * ends, and what is wrong with them fails that test.
 */
export function useDashboard({ settings, prefix, prepare }: DashboardSettings = {}): TestDashboard {
  let opened: TestDashboard | undefined;
  beforeAll(async () => {
    opened = await openDashboard(settings, prefix);
    // The first visit waits until the pages are bundled.
    await fetch(`${opened.origin}/dashboard/sign-in`);
    await prepare?.(opened);
  }, BROWSER_LIMIT_MS);
  afterEach(() => opened?.endTest());
  afterAll(() => opened?.close());
  return lateBound(() => opened, 'The dashboard');
}
