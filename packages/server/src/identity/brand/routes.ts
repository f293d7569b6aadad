import { DomainError, requireFound } from '../../platform/errors.ts';
import { download } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import type { UploadedFile } from '../../platform/http/multipart.ts';
import { keepUploadedLogo, refetchLogo } from './fetch-logo.ts';
import { InvalidLogoError, LOGO_BYTES_MAX, parseLogo, type LogoImage } from './logo-image.ts';
import { BrandLogoView, toLogoView, UploadLogoBody } from './schema.ts';
import { findLogo, findLogoContent } from './store.ts';

const LOGO_PATH = '/v1/brand/logo';
const tag = 'Team';

export function brandRoutes(http: Http): void {
  readRoutes(http);
  changeRoutes(http);
}

function readRoutes(http: Http): void {
  http.get(LOGO_PATH, {
    schema: {
      operationId: 'getBrandLogo',
      summary: 'Get the state of the logo',
      description:
        'Extension. The service fetches the image of `logo_url` after the setting has changed, and sends it to patients ' +
        'itself. A failed attempt is repeated for about 20 hours, unless repeating cannot help.',
      tag,
      response: { 200: BrandLogoView },
    },
    handler: async ({ work }) => toLogoView(await findLogo(work)),
  });
  http.get(`${LOGO_PATH}/image`, {
    schema: {
      operationId: 'getBrandLogoImage',
      summary: 'Get the image of the logo',
      description: 'Extension. 404 without a logo, and while it is still to be fetched.',
      tag,
      response: { 200: download() },
    },
    handler: async ({ work }) => {
      const { mediaType, bytes } = requireFound(await findLogoContent(work), 'Logo');
      const name = `logo.${mediaType.slice('image/'.length)}`;
      return { name, mediaType, isAttachment: true as const, render: async () => bytes };
    },
  });
}

function changeRoutes(http: Http): void {
  http.upload(LOGO_PATH, {
    limits: { limitBytes: LOGO_BYTES_MAX, filesMax: 1 },
    bare: 'file',
    // A logo is small, and becomes a column of its row: its key is the image itself.
    keep: async (_tenant, bytes) => (await collectBytes(bytes)).toString('base64'),
    drop: async () => {},
    schema: {
      operationId: 'uploadBrandLogo',
      summary: 'Upload the logo',
      description:
        'Extension. A PNG, JPEG or WebP image of at most 512 KB and 1,000,000 pixels, as a form or as the whole body. It ' +
        'replaces the image of `logo_url`, until that setting is changed. 400 for another type or a damaged image.',
      tag,
      body: UploadLogoBody,
      response: { 200: BrandLogoView },
    },
    handler: async ({ work, body }) => {
      await keepUploadedLogo(work, toLogoImage(body.file));
      return toLogoView(await findLogo(work));
    },
  });
  http.delete(LOGO_PATH, {
    schema: {
      operationId: 'deleteBrandLogo',
      summary: 'Delete the stored logo',
      description: 'Extension. With a `logo_url`, its image is fetched again, also after it has failed.',
      tag,
      response: { 200: BrandLogoView },
    },
    handler: async ({ work }) => {
      await refetchLogo(work);
      return toLogoView(await findLogo(work));
    },
  });
}

async function collectBytes(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

function toLogoImage([file]: readonly UploadedFile[]): LogoImage {
  try {
    return parseLogo(Buffer.from(file?.key ?? '', 'base64'));
  } catch (error) {
    if (error instanceof InvalidLogoError) throw new DomainError('bad_request', error.message);
    throw error;
  }
}
