import { z } from 'zod';
import { isoTimestampOrNull } from '../../platform/clock.ts';
import { uploadedFiles } from '../../platform/http/multipart.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { LOGO_MEDIA_TYPES } from './logo-image.ts';
import type { LogoRow } from './store.ts';

export const UploadLogoBody = z.object({
  file: uploadedFiles().max(1).describe('A PNG, JPEG or WebP image.'),
});

export const BrandLogoView = z
  .object({
    state: z
      .enum(['none', 'waiting', 'stored', 'failed'])
      .describe('`waiting`: it is being fetched. `failed`: it cannot be fetched, and no attempt follows.'),
    source: z.enum(['url', 'upload']).nullable().describe('Fetched from `logo_url`, or uploaded.'),
    url: z.string().nullable().describe('The `logo_url` that is fetched.'),
    media_type: z.enum(LOGO_MEDIA_TYPES).nullable(),
    width: z.int().nullable().describe('In pixels.'),
    height: z.int().nullable(),
    size: z.int().nullable().describe('In bytes.'),
    stored_at: Timestamp.nullable(),
    attempts: z.int().describe('How often fetching was tried.'),
    failure: z.string().nullable().describe('Why the last attempt failed.'),
    next_attempt_at: Timestamp.nullable(),
  })
  .meta({ id: 'BrandLogo' });

export const toLogoView = (row: LogoRow | undefined): z.input<typeof BrandLogoView> => ({
  state: row?.state ?? 'none',
  source: row?.source ?? null,
  url: row?.source === 'url' ? row.source_url : null,
  media_type: row?.media_type ?? null,
  width: row?.width ?? null,
  height: row?.height ?? null,
  size: row?.size ?? null,
  stored_at: isoTimestampOrNull(row?.stored_at ?? null),
  attempts: row?.attempts ?? 0,
  failure: row?.failure ?? null,
  next_attempt_at: isoTimestampOrNull(row?.next_attempt_at ?? null),
});
