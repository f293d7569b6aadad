import type { App } from '../../app.ts';

/** For the OpenAPI document: behind the brand. */
export const headers = { 'link-token': 'The link token, in place of a key.' };

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The link token that came; empty where none did. */
export const wordIn = ({ config }: App, given: Headers): string =>
  String(given[`x-${config.BRAND}-link-token`] ?? '');
