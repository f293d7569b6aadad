import { describe, expect, test } from 'vitest';
import { bookAppointment, freeSlots, orderFor } from '../../server/test/appointments.ts';
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
  address: { first_line: '1 Main St', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' },
};

describe.skipIf(!hasChromium)('Lists', { timeout: BROWSER_LIMIT_MS }, () => {
  const ids: Record<string, string> = {};
  const dashboard = useDashboard({
    prepare: async ({ team, service }) => {
      const userId = await team.user('client-1815');
      ids['user'] = userId;
      await team.patch(`/v2/user/${userId}/info`, DEMOGRAPHICS);
      await team.post('/v2/link/connect/demo', { user_id: userId, provider: 'oura' });
      const [slot] = await freeSlots(team, 'phlebotomy');
      await bookAppointment(team, 'phlebotomy', await orderFor(team, 'phlebotomy'), {
        ...(slot && { slot }),
      });
      await service.settle();
    },
  });

  // The part of a row that a reader looks for, and what it says there.
  test.each([
    ['orders', 'Orders', 'Ada Lovelace', 'appointment scheduled'],
    ['appointments?view=list&since=all', 'Appointments', 'Ada Lovelace', 'confirmed'],
    ['users', 'Users', 'Maria Alvarez', 'Oura'],
    ['users/{user}?tab=connections', 'Connections', 'Oura', 'connected'],
    ['catalog', 'Lab tests', 'Standard Health Kit', 'active'],
    ['events', 'Events', 'labtest.order.created', 'labtest.order.created'],
    ['settings/members', 'Members', 'member-', 'active'],
  ])('%s show their state on a phone without scrolling sideways', async (path, label, row, state) => {
    const page = await dashboard.visit(path.replace('{user}', ids['user'] ?? ''), {
      width: 390,
      height: 844,
    });
    const table = page.getByRole('table', { name: label, exact: true });
    const card = table.getByRole('row').filter({ hasText: row }).first();
    const shown = card.getByText(state).first();
    await shown.waitFor();
    await expect.poll(() => loadingParts(page)).toBe(0);
    const box = await shown.boundingBox();
    expect(box).not.toBeNull();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(
      await table.evaluate(
        (node: { scrollWidth: number; clientWidth: number }) => node.scrollWidth - node.clientWidth,
      ),
    ).toBe(0);
    await expectAccessible(page);
  });

  test('users have their names, by one request for the page', async () => {
    const page = await dashboard.visit('home');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(dashboard.urlOf('users'));
    const row = page.getByRole('row').filter({ hasText: 'client-1815' });
    await row.getByText('Maria Alvarez').waitFor();
    expect(asked.filter((path) => path === '/v1/users/names').length).toBe(1);
    expect(asked.filter((path) => path.endsWith('/info/latest'))).toEqual([]);
    await page.getByRole('textbox', { name: 'Search users' }).fill('client-1815');
    await page.getByRole('table', { name: 'Users found' }).getByText('Maria Alvarez').waitFor();
    await page.getByRole('link', { name: 'Maria Alvarez' }).click();
    await page.waitForURL(`**/users/${ids['user']}`);
    expect(page.url()).not.toContain('Maria');
  });
});
