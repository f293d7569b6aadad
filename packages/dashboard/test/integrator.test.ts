import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { patient, shipping } from '../../server/test/examples.ts';
import { connectLab, openMllpListeners, resultText, sendLabMessage } from '../../server/test/laboratory.ts';
import { createOrder, findLabTestId } from '../../server/test/orders.ts';
import { gpxRun } from '../../server/test/wearable-files.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, overflowOf, sidewaysScrollOf } from './open-dashboard.ts';

describe.skipIf(!hasChromium)('What an integrator does', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  const choose = async (page: Page, name: string, option: string) => {
    await page.getByRole('combobox', { name }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  const shows = async (page: Page, text: string) => (await page.content()).includes(text);

  /** The value of a new key, which is shown once. */
  const storeKey = async (page: Page): Promise<string> => {
    const dialog = page.getByRole('dialog', { name: 'Your new API key' });
    const value = await dialog.locator('pre').innerText();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    return value.trim();
  };

  test('a key with a scope is created and rotated, and does what its scope says', async () => {
    const page = await dashboard.visit('developers');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByLabel('Label').fill('Reports');
    await choose(page, 'Areas', 'users');
    await page.keyboard.press('Escape');
    await form.getByRole('switch', { name: 'Read only' }).check();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Create key' }).click();
    const first = await storeKey(page);
    const api = dashboard.service.client({ 'x-service-api-key': first });
    expect((await api.get('/v2/user')).status).toBe(200);
    expect((await api.post('/v2/user', { client_user_id: 'refused' })).status).toBe(403);
    expect((await api.get('/v3/orders')).status).toBe(403);

    const row = page.getByRole('row', { name: /Reports/ });
    await row.getByText('Read only').waitFor();
    await page.getByRole('table', { name: 'Management keys' }).waitFor();
    expect(await sidewaysScrollOf(page)).toBe(0);
    await page.getByRole('button', { name: 'Actions for Reports' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await choose(page, 'How long the old key keeps working', 'Not at all');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const second = await storeKey(page);
    expect(second).not.toBe(first);
    expect((await dashboard.service.client({ 'x-service-api-key': second }).get('/v2/user')).status).toBe(
      200,
    );
    await expect.poll(async () => (await api.get('/v2/user')).status).toBe(401);

    await page.getByRole('tab', { name: 'Quick start' }).click();
    await page.getByText(`${dashboard.origin}/v3/order/ORDER_ID/test`).waitFor();
    await page.getByRole('tab', { name: 'Python' }).first().click();
    await page.getByText('import').first().waitFor();
  });

  test('an operation is tried with a form, and its request is found in the log', async () => {
    const page = await dashboard.visit('reference?op=createUser');
    await page.getByRole('textbox', { name: 'Body' }).fill('{"client_user_id": "tried"}');
    await page.getByRole('button', { name: 'Send POST' }).click();
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('200 OK').waitFor();
    await answer.getByText('"client_user_id": "tried"').waitFor();
    await page.getByRole('textbox', { name: 'Body' }).fill('{"client_user_id": 7}');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await answer.getByText(/^422/).waitFor();
    await answer.getByRole('tab', { name: 'Headers' }).click();
    await answer.getByText(/x-request-id/).waitFor();
    await expectAccessible(page);

    await page.goto(dashboard.urlOf('requests?status=4xx'));
    await page.getByLabel('Operation').fill('createUser');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/operation=createUser/);
    const log = page.getByRole('table', { name: 'API requests' });
    // The log is written in batches, and the page does not ask again without an event.
    await expect
      .poll(async () => {
        await dashboard.team.user();
        return log.getByText('POST /v2/user').count();
      })
      .toBe(1);
    expect(await sidewaysScrollOf(page)).toBe(0);
    await log.getByText('POST /v2/user').click();
    const details = page.getByRole('dialog', { name: 'API request' });
    await details.getByRole('table', { name: 'Where the request was wrong' }).waitFor();
    await details.getByText('body.client_user_id').waitFor();
    await expectAccessible(page);
  });

  test('credentials of a provider are set, and a file of a device is imported', async () => {
    const { team } = dashboard;
    const userId = await team.user('runner');
    await team.post('/v2/link/connect/demo', { user_id: userId, provider: 'oura' });
    const page = await dashboard.visit('wearables');
    await page.getByRole('table', { name: 'Connections' }).getByText('oura').waitFor();
    await page.getByRole('tab', { name: 'Provider credentials' }).click();
    await page.getByRole('button', { name: 'Set credentials' }).first().click();
    const form = page.getByRole('dialog', { name: 'Set provider credentials' });
    await form.getByRole('button', { name: 'What must I enter at the provider?' }).click();
    await form.getByText('/v2/link/callback/oura').waitFor();
    await form.getByLabel('Client id').fill('our-application');
    await form.getByLabel('Client secret').fill('a secret of ours');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Save' }).click();
    const row = page
      .getByRole('table', { name: 'Provider credentials' })
      .getByRole('row', { name: /our-application/ });
    await row.getByText('Set', { exact: true }).waitFor();
    expect(await shows(page, 'a secret of ours')).toBe(false);

    await page.getByRole('tab', { name: 'Import a file' }).click();
    await page.getByLabel('User id').fill(userId);
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'File' }).click();
    const run = { name: 'run.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from(gpxRun()) };
    await (await chosen).setFiles([run]);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('status').getByText('completed').waitFor();
    await page
      .getByRole('table', { name: 'What was imported' })
      .getByText('workout', { exact: false })
      .first()
      .waitFor();
    await expectAccessible(page);
  });

  test('a broker is connected, and its password is not shown again', async () => {
    const page = await dashboard.visit('webhooks?tab=brokers');
    await page.getByRole('button', { name: 'Connect a broker' }).click();
    const form = page.getByRole('dialog', { name: 'Event destinations' });
    await form.getByRole('checkbox', { name: 'RabbitMQ' }).check();
    await form.getByLabel('Exchange').fill('health');
    await form.getByLabel('URI').fill('https://broker.example.com');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('URI').fill('amqps://aliquot:violet-harbor@broker.example.com/health');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByText(/broker\.example\.com.*→ health/).waitFor();
    expect(await shows(page, 'violet-harbor')).toBe(false);
    await page.getByRole('button', { name: 'Change settings' }).click();
    await form.getByLabel('Exchange').fill('health-2');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/broker\.example\.com.*→ health-2/).waitFor();
  });

  test('a dead letter of a laboratory is read by its fields and tried again', async () => {
    const { service, team } = dashboard;
    const connection = await connectLab(team);
    const line = await openMllpListeners(service.app);
    try {
      await sendLabMessage({ line, connection }, resultText(connection).replace(/\rOBR[^\r]*/, ''));
    } finally {
      await line.stop();
    }
    const page = await dashboard.visit('laboratories');
    await page.getByRole('link', { name: 'LabCorp Burlington' }).first().click();
    await page.getByText('Dead letters', { exact: true }).click();
    await page.getByText('Expected an OBR: the message reports nothing').click();
    const drawer = page.getByRole('dialog', { name: 'Laboratory message' });
    await drawer.getByText('Lovelace', { exact: false }).first().waitFor();
    await expectAccessible(page);
    await drawer.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The message is tried again').waitFor();
    await service.settle();
    const { json } = await team.management.get(`${connection.path}/message?status=dead`);
    expect(json.data).toHaveLength(1);
  });

  test('a laboratory is simulated: results of an order arrive, and a message of nobody waits', async () => {
    const { service, team } = dashboard;
    const orderId = await createOrder(team, 'walk_in_test');
    const { lab_test: labTest } = (await team.get(`/v3/order/${orderId}`)).json;
    const connection = await connectLab(team, { name: 'Simulated here', lab: labTest.lab.slug });
    const page = await dashboard.visit('laboratories');
    await page.getByRole('button', { name: 'Simulate a message' }).click();
    expect(await sidewaysScrollOf(page)).toBe(0);
    const form = page.getByRole('dialog', { name: 'Simulate a message' });
    const choice = form.getByRole('combobox', { name: 'Connection' });
    if ((await choice.count()) > 0) {
      await choice.click();
      await page.getByRole('option', { name: /^Simulated here/ }).click();
    }
    await form.getByRole('combobox', { name: 'Order id' }).click();
    await page.getByRole('option', { name: orderId }).click();
    await choose(page, 'Results', 'critical');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL(new RegExp(`laboratories/${connection.id}\\?message=`));
    const drawer = page.getByRole('dialog', { name: 'Laboratory message' });
    await drawer.getByText('ORU^R01', { exact: false }).first().waitFor();
    await service.settle();
    expect((await team.get(`/v3/order/${orderId}`)).json).toMatchObject({
      status: 'completed',
      interpretation: 'critical',
    });
    await drawer.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Simulate a message' }).click();
    await form.getByText('A message of your own').click();
    const text = form.getByRole('textbox', { name: 'Message' });
    await text.fill('MSH|^~\\&|OTHER|OTHER|OTHER|OTHER|2026||ORU^R01|1|P|2.5.1');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('Refused with AR: The parties in MSH-3', { exact: false }).waitFor();
    await expectAccessible(page);
    const nobody = resultText(connection, { id: 'NOBODY', name: 'Unheard^Of' });
    await text.fill(nobody.replaceAll('\r', '\n'));
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
    await form.getByRole('button', { name: 'Send' }).click();
    await drawer.getByText('Unheard', { exact: false }).first().waitFor();
    await service.settle();
    await page.goto(dashboard.urlOf('desks/unmatched'));
    await page.getByText('Unheard', { exact: false }).first().waitFor();
  });

  test('a kit that was sent is registered for its patient', async () => {
    const { team } = dashboard;
    const sent = await team.post('/v3/order/testkit', {
      user_id: await team.user('kit'),
      lab_test_id: await findLabTestId(team, 'testkit'),
      shipping_details: shipping,
    });
    const { id, sample_id: sample } = sent.json.order;
    await team.post(`/v3/order/${id}/test?final_status=with_customer`);
    await dashboard.service.settle();
    const page = await dashboard.visit(`orders/${id}`);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Register kit' }).click();
    const form = page.getByRole('dialog', { name: 'Register kit' });
    expect(await form.getByLabel('Sample id').inputValue()).toBe(sample);
    await form.getByLabel('First name').fill(patient.first_name);
    await form.getByLabel('Last name').fill(patient.last_name);
    await form.getByLabel('Date of birth').fill('1985-12-10');
    await form.getByLabel('Phone').fill(patient.phone_number);
    await form.getByLabel('E-mail').fill(patient.email);
    await form.getByLabel('Street and number').fill('1 Main St');
    await form.getByLabel('City').fill('Troy');
    await form.getByLabel('State').fill('NY');
    await form.getByLabel('ZIP code').fill('12180');
    await choose(page, 'Gender', 'female');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Register' }).click();
    await form.waitFor({ state: 'hidden' });
    const { json } = await team.get(`/v3/order/${id}`);
    expect(json.patient_details).toMatchObject({ first_name: patient.first_name });
  });

  test('in production, what cannot be undone is asked for, and the bar of the sandbox is missing', async () => {
    const sandboxOrder = await createOrder(dashboard.team, 'walk_in_test');
    const page = await dashboard.visit(`orders/${sandboxOrder}`);
    const background = async () => {
      await page.locator('.environment-bar').waitFor();
      return page.evaluate<string>(
        `getComputedStyle(document.querySelector('.environment-bar')).backgroundImage`,
      );
    };
    expect(await background()).toContain('gradient');
    await page.goto(dashboard.urlOf('reference?op=createUser', 'production'));
    expect(await background()).toBe('none');
    await page.getByText('As you, in production.').waitFor();
    await page.getByRole('textbox', { name: 'Body' }).fill('{"client_user_id": "a-real-person"}');
    await page.getByRole('button', { name: 'Send POST' }).click();
    const question = page.getByRole('dialog', { name: 'Send this in production?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await page.getByRole('region', { name: 'Answer' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send POST' }).click();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('200 OK').waitFor();
    await page.goto(dashboard.urlOf('users', 'production'));
    await page.getByRole('link', { name: 'a-real-person' }).waitFor();
  });
});
