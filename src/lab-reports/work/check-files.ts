import { loadImage } from '@napi-rs/canvas';
import { decodePicture } from '../ocr/decode.ts';
import { BadPicture, headOf } from '../ocr/ocr.ts';
import { checkTypes, type GivenFile } from './check-types.ts';
import { openPdf } from './pdf.ts';
import { PAGES_MAX, type Checked, type FileType } from './protocol.ts';

/** Whether these files may be one report: by their bytes, and by opening them. */
export async function checkFiles(files: readonly GivenFile[]): Promise<Checked> {
  const seen = checkTypes(files);
  if ('refused' in seen) return seen;
  return seen.types[0] === 'application/pdf'
    ? checkPdf(files[0]?.bytes ?? Buffer.alloc(0))
    : checkImages(files, seen.types);
}

async function checkPdf(bytes: Buffer): Promise<Checked> {
  try {
    const pdf = await openPdf(bytes);
    const { info } = await pdf.getMetadata();
    if (info.EncryptFilterName) return { refused: ENCRYPTED };
    const pages = pdf.numPages;
    if (pages > PAGES_MAX) return { refused: `The PDF has ${pages} pages, and ${PAGES_MAX} are the most` };
    if (pages < 1) return { refused: CORRUPT };
    await pdf.getPage(1);
    return { types: ['application/pdf'], pages };
  } catch (error) {
    return { refused: error instanceof Error && error.name === 'PasswordException' ? ENCRYPTED : CORRUPT };
  }
}

const ENCRYPTED = 'The PDF is encrypted';
const CORRUPT = 'The PDF is corrupt';

async function checkImages(files: readonly GivenFile[], types: FileType[]): Promise<Checked> {
  for (const [index, { bytes }] of files.entries()) {
    const fault = await faultOf(bytes);
    if (fault !== undefined) return { refused: `Image ${index + 1} does not decode: ${fault}` };
  }
  return { types, pages: files.length };
}

/** Its frame first, which also bounds its pixels; then a decoder, of which the one for JPEG may take the process along. */
async function faultOf(bytes: Buffer): Promise<string | undefined> {
  try {
    const { kind } = headOf(bytes);
    const image = kind === 'png' ? (await decodePicture(bytes)).original : await loadImage(bytes);
    return image.width > 0 && image.height > 0 ? undefined : 'it has no size';
  } catch (error) {
    return error instanceof BadPicture ? error.message : 'it is broken';
  }
}
