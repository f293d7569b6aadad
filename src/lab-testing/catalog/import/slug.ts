/** `Own Panel (2)` is `own-panel-2`. */
export const slugOf = (name: string): string =>
  (name.toLowerCase().match(/[a-z0-9]+/g) ?? ['unnamed']).join('-').slice(0, 200);
