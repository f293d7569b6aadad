import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const DEVELOPER_PAGES: readonly PageEntry[] = [
];
