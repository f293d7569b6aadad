import type { Work } from '../../platform/work.ts';
import { readBrand, type Brand } from '../management/management.ts';
import type { LogoImage } from './logo-image.ts';
import { findLogoContent } from './store.ts';

/** The logo of a team and how its brand looks in mails, on pages and in documents. */
export { fetchLogo, followLogoUrl, removeLogo } from './fetch-logo.ts';
export { brandRoutes } from './routes.ts';

export interface BrandWithLogo extends Brand {
  /** At most 512 KB and a million pixels. Undefined without one, and while it is still to be fetched. */
  readonly logo: LogoImage | undefined;
}

/** The brand of the tenant with the bytes of its logo. Where the bytes are not needed, use `readBrand`. */
export async function readBrandWithLogo(work: Work): Promise<BrandWithLogo> {
  const [brand, logo] = await Promise.all([readBrand(work), findLogoContent(work)]);
  return { ...brand, logo };
}
