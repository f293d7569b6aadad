import { z } from 'zod';
import { ImageFetchError } from '../../adapters/image-source/port.ts';
import { inTenant, type App } from '../../app.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { clearTimer, setTimer } from '../../platform/jobs/timers.ts';
import { webhookTargetScope } from '../../platform/public-address.ts';
import type { Work } from '../../platform/work.ts';
import { readTeamSettings } from '../management/management.ts';
import { InvalidLogoError, LOGO_BYTES_MAX, parseLogo, type LogoImage } from './logo-image.ts';
import * as store from './store.ts';

/** The delay after each attempt; each is longer than an attempt can take. */
const RETRY_DELAYS_MS = [1, 5, 30].map((minutes) => minutes * MINUTE).concat([2, 6, 12].map((h) => h * HOUR));
const TIMER_KEY = 'logo';

const FetchLogoInput = z.object({});

/** Fetches the image of `logo_url`. The next attempt is scheduled before this one begins, so a killed process loses none. */
export const fetchLogo: Job<App, z.output<typeof FetchLogoInput>> = defineJob({
  name: 'brand.fetch-logo',
  input: FetchLogoInput,
  canWait: true,
  isMaintenance: true,
  async run(app, tenant) {
    const begun = await inTenant(app, tenant, beginAttempt);
    if (!begun) return;
    const { url, attempt } = begun;
    try {
      const scope = webhookTargetScope(app.config, tenant.environment);
      const requiresHttps = tenant.environment === 'production';
      const bytes = await app.imageSource.fetch(url, { scope, requiresHttps, bytesMax: LOGO_BYTES_MAX });
      const image = parseLogo(bytes);
      await inTenant(app, tenant, async (work) => {
        if (await store.storeFetchedLogo(work, url, image)) await clearTimer(work, fetchLogo, TIMER_KEY);
      });
    } catch (error) {
      if (!(error instanceof ImageFetchError || error instanceof InvalidLogoError)) throw error;
      const isTemporary = error instanceof ImageFetchError && error.isTemporary;
      const delayMs = isTemporary ? RETRY_DELAYS_MS[attempt - 1] : undefined;
      await inTenant(app, tenant, (work) => recordFailure(work, url, { failure: error.message, delayMs }));
    }
  },
});

async function beginAttempt(work: Work) {
  const begun = await store.beginFetch(work, (attempt) =>
    later(work.now, RETRY_DELAYS_MS[attempt - 1] ?? HOUR),
  );
  if (begun) await scheduleAttempt(work, later(work.now, RETRY_DELAYS_MS[begun.attempt - 1] ?? HOUR));
  return begun;
}

async function recordFailure(
  work: Work,
  url: string,
  { failure, delayMs }: { failure: string; delayMs: number | undefined },
): Promise<void> {
  const nextAttemptAt = delayMs === undefined ? null : later(work.now, delayMs);
  if (!(await store.recordFetchFailure(work, url, { failure, nextAttemptAt }))) return;
  if (nextAttemptAt) await scheduleAttempt(work, nextAttemptAt);
  else await clearTimer(work, fetchLogo, TIMER_KEY);
}

const scheduleAttempt = (work: Work, dueAt: Date) =>
  setTimer(work, fetchLogo, { key: TIMER_KEY, dueAt, input: {} });

/** Fetches the image of the setting, whatever is stored; without one, removes the logo. */
export async function refetchLogo(work: Work): Promise<void> {
  const { logo_url: url } = await readTeamSettings(work);
  if (url === null) return removeLogo(work);
  await store.putWaitingLogo(work, url);
  await scheduleAttempt(work, work.now);
}

/** After a change of settings: fetches the logo if `logo_url` is another one. Clearing it keeps an uploaded logo. */
export async function followLogoUrl(work: Work): Promise<void> {
  const { logo_url: url } = await readTeamSettings(work);
  const stored = await store.findLogo(work);
  const isCurrent = url === (stored?.source_url ?? null) || (url === null && stored?.source === 'upload');
  if (!isCurrent) await refetchLogo(work);
}

/** Replaces the logo, until `logo_url` is changed or the upload deleted. */
export async function keepUploadedLogo(work: Work, image: LogoImage): Promise<void> {
  const { logo_url: url } = await readTeamSettings(work);
  await store.putUploadedLogo(work, image, url);
  await clearTimer(work, fetchLogo, TIMER_KEY);
}

export async function removeLogo(work: Work): Promise<void> {
  await store.deleteLogo(work);
  await clearTimer(work, fetchLogo, TIMER_KEY);
}
