/** The style of all hosted pages: one column, made for phones first, in a light and a dark theme. */
export const STYLE = `
:root { color-scheme: light dark; --page: #f3f5f8; --card: #fff; --text: #1a1f27; --muted: #55606e; --line: #d5dbe3;
  --soft: #f6f8fa; --focus: #0b57d0; --good: #0f5f2c; --good-soft: #e5f5ea; --warn: #774000; --warn-soft: #fff3dc;
  --bad: #a00d24; --bad-soft: #ffeceb; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1015; --card: #171b22; --text: #e8ebf0; --muted: #a3adba;
  --line: #333c48; --soft: #1f252e; --focus: #8ab4ff; --good: #83e3a4; --good-soft: #12301d; --warn: #ffcb80;
  --warn-soft: #38290d; --bad: #ffb4ad; --bad-soft: #3f1619; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: break-word; }
.top { background: var(--brand); color: var(--brand-text); border-bottom: 1px solid var(--line);
  padding: 1.1rem 1rem 5rem; }
.top > div, main, footer { width: 100%; max-width: 34rem; margin: 0 auto; }
.top > div { display: flex; align-items: center; gap: .75rem; min-height: 2.5rem; }
.top img { height: 2.5rem; max-width: 9rem; object-fit: contain; background: #fff; border-radius: .5rem; padding: .25rem; }
.top b { font-size: 1.15rem; line-height: 1.3; letter-spacing: -.01em; }
.top .test { margin-left: auto; font-size: .8rem; font-weight: 600; border: 1px solid currentColor; border-radius: 1rem;
  padding: .05rem .6rem; white-space: nowrap; }
main { flex: 1; padding: 0 .75rem; margin-top: -4rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.5rem 1.25rem;
  box-shadow: 0 1px 2px #0001, 0 8px 28px #0f172a14; }
@media (min-width: 40rem) { main { padding: 0; } .card { padding: 2.25rem; } .top { padding-top: 1.5rem; } }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em; margin: 0 0 .75rem; text-wrap: balance; }
h2 { font-size: 1.05rem; line-height: 1.35; margin: 1.75rem 0 .5rem; }
p { margin: 0 0 1rem; }
a { color: inherit; text-underline-offset: .2em; }
small, .muted { color: var(--muted); font-size: .9rem; }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; min-width: 0; }
legend { font-weight: 600; padding: 0; margin-bottom: .6rem; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: .4rem; }
button, .button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 3rem; margin: .75rem 0 0;
  padding: .6rem 1.1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--brand-text); background: var(--brand); border: 1px solid #8886; border-radius: .7rem; }
button:hover, .button:hover { filter: brightness(1.08); }
button.quiet, .button.quiet { color: var(--text); background: var(--soft); border-color: var(--line); }
button.danger { color: #fff; background: #b3142b; border-color: #b3142b; }
button.small { width: auto; min-height: 2.75rem; margin: 0 0 0 auto; padding: .3rem .9rem; font-size: .9rem; }
.choice { position: relative; display: flex; gap: .85rem; align-items: center; min-height: 3.5rem; padding: .6rem .85rem;
  border: 1px solid var(--line); border-radius: .8rem; margin: 0 0 .55rem; }
.choice:has(input:checked) { border-color: var(--text); background: var(--soft); box-shadow: inset 0 0 0 1px var(--text); }
.choice img { flex: none; width: 2.25rem; height: 2.25rem; background: #fff; border: 1px solid var(--line); border-radius: .55rem; }
.choice label, .choice > span { flex: 1; min-width: 0; font-weight: 500; }
.choice label::after { content: ""; position: absolute; inset: 0; }
.choice small { display: block; font-weight: 400; line-height: 1.4; }
input[type=radio], input[type=checkbox] { flex: none; width: 1.35rem; height: 1.35rem; margin: 0; accent-color: var(--focus); }
.consent { display: flex; gap: .75rem; align-items: flex-start; }
.consent input { margin-top: .1rem; }
textarea { width: 100%; min-height: 5rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--muted);
  border-radius: .7rem; padding: .6rem .8rem; }
[role=alert], [role=status], .note { border-radius: .7rem; padding: .75rem .95rem; margin: 0 0 1.1rem; }
[role=alert] { background: var(--bad-soft); color: var(--bad); }
[role=status] { background: var(--good-soft); color: var(--good); }
.note { background: var(--soft); border: 1px solid var(--line); }
.note.warn { background: var(--warn-soft); color: var(--warn); border-color: transparent; }
.note > :last-child { margin-bottom: 0; }
.days, .times { display: grid; gap: .45rem; padding: 0; margin: 0 0 1.1rem; list-style: none; }
.days { grid-template-columns: repeat(auto-fill, minmax(4.6rem, 1fr)); }
.days a, .days span { display: block; height: 100%; min-height: 3.6rem; font-size: .95rem; padding: .4rem .2rem; text-align: center; line-height: 1.25;
  text-decoration: none; border: 1px solid var(--line); border-radius: .7rem; }
.days small { display: block; font-size: .8rem; color: inherit; }
.days span { color: var(--muted); background: var(--soft); border-style: dashed; }
.days [aria-current] { background: var(--brand); color: var(--brand-text); border-color: #8886; font-weight: 600; }
.times { grid-template-columns: repeat(auto-fill, minmax(8.2rem, 1fr)); }
.times div { position: relative; }
.times input { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; cursor: pointer; }
.times label { height: 100%; display: flex; align-items: center; justify-content: center; min-height: 2.9rem; padding: .2rem .4rem; text-align: center;
  border: 1px solid var(--line); border-radius: .7rem; font-variant-numeric: tabular-nums; }
.times input:checked + label { background: var(--brand); color: var(--brand-text); border-color: #8886; font-weight: 600; }
.times input:focus-visible + label { outline: 3px solid var(--focus); outline-offset: 2px; }
.centers { list-style: none; margin: 0; padding: 0; }
.centers a { display: block; padding: .8rem .95rem; margin: 0 0 .55rem; text-decoration: none; border: 1px solid var(--line); border-radius: .8rem; }
.centers a:hover, .days a:hover { border-color: var(--text); }
.centers small { display: block; }
.centers b { display: flex; gap: 1rem; justify-content: space-between; font-weight: 600; }
.centers b span { color: var(--muted); font-weight: 400; white-space: nowrap; }
dl { margin: 0 0 1.1rem; }
dt { color: var(--muted); font-size: .9rem; }
dd { margin: 0 0 .8rem; }
dd.when { font-size: 1.2rem; font-weight: 650; line-height: 1.35; }
ul.plain { margin: 0 0 1rem; padding-left: 1.2rem; }
.result { border-top: 1px solid var(--line); padding: 1.1rem 0; }
.result h3 { font-size: 1rem; margin: 0; }
.result .head { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; justify-content: space-between; }
.result .value { font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums; margin: .1rem 0; }
.result .value small { font-weight: 400; }
.result p { margin: .35rem 0 0; }
.tag { display: inline-block; font-size: .85rem; font-weight: 600; border-radius: 1rem; padding: .1rem .7rem; background: var(--soft); }
.tag.good { color: var(--good); background: var(--good-soft); }
.tag.warn { color: var(--warn); background: var(--warn-soft); }
.range { display: block; width: 100%; height: 1.75rem; margin: .55rem 0 0; }
.range .track { fill: var(--line); } .range .band { fill: var(--good); opacity: .55; }
.range .dot { fill: var(--text); stroke: var(--card); stroke-width: 2; }
footer { padding: 1.5rem 1rem 2.5rem; color: var(--muted); font-size: .9rem; text-align: center; }
footer p { margin: 0 0 .6rem; } footer p a, footer p span { display: inline-block; } footer address { font-style: normal; white-space: pre-line; margin: 0 0 .6rem; }
footer ul { display: flex; flex-wrap: wrap; justify-content: center; gap: .1rem .3rem; list-style: none; margin: 1rem 0 0; padding: 0; }
footer li a { display: inline-flex; align-items: center; min-height: 2.75rem; padding: 0 .6rem; }
footer li [aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
form + p { margin-top: 1rem; }
@media (forced-colors: active) { .times input:checked + label, .days [aria-current] { outline: 3px solid Highlight; } }
`;
