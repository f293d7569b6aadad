import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { orderFor } from '../../server/test/appointments.ts';
import { hasChromium } from './chromium.ts';
import { useDashboard } from './dashboard-hooks.ts';
import { BROWSER_LIMIT_MS, expectAccessible, loadingParts, overflowOf } from './open-dashboard.ts';

const EMAIL = 'maria-fernanda.alvarez.de-la-cruz@outpatient.harborhealth.example';
const DEMOGRAPHICS = {
  first_name: 'Maria',
  last_name: 'Alvarez',
  email: EMAIL,
  phone_number: '+16025550123',
  gender: 'female',
  dob: '1986-04-12',
  address: {
    first_line: '548 Market Street',
    city: 'San Francisco',
    state: 'CA',
    zip: '94104',
    country: 'US',
  },
};

/** The words of the address on the page that are on two lines: they were broken. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const texts = document.createTreeWalker(document.querySelector('.email-text > span'), NodeFilter.SHOW_TEXT);
    const broken = [];
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/[\\w.]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size !== 1) broken.push(word[0]);
      }
    }
    return broken;
  })()`);

/** Chooses a day and the first free time of it in the slot picker. */
async function chooseSlot(place: Page | Locator, nth: number): Promise<void> {
  const day = place.getByRole('group', { name: 'Day' }).getByRole('button').nth(nth);
  await day.click();
  expect(await day.getAttribute('aria-pressed')).toBe('true');
  const time = place.getByRole('group', { name: 'Time' }).locator('button:enabled').first();
  await time.click();
  expect(await time.getAttribute('aria-pressed')).toBe('true');
}

describe.skipIf(!hasChromium)('Visits and patients in the dashboard', { timeout: BROWSER_LIMIT_MS }, () => {
  const dashboard = useDashboard();

  test('a visit is booked and rescheduled by the same choice of a day and a time', async () => {
    const id = await orderFor(dashboard.team, 'phlebotomy');
    const page = await dashboard.visit(`orders/${id}`);
    await page.getByRole('button', { name: 'Book an appointment' }).click();
    const booking = page.getByRole('dialog', { name: 'Book an appointment' });
    await booking.getByText('Times are local times of the place').waitFor();
    expect(await booking.getByRole('button', { name: 'Book', exact: true }).isDisabled()).toBe(true);
    await chooseSlot(booking, 2);
    await expectAccessible(page);
    await booking.getByRole('button', { name: 'Book', exact: true }).click();
    await booking.waitFor({ state: 'hidden' });
    await dashboard.service.settle();
    await page.reload();
    const time = page.getByRole('row', { name: 'At the place' });
    const booked = await time.innerText();

    await page.getByRole('button', { name: 'Reschedule', exact: true }).click();
    const moving = page.getByRole('dialog', { name: 'Reschedule the appointment' });
    await chooseSlot(moving, 3);
    // The time that was chosen is none of the day that is shown.
    await moving.getByRole('group', { name: 'Day' }).getByRole('button').first().click();
    expect(await moving.getByRole('button', { name: 'Reschedule', exact: true }).isDisabled()).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await chooseSlot(moving, 4);
    await moving.getByRole('button', { name: 'Reschedule', exact: true }).click();
    await moving.waitFor({ state: 'hidden' });
    await dashboard.service.settle();
    await page.reload();
    await expect.poll(() => time.innerText()).not.toBe(booked);
  });

  test('a long e-mail address breaks between its words, and is copied in full', async () => {
    const { team } = dashboard;
    const userId = await team.user();
    await team.patch(`/v2/user/${userId}/info`, DEMOGRAPHICS);
    const id = await orderFor(team, 'phlebotomy', {
      more: { patient_details: { ...DEMOGRAPHICS, address: undefined } },
    });
    const page = await dashboard.visit(`orders/${id}`);
    for (const path of [`orders/${id}`, `users/${userId}`]) {
      await page.goto(dashboard.urlOf(path));
      const address = page.getByTitle(EMAIL);
      await address.first().waitFor();
      await expect.poll(() => loadingParts(page)).toBe(0);
      for (const width of [390, 1024, 1440]) {
        await page.setViewportSize({ width, height: 844 });
        await expect.poll(() => overflowOf(page)).toBeLessThanOrEqual(0);
        expect([path, width, await brokenWords(page)]).toEqual([path, width, []]);
      }
    }
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: `Copy ${EMAIL}` }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(EMAIL);
    await expectAccessible(page);
  });

  test('a new order books its visit by that choice, too: in a sandbox the requisition is simulated for it', async () => {
    const { team } = dashboard;
    const userId = await team.user();
    await team.patch(`/v2/user/${userId}/info`, { ...DEMOGRAPHICS, email: 'maria@example.com' });
    const tests = (await team.get('/v3/lab_tests?collection_method=at_home_phlebotomy')).json;
    const page = await dashboard.visit(`orders/new?user_id=${userId}`);
    await page.getByRole('button', { name: `Choose ${tests[0].name}` }).click();
    const next = page.getByRole('button', { name: 'Next' });
    const days = page.getByRole('group', { name: 'Day' });
    await next.click();
    for (let step = 0; step < 4 && (await days.count()) === 0; step += 1) {
      const question = page.getByRole('combobox', { name: /fasting/i }).first();
      if (await question.isVisible()) {
        await question.click();
        await page.getByRole('option', { name: 'Yes', exact: true }).click();
      }
      await next.click();
      await expect.poll(() => loadingParts(page)).toBe(0);
    }
    await days.waitFor();
    await chooseSlot(page, 2);
    await page.getByText('Chosen', { exact: true }).waitFor();
    // The chosen one stays while another day is shown.
    await days.getByRole('button').first().click();
    await page.getByText('Chosen', { exact: true }).waitFor();
    await expectAccessible(page);
    await next.click();
    await page.getByRole('button', { name: 'Place order' }).waitFor();
    expect(await page.getByRole('row', { name: 'Visit' }).innerText()).toMatch(
      /\d:\d\d\s[AP]M P[DS]T, At home, 548 Market Street, San Francisco/,
    );
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.waitForURL(/orders\/[0-9a-f-]{36}$/);
    await dashboard.service.settle();
    await page.reload();
    const appointment = page.getByRole('region', { name: 'Appointment' });
    await appointment.getByText('confirmed', { exact: true }).waitFor();
    const orderId = page.url().split('/').at(-1) ?? '';
    const { json } = await team.get(`/v3/order/${orderId}/phlebotomy/appointment`);
    expect(json).toMatchObject({ status: 'confirmed', address: { first_line: '548 Market Street' } });
  });
});
