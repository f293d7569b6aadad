import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const DESK_PAGES: readonly PageEntry[] = [
];
