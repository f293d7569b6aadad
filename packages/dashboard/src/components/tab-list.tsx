import { Tabs, type TabsListProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** The tabs of a page, in one line: where they are wider than the window they scroll, and the active one is in sight. */
export function TabList({ children, ...props }: TabsListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = list.current;
    const active = place?.querySelector<HTMLElement>('[role="tab"][data-active]');
    if (!place || !active) return;
    place.scrollLeft = active.offsetLeft + active.offsetWidth / 2 - place.clientWidth / 2;
  });
  return (
    <Tabs.List ref={list} mb="md" {...props} className="tab-list">
      {children}
    </Tabs.List>
  );
}
