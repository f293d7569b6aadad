import type { ComponentType, FunctionComponent } from 'react';
import type { PageEntry } from '../base/page-entry.ts';
import { PageFrame } from '../components/page.tsx';
import { NoAccess } from '../components/states.tsx';
import { useIsShown } from './navigation.tsx';

/** A page, for those who may see it; all others read why they may not. The API decides again with each request. */
export const guarded = (page: PageEntry, Page: ComponentType): FunctionComponent =>
  function Guarded() {
    const isShown = useIsShown();
    if (isShown(page)) return <Page />;
    return (
      <PageFrame title={page.title}>
        <NoAccess permissions={page.permissions ?? []} />
      </PageFrame>
    );
  };
