import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';

/** Sends a file as a form. Browsers do not tell how much of a request has left; reading has a progress of its own. */
export async function uploadFile(
  userId: string,
  file: File,
): Promise<components['schemas']['WearableFile'] | undefined> {
  const form = new FormData();
  form.set('file', file);
  const { data } = await client.POST('/v2/user/{user_id}/wearable_file', {
    params: { path: { user_id: userId } },
    body: { file: [] },
    bodySerializer: () => form,
  });
  return data;
}
