import { vi } from 'vitest';
import { waitUntilRead } from './report-upload.ts';
import type { RouteSamples } from './route-samples.ts';

/** Waits until the uploads of the route samples are read, which happens in the background and adds rows. */
export async function waitForUploads({ owner, theirs }: RouteSamples): Promise<void> {
  await waitUntilRead(owner, theirs['job_id'] ?? '');
  const path = `/v2/user/${theirs['user_id']}/wearable_file/${theirs['file_id']}`;
  await vi.waitFor(
    async () => {
      const { json } = await owner.get(path);
      if (json.status !== 'completed') throw new Error(`The upload is ${json.status}`);
    },
    { timeout: 50_000, interval: 20 },
  );
}
