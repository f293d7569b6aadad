import type { BrandWithLogo } from '../identity/brand/brand.ts';
import { contrast } from '../identity/management/management.ts';
import type { DocumentBrand } from '../platform/pdf/block.ts';

/** What WCAG 2 asks for text. */
const READABLE = 4.5;

/** The head of a team's documents; undefined for a team that has set neither a name nor a logo. */
export function toDocumentBrand({
  name,
  color,
  logo,
}: Pick<BrandWithLogo, 'name' | 'color' | 'logo'>): DocumentBrand | undefined {
  if (name === '' && !logo) return undefined;
  return {
    name,
    color,
    isTextColor: contrast(color, '#ffffff') >= READABLE,
    // A PDF cannot contain a WebP image.
    logo: logo?.mediaType === 'image/webp' ? undefined : logo,
  };
}
