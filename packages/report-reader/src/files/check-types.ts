import { fileTypeOf, isDeclaredTypeValid } from './file-type.ts';
import { FILE_TYPES, IMAGES_MAX, type FileType } from './limits.ts';

/** A file of an upload, with the media type that its sender declared. */
export interface ReportFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Checks the files by their first bytes alone; opens nothing, so it is safe in the service process. */
export function checkTypes(files: readonly ReportFile[]): { types: FileType[] } | { refused: string } {
  const types: FileType[] = [];
  for (const file of files) {
    const type = fileTypeOf(file.bytes);
    if (file.bytes.length === 0) return { refused: 'The file is empty' };
    if (!type)
      return { refused: `Unsupported file type: expected one of the types ${FILE_TYPES.join(', ')}` };
    if (!isDeclaredTypeValid(file.type, type))
      return { refused: `The file is declared as ${file.type.slice(0, 100)}, but is ${type}` };
    types.push(type);
  }
  const refused = refuseCombination(types);
  return refused === undefined ? { types } : { refused };
}

function refuseCombination(types: readonly FileType[]): string | undefined {
  const pdfs = types.filter((type) => type === 'application/pdf').length;
  if (types.length === 0) return 'The upload contains no file';
  if (pdfs > 0 && pdfs < types.length)
    return 'Images and a PDF cannot be one report. Upload either one PDF or images';
  if (pdfs > 1) return 'A report is one PDF, or up to 8 images';
  return types.length > IMAGES_MAX ? `A report has at most ${IMAGES_MAX} images` : undefined;
}
