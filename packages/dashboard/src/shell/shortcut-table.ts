/** The letter after `g` that opens a page, by the page's path. */
export const PAGE_LETTERS: Readonly<Record<string, string>> = {
  home: 'h',
  users: 'u',
  orders: 'o',
  'orders/new': 'n',
  catalog: 'c',
  appointments: 'a',
  'desks/critical': 'i',
  'desks/unmatched': 'm',
  'desks/reports': 'p',
  laboratories: 'l',
  wearables: 'y',
  webhooks: 'w',
  events: 'e',
  requests: 'q',
  logs: 't',
  developers: 'k',
  reference: 'r',
  'settings/team': 's',
  'settings/members': 'b',
  'settings/sign-in': 'f',
  'settings/data': 'd',
  'settings/organization': 'z',
};

/** What the other keys do, in the order of the help. */
export const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['j', '↓'], 'Next row of a list'],
  [['k', '↑'], 'Previous row of a list'],
  [['Enter'], 'Open the row'],
  [['x'], 'Select the row, in lists with a selection'],
  [['/'], 'Go to the search of the page'],
  [['Ctrl K', '⌘ K'], 'Search everything, and go to any page'],
  [['?'], 'Show this help'],
  [['Esc'], 'Close what is open'],
];
