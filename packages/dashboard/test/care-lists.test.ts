import { describe, expect, test } from 'vitest';
import { bookAppointment, freeSlots, orderFor } from '../../server/test/appointments.ts';
import { order } from '../../server/test/examples.ts';
import { createOrder, findLabTestId } from '../../server/test/orders.ts';
import { inconsistentPdf, reportPdf, uploadReport, waitUntilRead } from '../../server/test/report-upload.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, loadingParts, overflowOf } from './open-dashboard.ts';

describe.skipIf(!hasChromium)('Lists of care', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard({
    prepare: async ({ team }) => {
      await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
        sandbox: { lab_report_review_enabled: true },
      });
    },
  });

  const upload = async (
    userId: string,
    bytes: Buffer,
    fields: Record<string, string> = {},
  ): Promise<string> => {
    const { service, team } = dashboard;
    const { json } = await uploadReport(service, team, {
      files: [{ bytes }],
      fields: { user_id: userId, ...fields },
    });
    return (await waitUntilRead(team, json.id)).id;
  };

  test('the calendar and the list have every appointment of the range, without a request for each', async () => {
    const { team } = dashboard;
    const free = await freeSlots(team, 'phlebotomy');
    const shared = free.filter(({ num_appointments_available: count }) => count > 1)[0];
    const day = (shared?.start ?? '').slice(0, 10);
    const later = free.filter(({ start }) => start > (shared?.start ?? '') && start.startsWith(day))[0];
    // Two at once, and one after them.
    for (const slot of [shared, shared, later])
      await bookAppointment(team, 'phlebotomy', await orderFor(team, 'phlebotomy'), { slot });
    const page = await dashboard.visit(`appointments?day=${day}`);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const inGrid = page.getByRole('button', { name: /Ada Lovelace/ });
    const cards = page.getByRole('link', { name: 'Ada Lovelace' });
    await expect.poll(() => inGrid.count()).toBe(3);
    const [first, second, third] = await Promise.all([0, 1, 2].map((nth) => inGrid.nth(nth).boundingBox()));
    expect(second?.y).toBe(first?.y);
    expect(second?.x).toBeGreaterThanOrEqual((first?.x ?? 0) + (first?.width ?? 0));
    expect(third?.y).toBeGreaterThan(first?.y ?? 0);
    await expectAccessible(page);
    await inGrid.first().focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: /Ada Lovelace/ })
      .getByText('confirmed')
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => cards.count()).toBe(0);
    await page.getByText('Day', { exact: true }).click();
    await expect.poll(() => inGrid.count()).toBe(3);
    await page.goto(dashboard.urlOf('appointments'));
    await page.getByText('Now', { exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(dashboard.urlOf(`appointments?day=${day}`));
    await expect.poll(() => cards.count()).toBe(3);
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByText('List', { exact: true }).click();
    await page.getByRole('table', { name: 'Appointments' }).waitFor();
    await expect.poll(() => cards.count()).toBe(3);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
    expect(requests.filter((path) => path.startsWith('/v3/order'))).toEqual([]);
    await page.getByRole('button', { name: 'Cancel appointment' }).first().click();
    await page.getByRole('dialog', { name: 'Cancel the appointment' }).waitFor();
  });

  test('a user without demographics and insurance has no failed request', async () => {
    const userId = await dashboard.team.user('story-nothing');
    const page = await dashboard.visit('users');
    const failed: string[] = [];
    page.on('response', (response) => response.status() >= 400 && failed.push(response.url()));
    await page.goto(dashboard.urlOf(`users/${userId}`));
    await page.getByText('No demographics yet').waitFor();
    await page.getByRole('tab', { name: 'Insurance' }).click();
    await page.getByText('No primary insurance').waitFor();
    await page.getByRole('button', { name: 'Add insurance' }).first().click();
    await page.getByRole('dialog', { name: 'Primary insurance' }).waitFor();
    expect(failed).toEqual([]);
  });

  test('a user is found by the beginning of the name on an order', async () => {
    const { team } = dashboard;
    const named = await team.user('story-named');
    await createOrder(team, 'testkit', { user_id: named });
    await team.user('story-unnamed');
    const page = await dashboard.visit('users');
    await page.getByLabel('Search users').fill('lovel');
    await expect.poll(() => page.getByText('story-unnamed').count()).toBe(0);
    await page.getByRole('row').filter({ hasText: 'story-named' }).waitFor();
    await page.getByLabel('Search users').fill('ovelace');
    await page.getByText('No user found').waitFor();
  });

  test('biomarkers come from orders and lab reports, each with its source', async () => {
    const { team } = dashboard;
    const userId = await team.user('story-markers');
    const placed = await team.post('/v3/order', order(userId, await findLabTestId(team, 'testkit')));
    await team.post(`/v3/order/${placed.json.order.id}/test`);
    await upload(userId, await reportPdf());
    const waiting = await upload(userId, await reportPdf([['Glucose', '140', 'H', 'mg/dL', '70 - 99']]), {
      needs_human_review: 'true',
    });
    const page = await dashboard.visit(`users/${userId}?tab=biomarkers`);
    await page
      .getByRole('button', { name: /^Glucose/ })
      .first()
      .click();
    await page.getByText('In review, not confirmed').waitFor();
    await page.getByText('From uploaded lab reports').waitFor();
    await page.getByRole('table', { name: 'Values of Glucose' }).getByText('in review').waitFor();
    await expect.poll(() => loadingParts(page)).toBe(0);
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Lab reports' }).click();
    await page.getByRole('link', { name: `Report …${waiting.slice(-8)}` }).click();
    await page.waitForURL(`**/desks/reports/${waiting}*`);
    expect(page.url()).not.toMatch(/glucose/i);
  });

  test('a LOINC code is found by a synonym and chosen with the keyboard', async () => {
    const { team } = dashboard;
    const id = await upload(await team.user(), await inconsistentPdf(), { needs_human_review: 'true' });
    const page = await dashboard.visit(`desks/reports/${id}`);
    await page.getByText('1 of 1 doubts to decide.').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    const field = page.getByRole('textbox', { name: /^LOINC code/ });
    await field.fill('globulos rojos');
    await page.getByRole('option', { name: /^789-8/ }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toMatch(/^\d+-\d$/);
    const chosen = await field.inputValue();
    await page.getByRole('textbox', { name: /^Value as printed/ }).press('Enter');
    await page.getByText('All 1 doubts are decided.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('This report is reviewed').waitFor();
    const { json } = await team.get(`/lab_report/v1/parser/job/${id}`);
    const codes = json.data.results.map(
      ({ loinc_matches: matches }: { loinc_matches: { loinc_code: string }[] | null }) =>
        matches?.[0]?.loinc_code,
    );
    expect(codes).toContain(chosen);
  });

  test('the chosen row of a desk stays, with what was typed, when a more urgent one comes in', async () => {
    const { service, team } = dashboard;
    const critical = async () => {
      const orderId = await createOrder(team, 'testkit');
      await team.post(`/v3/order/${orderId}/test?scenario=critical_result`, {});
      await service.settle();
      const { json } = await team.get(`/v3/order/${orderId}/critical_results`);
      return String(json.data[0].id);
    };
    const first = await critical();
    const page = await dashboard.visit('desks/critical');
    await page.waitForURL(`**/desks/critical?selected=${first}`);
    await page.getByLabel('Who was told').fill('Mary Put');
    const second = await critical();
    const makeUrgent =
      "update critical_result set escalation_due_at = escalation_due_at - interval '1 hour' where id = $1";
    await service.ownerPool.query(makeUrgent, [second]);
    // An event makes the page read its lists again.
    await createOrder(team, 'testkit');
    await service.settle();
    await page.getByText('Something more urgent came in').waitFor({ timeout: BROWSER_LIMIT_MS });
    expect(await page.getByLabel('Who was told').inputValue()).toBe('Mary Put');
    expect(page.url()).toContain(first);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open it' }).click();
    await page.waitForURL(`**/desks/critical?selected=${second}`);
    expect(await page.getByLabel('Who was told').inputValue()).toBe('');
  });
});
