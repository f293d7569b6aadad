import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTenantPath } from '../base/tenant.ts';

/** The link in the first cell of a row, which the keyboard uses. */
export function RowLink({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  const pathOf = useTenantPath();
  return (
    <Anchor component={Link} to={pathOf(path)} c="inherit" fw={500} fz="sm" underline="never">
      {children}
    </Anchor>
  );
}
