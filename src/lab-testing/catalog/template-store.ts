import type { Work } from '../../platform/work.ts';
import type { SeedLabTest } from './seed/catalog-seed.ts';
import type { SeedLabAccount } from './seed/schema.ts';
import type {} from './table.ts';
