import type { components } from '../../api/openapi.d.ts';

export type User = components['schemas']['ClientFacingUser'];

export interface TabProps {
  readonly user: User;
}
