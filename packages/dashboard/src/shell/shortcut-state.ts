const KEY = 'dashboard-single-key-shortcuts';

interface ShortcutState {
  readonly isHelpOpen: boolean;
  /** Single keys can be switched off (WCAG 2.1.4). */
  readonly isEnabled: boolean;
}

let state: ShortcutState = { isHelpOpen: false, isEnabled: localStorage.getItem(KEY) !== 'off' };
const listeners = new Set<() => void>();

function update(changed: Partial<ShortcutState>): void {
  state = { ...state, ...changed };
  for (const listener of listeners) listener();
}

export const readShortcuts = (): ShortcutState => state;

export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const openHelp = (): void => update({ isHelpOpen: true });
export const closeHelp = (): void => update({ isHelpOpen: false });

export function setEnabled(isEnabled: boolean): void {
  localStorage.setItem(KEY, isEnabled ? 'on' : 'off');
  update({ isEnabled });
}
