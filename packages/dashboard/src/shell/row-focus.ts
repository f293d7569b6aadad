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
  const list = current?.closest('table,ul,[role="table"]') ?? scopeOf();
  const rows = [...list.querySelectorAll<HTMLElement>(ROW)].filter((row) => row.querySelector(OPENER));
  const next = current ? rows[rows.indexOf(current) + step] : (rows.find(isInView) ?? rows[0]);
  const opener = next?.querySelector<HTMLElement>(OPENER);
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
