/** `Own Panel (2)` becomes `own-panel-2`. */
export const slugify = (name: string): string =>
  (name.toLowerCase().match(/[a-z0-9]+/g) ?? ['unnamed']).join('-').slice(0, 200);
