import type { App } from '../../app.ts';
import { readBrandedHeader } from '../../platform/branded-headers.ts';

/** For the OpenAPI document, without the `x-<brand>-` prefix. */
export const linkTokenHeaders = { 'link-token': 'The link token, instead of an API key.' };

export type LinkRequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The link token of a request; empty if there is none. */
export const readLinkToken = ({ config }: App, given: LinkRequestHeaders): string =>
  String(readBrandedHeader(config, given, 'link-token').value ?? '');
