import { loadImage } from '@napi-rs/canvas';
import { rethrowMemoryFailure } from '../memory-failure.ts';
import { decodeImage } from '../ocr/decode.ts';
import { InvalidImageError, readImageHeader } from '../ocr/ocr.ts';
import { checkTypes, type ReportFile } from './check-types.ts';
import { openPdf } from './pdf.ts';
import { PAGES_MAX, type FileCheck, type FileType } from './limits.ts';

/** Checks whether the files can be one report: by their first bytes, then by opening them. */
export async function checkFiles(files: readonly ReportFile[]): Promise<FileCheck> {
  const seen = checkTypes(files);
  if ('refused' in seen) return seen;
  return seen.types[0] === 'application/pdf'
    ? checkPdf(files[0]?.bytes ?? Buffer.alloc(0))
    : checkImages(files, seen.types);
}

async function checkPdf(bytes: Buffer): Promise<FileCheck> {
  try {
    const pdf = await openPdf(bytes);
    const pages = pdf.numPages;
    if (pages > PAGES_MAX) return { refused: `The PDF has ${pages} pages; the limit is ${PAGES_MAX}` };
    if (pages < 1) return { refused: CORRUPT };
    await pdf.getPage(1);
    return { types: ['application/pdf'], pages };
  } catch (error) {
    rethrowMemoryFailure(error);
    return { refused: error instanceof Error && error.name === 'PasswordException' ? ENCRYPTED : CORRUPT };
  }
}

const ENCRYPTED =
  'The PDF needs a password to open, as it is encrypted. Remove the password and upload it again';
const CORRUPT = 'The PDF is corrupt';

async function checkImages(files: readonly ReportFile[], types: FileType[]): Promise<FileCheck> {
  for (const [index, { bytes }] of files.entries()) {
    const fault = await findImageFault(bytes);
    if (fault !== undefined) return { refused: `Image ${index + 1} does not decode: ${fault}` };
  }
  return { types, pages: files.length };
}

/** Checks the header first, which also limits the pixels, then decodes. The JPEG decoder may crash the process. */
async function findImageFault(bytes: Buffer): Promise<string | undefined> {
  try {
    const { kind } = readImageHeader(bytes);
    const image = kind === 'png' ? (await decodeImage(bytes)).original : await loadImage(bytes);
    return image.width > 0 && image.height > 0 ? undefined : 'the image has no size';
  } catch (error) {
    rethrowMemoryFailure(error);
    return error instanceof InvalidImageError ? error.message : 'the image is damaged';
  }
}
