import { join } from 'node:path';
import type { Config } from '../../platform/config.ts';
import { createFolderStorage } from './folder.ts';
import type { FileStorage } from './port.ts';
import { createS3Storage } from './s3.ts';

/** The configured S3 bucket, or a folder in DATA_DIR. */
export function createFileStorage(config: Config): FileStorage {
  const {
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY_ID: id,
    S3_SECRET_ACCESS_KEY: secret,
  } = config;
  if (bucket === undefined) return createFolderStorage(join(config.DATA_DIR, 'files'));
  return createS3Storage({
    bucket,
    region: config.S3_REGION,
    prefix: config.S3_PREFIX,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(id === undefined || secret === undefined
      ? {}
      : { credentials: { accessKeyId: id, secretAccessKey: secret } }),
  });
}

/** Where scheduled backups are stored: BACKUP_FOLDER, or the file storage. */
export const createBackupStorage = (config: Config): FileStorage =>
  config.BACKUP_FOLDER === undefined ? createFileStorage(config) : createFolderStorage(config.BACKUP_FOLDER);
