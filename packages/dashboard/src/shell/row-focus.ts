/** The rows of tables and lists: each has one link or button that opens it, which the keyboard moves to. */
const ROW = '[data-row]';
const OPENER = '[data-row-opener]';

/** Where shortcuts look for rows: the topmost dialog, or the page. */
const scopeOf = (): ParentNode => {
  const dialogs = document.querySelectorAll('[role="dialog"]');
  return dialogs[dialogs.length - 1] ?? document.getElementById('main') ?? document;
};

export const focusedRow = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>(ROW) ?? null;

/** Moves to the next (1) or previous (-1) row; without one, to the first that can be seen. */
export function moveToRow(step: 1 | -1): boolean {
  const current = focusedRow();
  if (current) return moveFrom(current, step, FRAMES_MAX);
  const rows = rowsIn(scopeOf());
  return focusOn(rows.find(isInView) ?? rows[0]);
}

/** About a second: a virtual list that was scrolled draws its next rows within some frames. */
const FRAMES_MAX = 60;

function moveFrom(current: HTMLElement, step: 1 | -1, framesLeft: number): boolean {
  const rows = rowsIn(current.closest('table,ul,[role="table"]') ?? scopeOf());
  if (focusOn(rows[rows.indexOf(current) + step])) return true;
  if (framesLeft === 0) return false;
  requestAnimationFrame(() => {
    if (focusedRow() === current) moveFrom(current, step, framesLeft - 1);
  });
  return true;
}

const rowsIn = (scope: ParentNode): HTMLElement[] =>
  [...scope.querySelectorAll<HTMLElement>(ROW)].filter((row) => row.querySelector(OPENER));

function focusOn(row: HTMLElement | undefined): boolean {
  const opener = row?.querySelector<HTMLElement>(OPENER);
  opener?.focus();
  return opener !== undefined && opener !== null;
}

/** Virtual lists keep some rows above and below what they show. */
function isInView(row: HTMLElement): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  const list = row.closest('[role="table"]')?.getBoundingClientRect();
  return top >= (list?.top ?? 0) && bottom <= Math.min(list?.bottom ?? Infinity, window.innerHeight);
}

/** Selects the focused row, or takes it out of the selection. */
export function toggleRow(): boolean {
  const box = focusedRow()?.querySelector<HTMLInputElement>('input[type="checkbox"]');
  box?.click();
  return box !== undefined && box !== null;
}

/** Moves to the first search field of the page. */
export function focusSearch(): boolean {
  const field = scopeOf().querySelector<HTMLInputElement>('input[type="search"], input[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}
