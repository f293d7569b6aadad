import { readTenant, type App } from '../app.ts';
import { readBrandWithLogo } from '../identity/brand/brand.ts';
import { DomainError } from '../platform/errors.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { PageView } from './frame.ts';

/** The view with the brand of the tenant, which a verified token named; without a brand if the team is deleted. */
export async function withBrand(app: App, view: PageView, tenant: Tenant): Promise<PageView> {
  const isSandbox = tenant.environment === 'sandbox';
  try {
    return { ...view, brand: await readTenant(app, tenant, readBrandWithLogo), isSandbox };
  } catch (error) {
    if (error instanceof DomainError) return { ...view, isSandbox };
    throw error;
  }
}
