import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../server/test/faults/service-process.ts';
import { order } from '../../server/test/examples.ts';
import { findLabTestId } from '../../server/test/orders.ts';
import { openReceiver, type Receiver } from '../../server/test/receiver.ts';
import { hasChromium } from './chromium.ts';
import {
  BROWSER_LIMIT_MS,
  expectAccessible,
  openDashboard,
  overflowOf,
  sidewaysScrollOf,
  type TestDashboard,
} from './open-dashboard.ts';

const RATHER_LONG = { timeout: 60_000, interval: 50 };
const openAction = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
};

describe.skipIf(!hasChromium)('Webhooks in the dashboard', { timeout: BROWSER_LIMIT_MS }, () => {
  let dashboard: TestDashboard;
  let receiver: Receiver;
  beforeAll(async () => {
    const port = String(await freePort());
    dashboard = await openDashboard({ PORT: port, PUBLIC_URL: `http://localhost:${port}` });
    receiver = await openReceiver();
  });
  const placeOrder = async () => {
    const { service, team } = dashboard;
    const placed = await team.post(
      '/v3/order',
      order(await team.user(), await findLabTestId(team, 'testkit')),
    );
    expect(placed.status, placed.text).toBe(200);
    await service.settle();
  };
  afterAll(async () => {
    await dashboard.close();
    await receiver.close();
  });

  test('an endpoint is made, tried, repaired and replayed', async () => {
    const { service } = dashboard;
    await placeOrder();
    const page = await dashboard.visit('webhooks');
    await page.getByRole('button', { name: 'Add endpoint' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add endpoint' });
    await form.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await form.getByRole('textbox', { name: 'Description' }).fill('Of the story');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('heading', { name: 'Of the story', level: 1 }).waitFor();

    // A test event fails once, and is resent by hand.
    receiver.respond = () => ({ status: 500 });
    await page.getByRole('button', { name: 'Send test event' }).click();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await service.settle();
    const log = page.getByRole('table', { name: 'Delivery attempts' });
    await log.getByText('500').first().waitFor();
    expect(await sidewaysScrollOf(page)).toBe(0);
    receiver.respond = () => ({ status: 200 });
    await log.locator('[data-row-opener]').first().click();
    const drawer = page.getByRole('dialog', { name: 'Delivery attempt' });
    await drawer.getByText('webhook-test: true').waitFor();
    await drawer.getByText(`POST ${receiver.url}`).waitFor();
    await drawer.getByText('Not in the event log').waitFor();
    await expectAccessible(page);
    await drawer.getByRole('tab', { name: 'Response' }).click();
    await drawer.getByText('ok', { exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Message sent again').waitFor();
    await expect.poll(() => receiver.received.length, RATHER_LONG).toBe(2);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
    await service.settle();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await log.getByText('200').first().waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();

    // Only new orders, and then what was missed before the endpoint existed.
    await openAction(page, 'Edit');
    const edit = page.getByRole('dialog', { name: 'Edit endpoint' });
    await edit.getByLabel('Events', { exact: true }).fill('labtest.order.created');
    await page.getByRole('option', { name: 'labtest.order.created' }).click();
    // The list of types stays open for more, and covers the button.
    await page.keyboard.press('Tab');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Endpoint changed').waitFor();
    await openAction(page, 'Send again from a time');
    const replay = page.getByRole('dialog', { name: 'Send again from a time' });
    await expectAccessible(page);
    await replay.getByRole('radio', { name: 'Missing events' }).check();
    await replay.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Missing events are being sent').waitFor();
    await service.settle();
    await expect.poll(() => receiver.received.length, RATHER_LONG).toBeGreaterThan(2);
    const types = receiver.received.slice(2).map(({ body }) => body.event_type);
    expect(types).toEqual(['labtest.order.created']);
  });

  test('an event leads to the request that caused it and to its deliveries', async () => {
    const { team } = dashboard;
    const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/webhook`;
    const { id } = (await team.management.post(base, { url: receiver.url })).json;
    await placeOrder();
    const page = await dashboard.visit('events?type=labtest.order.created');
    const events = page.getByRole('table', { name: 'Events' });
    await events.locator('[data-row-opener]').first().click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    const attempt = drawer.getByRole('link', { name: 'Attempt: success' }).first();
    await attempt.waitFor();
    await expectAccessible(page);
    await drawer.getByRole('link', { name: /^API request/ }).click();
    const requests = page.getByRole('table', { name: 'API requests' });
    await requests.getByText('/v3/order').first().waitFor();
    expect(await requests.locator('[data-row]').count()).toBe(1);

    // And back: the request to its event, the attempt to its event and the request that caused it.
    await requests.locator('[data-row-opener]').first().click();
    const caused = page.getByRole('table', { name: 'Events of this request' });
    await caused.getByRole('link', { name: 'labtest.order.created' }).waitFor();
    expect(await caused.locator('[data-row]').count()).toBe(1);
    await expectAccessible(page);
    await caused.getByRole('link', { name: 'labtest.order.created' }).click();
    await attempt.click();
    const sent = page.getByRole('dialog', { name: 'Delivery attempt' });
    await sent.getByText(`POST ${receiver.url}`).waitFor();
    await sent.getByRole('link', { name: 'labtest.order.created' }).waitFor();
    await expectAccessible(page);
    await sent.getByRole('link', { name: 'labtest.order.created' }).click();
    await attempt.waitFor();
    await page.goBack();
    await sent.getByRole('link', { name: /^API request/ }).click();
    await requests.getByText('/v3/order').first().waitFor();
    expect(await requests.locator('[data-row]').count()).toBe(1);
    await team.management.delete(`${base}/${id}`);
  });

  test('the secret is replaced, and messages carry both signatures', async () => {
    const { service, team } = dashboard;
    const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/webhook`;
    const other = await openReceiver();
    const { id } = (await team.management.post(base, { url: other.url })).json;
    const page = await dashboard.visit(`webhooks/${id}`);
    const secret = page.getByRole('region', { name: 'Signing secret' });
    await secret.getByRole('button', { name: 'Reveal' }).click();
    const shown = await secret.locator('pre').innerText();
    expect(shown).toMatch(/^whsec_/);
    await secret.getByRole('button', { name: 'Rotate' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Replace secret' }).click();
    await page.getByText('Secret replaced').waitFor();
    await secret.getByRole('button', { name: 'Reveal' }).click();
    await secret.locator('pre').waitFor();
    expect(await secret.locator('pre').innerText()).not.toBe(shown);
    await team.management.post(`${base}/${id}/test`, {});
    await service.settle();
    expect(String(other.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    await other.close();
  });

  test('an empty sandbox receives its own webhooks, fails on request, and shows the retry', async () => {
    const { service } = dashboard;
    const page = await dashboard.visit('webhooks?tab=received');
    await page.getByRole('button', { name: 'Receive webhooks here' }).click();
    await page.getByText('Nothing has arrived yet').waitFor();
    await page.getByText(`${dashboard.origin}/webhook-inbox/`).waitFor();
    await expectAccessible(page);

    await page.getByText('Answer 500').click();
    await page.getByText('The inbox now answers 500').waitFor();
    await placeOrder();
    const list = page.getByRole('table', { name: 'Received requests' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await list.getByText('500').first().waitFor();
    await page.getByText('Answer 200').click();
    await page.getByText('The inbox now answers 200').waitFor();
    service.clock.move(60_000);
    await service.settle();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await list.getByText('200').first().waitFor();
    await expectAccessible(page);

    await list.locator('[data-row-opener]').first().click();
    const drawer = page.getByRole('dialog', { name: 'Received request' });
    await drawer.getByText('webhook-signature: v1,').waitFor();
    await drawer.getByText('valid', { exact: true }).waitFor();
    await drawer.getByText('"event_type": "labtest.order.').waitFor();
    await expectAccessible(page);
    await drawer.getByRole('link', { name: 'Attempts to deliver this message' }).click();
    const log = page.getByRole('table', { name: 'Delivery attempts' });
    await expect.poll(() => log.locator('[data-row]').count()).toBe(2);

    const narrow = await dashboard.visit('webhooks?tab=received', { width: 390, height: 844 });
    await narrow.getByRole('table', { name: 'Received requests' }).waitFor();
    expect(await overflowOf(narrow)).toBe(0);
    const production = await dashboard.visit('webhooks', { environment: 'production' });
    await production.getByRole('tab', { name: 'Endpoints' }).waitFor();
    expect(await production.getByRole('tab', { name: 'Received' }).count()).toBe(0);
  });
});
