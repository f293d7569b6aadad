import type { Config } from '../config.ts';
import { publicPath } from '../public-url.ts';
import type { BrowserRoute } from './serve-open.ts';

/** Leads browsers to a path of this service, below the prefix of a proxy. */
export const redirectTo = ({ config }: { readonly config: Config }, path: string): BrowserRoute => ({
  methods: ['GET', 'HEAD'],
  handler: async () => ({ status: 302, headers: { location: publicPath(config, path) }, text: '' }),
});
