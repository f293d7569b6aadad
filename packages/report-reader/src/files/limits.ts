export const FILE_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const;
export type FileType = (typeof FILE_TYPES)[number];

export const PAGES_MAX = 30;
export const IMAGES_MAX = 8;

/** The detected types and page count of the files of a report, or why they are refused, as a sentence for the sender. */
export type FileCheck =
  { readonly refused: string } | { readonly types: readonly FileType[]; readonly pages: number };
