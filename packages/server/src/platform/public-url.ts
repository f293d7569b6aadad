import type { Config } from './config.ts';

/** The public URL of a path of this service. */
export const publicUrl = ({ PUBLIC_URL: base, HOST, PORT }: Config, path: string): string =>
  `${base ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`}${path}`;
