import type { FileType } from './limits.ts';

const startsWith = (bytes: Buffer, signature: readonly number[]): boolean =>
  signature.every((byte, index) => bytes[index] === byte);

const JPEG = [0xff, 0xd8, 0xff];
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** A PDF may have other bytes before its header; PDF readers search this far. */
const PDF_HEAD_WITHIN = 1024;

/** Detects the type of a file from its bytes; undefined for unsupported types. */
export function fileTypeOf(bytes: Buffer): FileType | undefined {
  if (startsWith(bytes, JPEG)) return 'image/jpeg';
  if (startsWith(bytes, PNG)) return 'image/png';
  return bytes.subarray(0, PDF_HEAD_WITHIN).includes('%PDF-') ? 'application/pdf' : undefined;
}

const DECLARED_TYPES: Readonly<Record<string, FileType>> = {
  'application/pdf': 'application/pdf',
  'application/x-pdf': 'application/pdf',
  'image/jpeg': 'image/jpeg',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/png': 'image/png',
};
/** Media types that clients send when they do not know the type. */
const UNDECLARED = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** Whether the declared media type is right, or says nothing. */
export const isDeclaredTypeValid = (declared: string, type: FileType): boolean => {
  const said = declared.toLowerCase().split(';', 1)[0]?.trim() ?? '';
  return UNDECLARED.has(said) || DECLARED_TYPES[said] === type;
};
