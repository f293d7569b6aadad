import { describe, expect, test } from 'vitest';
import { inTenant } from '../../server/src/app.ts';
import { receiveReport } from '../../server/src/laboratories/incoming-results/incoming-results.ts';
import { createOrder } from '../../server/test/orders.ts';
import { placeOrder, reportOf } from '../../server/test/received-reports.ts';
import { inconsistentPdf, uploadReport, waitUntilRead } from '../../server/test/report-upload.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible } from './open-dashboard.ts';

describe.skipIf(!hasChromium)('Orders and desks', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard({
    prepare: async ({ team }) => {
      await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
        sandbox: { lab_report_review_enabled: true },
      });
    },
  });

  test('an order is walked to its result by clicking, and its report is shown', async () => {
    const id = await createOrder(dashboard.team, 'testkit');
    const page = await dashboard.visit(`orders/${id}`);
    await page.getByRole('button', { name: 'Next step' }).click();
    await page.getByRole('region', { name: 'Status' }).getByText('requisition created').waitFor();
    await page.getByRole('button', { name: 'Go to the result' }).click();
    await page.getByRole('table', { name: 'Results' }).waitFor();
    await page
      .getByRole('button', { name: /^History of/ })
      .first()
      .click();
    await page.getByRole('table', { name: /^History of/ }).waitFor();
    await page.getByRole('button', { name: 'Show events and webhooks' }).click();
    await page.getByRole('cell', { name: 'labtest.order.created' }).waitFor();
    await expectAccessible(page);
    expect(await dashboard.team.get(`/v3/order/${id}`)).toMatchObject({ json: { status: 'completed' } });
  });

  test('an order is cancelled, and only after it was asked', async () => {
    const id = await createOrder(dashboard.team, 'walk_in_test');
    const page = await dashboard.visit(`orders/${id}`);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('region', { name: 'Status' }).getByText('cancelled', { exact: true }).waitFor();
    expect((await dashboard.team.get(`/v3/order/${id}`)).json.status).toBe('cancelled');
  });

  test('the list keeps its filters in the URL, but never the text that may name a patient', async () => {
    const page = await dashboard.visit('orders?method=testkit');
    await page.getByText('Test kit').first().waitFor();
    await page.getByRole('textbox', { name: /^Search/ }).fill('Lovelace');
    await page.getByText(/\d orders?$/).waitFor();
    expect(page.url()).toContain('method=testkit');
    expect(page.url().toLowerCase()).not.toContain('lovelace');
  });

  test('a critical result is notified and read back', async () => {
    const id = await createOrder(dashboard.team, 'testkit');
    await dashboard.team.post(`/v3/order/${id}/test?scenario=critical_result`, {});
    const page = await dashboard.visit('desks/critical', { width: 1024, height: 768 });
    // How long is left must be in sight.
    const item = page.getByRole('list', { name: 'Critical results' });
    await item.waitFor();
    await page.getByText('US Specialty Lab,').waitFor();
    const isWide = await page.evaluate<boolean>(`(() => {
      const { clientWidth, scrollWidth } = document.querySelector('[data-row]').closest('[data-scrollarea-viewport]');
      return scrollWidth > clientWidth;
    })()`);
    expect(isWide).toBe(false);
    await page.getByLabel('Who was told').fill('Mary Putnam');
    await page.getByRole('button', { name: 'Record the notification' }).click();
    await page.getByLabel('What was repeated').fill('the value and the unit');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'It was repeated correctly' }).click();
    await page.getByText('No critical result waits').waitFor();
    const { json } = await dashboard.team.get(`/v3/order/${id}/critical_results`);
    expect(json.data).toMatchObject([{ status: 'acknowledged', notifications: [{ read_back: true }] }]);
  });

  test('an unmatched result is compared with its order, and attached after it was asked', async () => {
    const { service, team } = dashboard;
    const ordered = await placeOrder(service, team, { userId: await team.user() });
    const report = reportOf(ordered, { placerOrderId: null, sampleIds: ['UNKNOWN-1'] });
    await inTenant(service.app, team.tenant, (work) => receiveReport(work, report, { messageId: 'm' }));
    const page = await dashboard.visit('desks/unmatched');
    await page.getByRole('table', { name: 'Report and order side by side' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('Say why it is rejected').waitFor();
    await page.getByRole('button', { name: 'Attach to the chosen order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Attach the result' }).click();
    await page.getByText('Every result has its order').waitFor();
    expect((await team.get('/v3/unmatched_result?status=matched')).json.data).toHaveLength(1);
  });

  const uploaded = async (): Promise<string> => {
    const { json } = await uploadReport(dashboard.service, dashboard.team, {
      files: [{ bytes: await inconsistentPdf() }],
      fields: { user_id: await dashboard.team.user(), needs_human_review: 'true' },
    });
    return (await waitUntilRead(dashboard.team, json.id)).id;
  };

  test('a doubtful report is finished with the keyboard alone', async () => {
    const id = await uploaded();
    const page = await dashboard.visit('desks/reports');
    await page.getByRole('link', { name: `Report …${id.slice(-8)}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1 doubts to decide.').waitFor();
    await page.getByRole('img', { name: 'Page 1 of the report' }).waitFor();
    await page.getByRole('button', { name: 'Glucose on the page' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: /^Value as printed/ }).fill('62');
    await page.keyboard.press('Enter');
    await page.getByText('All 1 doubts are decided.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('This report is reviewed').waitFor();
    const { json } = await dashboard.team.get(`/lab_report/v1/parser/job/${id}`);
    expect(json.data.results.at(-1)).toMatchObject({
      test_name: 'Glucose',
      value: '62',
      interpretation: 'abnormal',
    });
  });

  test('the second of two reviewers overwrites nothing and sees what the first did', async () => {
    const id = await uploaded();
    const page = await dashboard.visit(`desks/reports/${id}`);
    await page.getByText('1 of 1 doubts to decide.').waitFor();
    await page.keyboard.press('x');
    await page.getByText('All 1 doubts are decided.').waitFor();
    await dashboard.team.post(`/lab_report/v1/parser/job/${id}/review`, {
      reviewer: 'the faster one',
      corrections: [{ line: 0, set: { value: '141' } }],
    });
    // Either the page was told already, or the service refuses it.
    await page.keyboard.press('Control+Enter');
    await page.getByText('Another person finished this report first').waitFor();
    await page.getByText('Remove Glucose').waitFor();
    const { json } = await dashboard.team.get(`/lab_report/v1/parser/job/${id}`);
    expect(json.data.results.map(({ test_name: name }: { test_name: string }) => name)).toContain('Glucose');
  });
});
