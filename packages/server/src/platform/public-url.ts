import type { Config } from './config.ts';

/** The public URL of a path of this service. */
export const publicUrl = ({ PUBLIC_URL: base, HOST, PORT, TLS_CERT_FILE }: Config, path: string): string =>
  `${base ?? `${TLS_CERT_FILE === undefined ? 'http' : 'https'}://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`}${path}`;

/** Whether browsers reach this service by https: then cookies are never sent in clear. */
export const isServedByHttps = (config: Config): boolean => publicUrl(config, '').startsWith('https:');
