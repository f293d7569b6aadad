import type { App } from '../../app.ts';
import { found } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { dropFiles, keepFile } from './files.ts';
import { checkHandIn, handIn, viewUpload } from './hand-in.ts';
import { ImportWearableFile, WearableFileId, WearableFileUser, WearableFileView } from './schema.ts';
import { findUpload } from './store.ts';

const tag = 'Wearables';
const UPLOAD_BYTES_MAX = 1024 ** 3;

export function wearableFileRoutes(http: Http, app: App): void {
  http.upload('/v2/user/:user_id/wearable_file', {
    limits: { limitBytes: UPLOAD_BYTES_MAX, filesMax: 1 },
    bare: 'file',
    keep: (tenant, bytes) => keepFile(app, tenant, bytes),
    drop: (tenant, keys) => dropFiles(app, tenant, keys),
    schema: {
      operationId: 'importWearableFile',
      summary: 'Hand in a file of a wearable to be read',
      description:
        'Ours. FIT, TCX or GPX, plain or packed with gzip, or the export.zip of Apple Health; up to 1 GiB, as the file ' +
        'of a form or as the whole body. What it is, is told by its bytes. It is stored as history: no daily event ' +
        'tells of it, but one historical event for each resource and provider when it is read; its status says when ' +
        'it is done. The same file again changes nothing and tells nothing.',
      tag,
      params: WearableFileUser,
      body: ImportWearableFile,
      response: { 200: WearableFileView },
    },
    prepare: ({ tenant, params, body }) => checkHandIn(app, tenant, handedIn(params, body)),
    handler: ({ work, params, body, prepared }) => handIn(work, handedIn(params, body), prepared),
  });
  http.get('/v2/user/:user_id/wearable_file/:file_id', {
    schema: {
      operationId: 'getWearableFile',
      summary: 'How the reading of a file goes, and what came of it',
      description: 'Ours.',
      tag,
      params: WearableFileId,
      response: { 200: WearableFileView },
    },
    handler: async ({ work, params: { user_id: userId, file_id: id } }) =>
      viewUpload(work, found(await findUpload(work, { userId, id }), 'Wearable file')),
  });
}

function handedIn(
  { user_id: userId }: { user_id: string },
  { file: [file] }: { file: readonly Parameters<typeof checkHandIn>[2]['file'][] },
): Parameters<typeof checkHandIn>[2] {
  if (!file) throw new Error('The schema asks for a file');
  return { userId, file };
}
