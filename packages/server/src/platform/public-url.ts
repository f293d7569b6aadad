import type { Config } from './config.ts';

/** The public URL of a path of this service. */
export const publicUrl = ({ PUBLIC_URL: base, HOST, PORT, TLS_CERT_FILE }: Config, path: string): string =>
  `${base ?? `${TLS_CERT_FILE === undefined ? 'http' : 'https'}://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`}${path}`;

/** The path below which browsers reach this service, such as `/aliquot`; empty at the root of its host. */
export const publicPrefix = (config: Config): string =>
  new URL(publicUrl(config, '')).pathname.replace(/\/$/, '');

/** A path of this service as browsers see it: a proxy may serve several programs on one host. */
export const publicPath = (config: Config, path: string): string => `${publicPrefix(config)}${path}`;

/** Whether browsers reach this service by https: then cookies are never sent in clear. */
export const isServedByHttps = (config: Config): boolean => publicUrl(config, '').startsWith('https:');
