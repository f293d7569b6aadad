/** The style sheet: system fonts, light and dark color schemes, print layout. */
export const STYLE = `
:root {
  --paper: #fff; --side: #f8f8f6; --sunk: #f5f5f2; --line: #e5e5df; --ink: #1d2226; --soft: #59636d;
  --accent: #0b6657; --get: #1a5a9e; --post: #1c6a3c; --change: #855000; --delete: #a52a20;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
  --serif: ui-serif, Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Liberation Serif", serif;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --side: #111416; --sunk: #1c2024; --line: #2b3136; --ink: #e3e6e8; --soft: #9ba6b0;
    --accent: #74cbb8; --get: #8bbdf0; --post: #7fcf9d; --change: #e3b566; --delete: #f19a90;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans); }
[hidden] { display: none !important; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: .875em; }
code { overflow-wrap: anywhere; }
summary { cursor: pointer; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; padding: .5rem 1rem; background: var(--paper); }

nav { background: var(--side); font-size: .875rem; line-height: 1.4; }
nav h2 { margin: 1.75rem 0 .4rem; font: 600 .75rem/1.4 var(--sans); letter-spacing: .06em; text-transform: uppercase; }
nav h2 a { color: var(--soft); text-decoration: none; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a {
  display: grid; grid-template-columns: 3.1rem 1fr; margin: 0 -.6rem; padding: .28rem .6rem; border-radius: 5px;
  color: var(--ink); text-decoration: none;
}
nav li a:hover { background: color-mix(in srgb, var(--ink) 6%, transparent); }
nav [aria-current] { background: color-mix(in srgb, var(--accent) 13%, transparent); }
nav small { display: block; color: var(--soft); font: .75rem/1.4 var(--mono); overflow-wrap: anywhere; }
nav .schemas li a { display: block; overflow-wrap: anywhere; }
nav .schemas summary { color: var(--soft); }
nav .brand { margin: 0; font: 600 1.25rem/1.2 var(--serif); }
nav .brand a { color: inherit; text-decoration: none; }
nav .brand span { font: .75rem var(--sans); color: var(--soft); }
#page-filter { display: block; margin: 1rem 0 0; }
#page-filter span { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
#page-filter input {
  width: 100%; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--paper); color: inherit; font: inherit;
}
#page-found { margin: .5rem 0 0; color: var(--soft); }
#page-found:empty { margin: 0; }

main { max-width: 54rem; padding: 2rem 1.25rem 6rem; }
main p { max-width: 42rem; margin: .6rem 0; }
h1, h2, h3 { text-wrap: balance; }
h1 { margin: 0; font: 600 2.5rem/1.15 var(--serif); letter-spacing: -.01em; }
main h2 { margin: 5rem 0 .5rem; font: 600 1.75rem/1.2 var(--serif); }
h3 { margin: 0; font: 600 1.25rem/1.35 var(--sans); }
h4 { margin: 1.75rem 0 .35rem; font: 600 .875rem/1.5 var(--sans); }
.edition, .key { color: var(--soft); }
.key { font-size: .875rem; }
dl { margin: 1.5rem 0 0; }
dl div { display: flex; gap: 1rem; padding: .3rem 0; }
dt { flex: 0 0 9rem; color: var(--soft); }
dt::first-letter { text-transform: uppercase; }
dd { margin: 0; }
article { padding: 2.25rem 0 2.5rem; border-top: 1px solid var(--line); }
section > h2 + article, section > h2 + p + article { margin-top: 2rem; }
.here { margin-left: .5rem; color: var(--soft); font-weight: 400; text-decoration: none; opacity: 0; }
h3:hover .here, .here:focus { opacity: 1; }

.method { font: 600 .6875rem/1.9 var(--mono); letter-spacing: .03em; color: var(--ink); }
.get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
.patch, .put { color: var(--change); }
.call { display: flex; gap: .75rem; align-items: baseline; margin: .5rem 0 1rem; }
.call .method {
  padding: 0 .5rem; border-radius: 4px; background: color-mix(in srgb, currentColor 12%, transparent);
}
.path { font-size: .9375rem; }
var { font-style: normal; color: var(--accent); }

.name { margin-right: .15rem; font-weight: 500; }
.kind, .fact, .in { color: var(--soft); font-size: .875rem; font-weight: 400; }
.kind a { color: inherit; text-decoration-color: color-mix(in srgb, currentColor 40%, transparent); }
.kind a:hover { color: var(--accent); }
.required { color: var(--change); font-size: .75rem; font-weight: 600; }
.tree i, .deprecated { color: var(--soft); font-size: .8125rem; }
.meaning, .values { display: block; max-width: 42rem; font-size: .875rem; line-height: 1.5; }
.values { margin-top: .1rem; }
.values code, .fact code { padding: .05em .35em; border-radius: 4px; background: var(--sunk); font-size: .8125rem; }
.values code { margin-right: .1rem; line-height: 1.75; }
.either { color: var(--soft); font-size: .875rem; font-style: italic; }

.tree { margin: .25rem 0 0; padding: 0; list-style: none; }
.tree li { padding: .5rem 0; border-top: 1px solid var(--line); }
.tree > li:first-child { border-top: 0; }
.tree .tree { margin: .35rem 0 0; padding-left: 1.5rem; border-left: 2px solid var(--line); }
.tree li > details > summary, .answer > summary { position: relative; list-style: none; }
.tree summary::-webkit-details-marker, .answer summary::-webkit-details-marker { display: none; }
.tree li > details > summary::before, .answer > summary::before {
  content: ""; position: absolute; left: -.95rem; top: .6rem; width: .375rem; height: .375rem;
  border: solid var(--soft); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg);
}
.tree li > details[open] > summary::before, .answer[open] > summary::before { transform: rotate(45deg); }

table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline; }
thead th { border: 0; padding-bottom: .25rem; color: var(--soft); font-size: .75rem; font-weight: 400; }
th[scope=row] { width: 13.5rem; }
.in { width: 4.5rem; }
td:last-child { padding-right: 0; }

pre {
  margin: .5rem 0 0; padding: .9rem 1.1rem; overflow-x: auto; border-radius: 8px; background: var(--sunk);
  font-size: .875rem; line-height: 1.55; tab-size: 2;
}
.answer { margin: 0; padding: .5rem 0; border-top: 1px solid var(--line); max-width: none; font-size: .9375rem; }
.answer > .tree { margin-top: .5rem; padding-left: 1.5rem; border-left: 2px solid var(--line); font-size: 1rem; }
h4 + .answer { border-top: 0; }
.status { display: inline-block; min-width: 4.25rem; font: 600 .8125rem var(--mono); }
.s2 { color: var(--post); } .s4, .s5 { color: var(--delete); } .sd { color: var(--soft); }
.schema h3 { font-size: 1.0625rem; }
.schema { padding: 1.5rem 0; }
.whole { margin-top: .5rem; }

@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 18.5rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-right: 1px solid var(--line); scrollbar-width: thin; }
  .menu { padding: 2rem 1.5rem 3rem; }
  main { padding: 3.5rem 3.5rem 8rem; }
  @supports selector(details::details-content) {
    #page-menu > summary { display: none; }
    #page-menu::details-content { content-visibility: visible; }
  }
}
@media (max-width: 59.99rem) {
  html { scroll-padding-top: 4rem; }
  nav { position: sticky; top: 0; z-index: 2; border-bottom: 1px solid var(--line); }
  #page-menu > summary { padding: .8rem 1.25rem; font-weight: 600; }
  .menu { max-height: calc(100vh - 4rem); overflow-y: auto; padding: .25rem 1.25rem 2rem; }
}
@media (max-width: 40rem) {
  h1 { font-size: 2rem; }
  dl div { display: block; }
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; padding: .5rem 0; border-top: 1px solid var(--line); }
  th, td, th[scope=row] { display: inline; width: auto; padding: 0; border: 0; }
  td:last-child { display: block; }
}
@media print {
  @page { margin: 18mm 16mm; }
  :root { --paper: #fff; --sunk: #f5f5f2; --line: #ccc; --ink: #000; --soft: #444; --accent: #000; }
  html { font-size: 9.5pt; }
  body { display: block; }
  nav, .skip, .here { display: none; }
  main { max-width: none; padding: 0; }
  main > section + section > h2 { break-before: page; margin-top: 0; }
  h2, h3, h4, .call { break-after: avoid; }
  li, tr, pre { break-inside: avoid; }
  pre { white-space: pre-wrap; }
  .answer > .tree { display: none; }
  .tree details:not(.named)::details-content { content-visibility: visible; }
}
`;
