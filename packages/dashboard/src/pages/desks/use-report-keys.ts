import { useEffect, useRef } from 'react';

interface ReportKeys {
  readonly next: () => void;
  readonly previous: () => void;
  readonly confirm: () => void;
  readonly edit: () => void;
  readonly remove: () => void;
  readonly move: (direction: 1 | -1) => void;
  readonly zoom: (direction: 1 | -1) => void;
  readonly complete: () => void;
}

/** What each key does; the help of the page is written from this table. */
export const KEY_HELP: readonly (readonly [string, string])[] = [
  ['J or N', 'Next doubt'],
  ['K or P', 'Previous doubt'],
  ['Enter', 'Confirm the line, and go to the next doubt'],
  ['E', 'Edit the line'],
  ['X', 'Remove the line'],
  ['↑ ↓', 'Previous or next line'],
  ['+ −', 'Zoom'],
  ['Ctrl Enter', 'Complete the review'],
];

const ACTIONS: Readonly<Record<string, (keys: ReportKeys) => void>> = {
  j: ({ next }) => next(),
  n: ({ next }) => next(),
  k: ({ previous }) => previous(),
  p: ({ previous }) => previous(),
  e: ({ edit }) => edit(),
  x: ({ remove }) => remove(),
  Enter: ({ confirm }) => confirm(),
  ArrowDown: ({ move }) => move(1),
  ArrowUp: ({ move }) => move(-1),
  '+': ({ zoom }) => zoom(1),
  '-': ({ zoom }) => zoom(-1),
};

const isTyping = (target: Element): boolean => target.closest('input,textarea,select,[role=dialog]') !== null;

/** Enter on a button of the page is a click on it; on a line of the list it confirms. */
const isOtherControl = (target: Element): boolean =>
  target.closest('button,a,[role=menuitem]') !== null && target.closest('[data-line]') === null;

/** The keys of a review, wherever the focus is, except in fields and dialogs. */
export function useReportKeys(keys: ReportKeys, isEnabled: boolean): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    if (!isEnabled) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (!(event.target instanceof Element) || isTyping(event.target) || event.altKey) return;
      if (event.ctrlKey || event.metaKey) {
        if (event.key === 'Enter') latest.current.complete();
        return;
      }
      const act = ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act || (event.key === 'Enter' && isOtherControl(event.target))) return;
      event.preventDefault();
      act(latest.current);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isEnabled]);
}
