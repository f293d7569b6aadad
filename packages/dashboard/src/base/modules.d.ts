/** Files that the bundler understands and that have no types of their own. */
declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  import type { Icon } from '@tabler/icons-react';
  const icon: Icon;
  export default icon;
}

declare module '*.css';
declare module '@fontsource-variable/inter/wght.css';
