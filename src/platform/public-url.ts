import type { Config } from './config.ts';

/** A path of this service as it is called from outside. */
export const publicUrl = ({ PUBLIC_URL: base, HOST, PORT }: Config, path: string): string =>
  `${base ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`}${path}`;
