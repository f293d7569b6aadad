import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from './config.ts';
import { DomainError } from './errors.ts';

/** A branded header of a request. `value` is undefined if none of the brands was sent. */
interface BrandedHeader {
  /** The header that was sent; the one of the service's own brand if none was. */
  readonly name: string;
  readonly value: string | string[] | undefined;
}

type Brands = Pick<Config, 'BRAND' | 'ADDITIONAL_BRANDS'>;

/**
 * The header x-<brand>-<suffix> of a request. The service's own brand counts first, then those of ADDITIONAL_BRANDS:
 * client SDKs have their brand built in, so a service of another brand must read theirs too. 400 if the headers of two
 * brands differ, because neither of them can be said to be meant.
 */
export function readBrandedHeader(
  config: Brands,
  headers: IncomingHttpHeaders,
  suffix: string,
): BrandedHeader {
  const own = `x-${config.BRAND}-${suffix}`;
  let found: BrandedHeader | undefined;
  for (const brand of [config.BRAND, ...config.ADDITIONAL_BRANDS]) {
    const name = `x-${brand}-${suffix}`;
    const value = headers[name];
    if (value === undefined) continue;
    if (found !== undefined && String(found.value) !== String(value))
      throw new DomainError('bad_request', `${found.name} and ${name} are different; send one of them`);
    found ??= { name, value };
  }
  return found ?? { name: own, value: undefined };
}

/** The first header x-<brand>-<suffix> or x-<suffix> of a request, of whatever brand. */
export const findForeignHeader = (headers: IncomingHttpHeaders, suffix: string): string | undefined =>
  Object.keys(headers).find((name) => new RegExp(`^x-([a-z0-9]{1,31}-)?${suffix}$`).test(name));
