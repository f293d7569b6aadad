import type { App } from '../../app.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { deleteFiles, saveFile } from './files.ts';
import { validateUpload, submitUpload, toUploadView } from './submit-upload.ts';
import { ImportWearableFileBody, WearableFileId, WearableFileUser, WearableFileView } from './schema.ts';
import { findUpload } from './store.ts';

const tag = 'Wearables';
const UPLOAD_BYTES_MAX = 1024 ** 3;

export function wearableFileRoutes(http: Http, app: App): void {
  http.upload('/v2/user/:user_id/wearable_file', {
    limits: { limitBytes: UPLOAD_BYTES_MAX, filesMax: 1 },
    bare: 'file',
    keep: (tenant, bytes) => saveFile(app, tenant, bytes),
    drop: (tenant, keys) => deleteFiles(app, tenant, keys),
    schema: {
      operationId: 'importWearableFile',
      summary: 'Import a wearable file',
      description:
        'Extension. FIT, TCX or GPX, optionally gzipped, or an Apple Health export.zip; up to 1 GiB, as a form file ' +
        'or as the request body. The format is detected from the content. The file is read asynchronously; poll its ' +
        'status. The data is stored as history: instead of daily events, one historical event is sent per resource ' +
        'and provider at the end. Importing the same file again changes nothing and sends no events.',
      tag,
      params: WearableFileUser,
      body: ImportWearableFileBody,
      response: { 200: WearableFileView },
    },
    prepare: ({ tenant, params, body }) => validateUpload(app, tenant, toSubmittedFile(params, body)),
    handler: ({ work, params, body, prepared }) =>
      submitUpload(work, toSubmittedFile(params, body), prepared),
  });
  http.get('/v2/user/:user_id/wearable_file/:file_id', {
    schema: {
      operationId: 'getWearableFile',
      summary: 'Get the status of a wearable file',
      description: 'Extension. The progress and the result of the import.',
      tag,
      params: WearableFileId,
      response: { 200: WearableFileView },
    },
    handler: async ({ work, params: { user_id: userId, file_id: id } }) =>
      toUploadView(work, requireFound(await findUpload(work, { userId, id }), 'Wearable file')),
  });
}

function toSubmittedFile(
  { user_id: userId }: { user_id: string },
  { file: [file] }: { file: readonly Parameters<typeof validateUpload>[2]['file'][] },
): Parameters<typeof validateUpload>[2] {
  if (!file) throw new Error('The schema asks for a file');
  return { userId, file };
}
