import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** A calm blue-violet; step 6 has a contrast of at least 4.5 to white. */
const accent: MantineColorsTuple = [
  '#f0f1ff',
  '#dfe1fd',
  '#bcc0f8',
  '#979df3',
  '#777eef',
  '#626bec',
  '#525ceb',
  '#434dd1',
  '#3a44bb',
  '#2f3aa5',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 7,
  colors: { accent },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  defaultRadius: 'md',
  autoContrast: true,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.0625rem' }, h3: { fontSize: '0.9375rem' } },
  },
  components: {
    // A status is short, and half of it says nothing: its column scrolls instead.
    Badge: { defaultProps: { miw: 'max-content' } },
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Paper: { defaultProps: { withBorder: true, p: 'md' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
  },
});

/** Buttons of what is dangerous have white words. */
const DANGER = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02525' };

/**
 * Where the library's own choice has less contrast than WCAG 2.2 AA asks for small text (4.5): secondary text, and words
 * on a tinted ground, such as those of a status.
 */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...DANGER,
    '--mantine-color-dimmed': '#545b64',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-red-light-color': '#b02525',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-blue-light-color': '#17599c',
    '--mantine-color-gray-light-color': '#495057',
    '--mantine-color-accent-light-color': '#2f3aa5',
  },
  dark: {
    ...DANGER,
    '--mantine-color-dimmed': '#b0b3b8',
    '--mantine-color-placeholder': '#9a9da3',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-teal-light-color': '#63e6be',
    '--mantine-color-red-light-color': '#ffa8a8',
    '--mantine-color-yellow-light-color': '#ffe066',
    '--mantine-color-blue-light-color': '#8fc8ff',
    '--mantine-color-gray-light-color': '#ced4da',
    '--mantine-color-accent-light-color': '#c3c7fb',
    '--mantine-color-anchor': '#a5abf6',
  },
});
