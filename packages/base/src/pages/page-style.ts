/**
 * The style sheet of all pages, in light and dark, from 360 pixels width. Pages are built from these roles and components alone.
 *
 * - Type scale: `--text-s` labels and cells, `--text-m` running text, `--text-l` headings of sections and tables, `--text-xl` titles and the verdict.
 * - Spacing: `--gap-1` to `--gap-6`, each about 1.6 times the one before.
 * - Colour roles: paper, raised, ink, faint, line, edge, link, act.
 * - Tones, each with a soft background: bad (a person must act), warn (look at it), wait (goes on by itself), good.
 * - Components: header with search, menu, verdict, tiles, facts, table (cards on a phone), filter, actions, chart, note, story.
 */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --raised: #f4f6f8; --ink: #1b2733; --faint: #4d5b69; --line: #d3dae1; --edge: #6b7885;
  --link: #0b57b0; --act: #0b57b0; --on-act: #ffffff;
  --bad: #a3211c; --warn: #8a4b00; --wait: #0b4f94; --good: #1a6b34;
  --bad-soft: #fdedeb; --warn-soft: #fff3df; --wait-soft: #e9f2fc; --good-soft: #e8f5ec;
  --bar-stored: #2468b4; --bar-duplicate: #ab8100; --bar-refused: #8c1a15;
  --text-s: 0.875rem; --text-m: 1rem; --text-l: 1.125rem; --text-xl: 1.5rem;
  --gap-1: 0.25rem; --gap-2: 0.5rem; --gap-3: 0.75rem; --gap-4: 1.25rem; --gap-5: 2rem; --gap-6: 3rem;
  --face: Inter, system-ui, sans-serif; --round: 8px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12181f; --raised: #1b242e; --ink: #e6ebf0; --faint: #aab6c2; --line: #303c48; --edge: #8795a3;
    --link: #8ec2ff; --act: #8ec2ff; --on-act: #0d1a28;
    --bad: #ff9a93; --warn: #f0b76a; --wait: #93c5ff; --good: #7fd69a;
    --bad-soft: #35191a; --warn-soft: #32260f; --wait-soft: #14273c; --good-soft: #13291b;
    --bar-stored: #6fb1f5; --bar-duplicate: #d9b75a; --bar-refused: #ff8d85;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: var(--gap-4); }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--text-m)/1.5 var(--face); }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--paper); padding: var(--gap-2); z-index: 2; }
header { background: var(--raised); border-bottom: 1px solid var(--line); padding: var(--gap-2) var(--gap-4); }
.top { display: flex; flex-wrap: wrap; gap: var(--gap-2) var(--gap-4); align-items: center; justify-content: space-between; }
.who { display: flex; flex-wrap: wrap; gap: var(--gap-2); align-items: center; overflow-wrap: anywhere; }
.brand { font-weight: 700; font-size: var(--text-l); margin: 0; }
.brand a { color: inherit; text-decoration: none; display: flex; gap: var(--gap-2); align-items: center; }
.brand img { width: 1.5rem; height: 1.5rem; }
form.search { flex: 1 1 16rem; min-width: 0; max-width: 34rem; display: flex; margin: 0; }
form.search input { flex: 1; min-width: 0; border-radius: 4px 0 0 4px; border-right: 0; }
form.search button { border-radius: 0 4px 4px 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; color: var(--ink); padding: var(--gap-1) var(--gap-3); text-decoration: none; border-left: 3px solid transparent; border-radius: 0 4px 4px 0; }
nav a:hover { background: var(--raised); }
nav a[aria-current] { border-left-color: var(--link); background: var(--raised); font-weight: 600; }
nav .group { color: var(--faint); font-size: var(--text-s); padding: var(--gap-3) var(--gap-3) var(--gap-1); }
.menu-button { display: none; }
main { max-width: 80rem; margin: 0 auto; padding: var(--gap-2) var(--gap-4) var(--gap-6); min-width: 0; }
h1 { font-size: var(--text-xl); line-height: 1.25; margin: var(--gap-3) 0; overflow-wrap: anywhere; }
h2, caption { font-size: var(--text-l); font-weight: 600; }
h2 { margin: var(--gap-5) 0 var(--gap-2); }
h3 { font-size: var(--text-m); margin: var(--gap-4) 0 var(--gap-1); }
p { max-width: 70ch; }
.faint { color: var(--faint); }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); } .wait { color: var(--wait); }
.verdict { border: 1px solid currentColor; border-left-width: 8px; border-radius: var(--round); padding: var(--gap-3) var(--gap-4); margin: var(--gap-3) 0; }
.verdict.bad { background: var(--bad-soft); } .verdict.warn { background: var(--warn-soft); }
.verdict.wait { background: var(--wait-soft); } .verdict.good { background: var(--good-soft); }
.verdict p { margin: var(--gap-1) 0; color: var(--ink); max-width: none; }
.verdict .headline { font-size: var(--text-xl); line-height: 1.3; font-weight: 600; color: inherit; }
.verdict .effect { font-size: var(--text-l); }
.verdict time { white-space: nowrap; }
.verdict strong { color: var(--ink); }
/* It may be old: nothing answers, as during a restart. */
.stale .verdict { opacity: 0.5; }
.actions { display: flex; flex-wrap: wrap; gap: var(--gap-2); align-items: center; margin: var(--gap-2) 0; }
.also { list-style: none; margin: 0 0 var(--gap-3); padding: 0; }
.also li { border-left: 4px solid currentColor; padding: var(--gap-1) var(--gap-3); margin: var(--gap-2) 0; }
.also li > * { color: var(--ink); } .also li > a { color: var(--link); margin-right: var(--gap-3); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: var(--gap-2); margin: 0; }
.tiles div { background: var(--raised); border: 1px solid var(--line); border-radius: var(--round); padding: var(--gap-2) var(--gap-3); position: relative; }
.tiles dt { color: var(--faint); font-size: var(--text-s); }
.tiles time { white-space: normal; }
.tiles dd { margin: 0; overflow-wrap: anywhere; font-size: var(--text-l); font-variant-numeric: tabular-nums; }
.tiles dd code { font-size: var(--text-s); line-height: 1.4; }
.tiles dd small { color: var(--faint); font-size: var(--text-s); font-weight: 400; }
.tiles dd a { color: inherit; text-decoration: none; } .tiles dd a::after { content: ''; position: absolute; inset: 0; }
.tiles div:has(a):hover { border-color: var(--edge); }
.tiles .tone { border-color: currentColor; border-left-width: 6px; } .tiles .tone dd { font-weight: 700; font-size: var(--text-xl); line-height: 1.3; }
.tiles .zero { background: none; } .tiles .zero dd { color: var(--faint); font-size: var(--text-s); }
.tiles .bad { background: var(--bad-soft); } .tiles .warn { background: var(--warn-soft); } .tiles .wait { background: var(--wait-soft); }
.facts { display: flex; flex-wrap: wrap; gap: var(--gap-1) var(--gap-4); margin: var(--gap-3) 0; font-size: var(--text-s); color: var(--faint); }
.facts div { display: flex; gap: var(--gap-1); } .facts dd { margin: 0; color: var(--ink); font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; margin: var(--gap-4) 0 0; }
.scroll + :is(form, p) { margin-top: var(--gap-3); }
.scroll.tall { max-height: 16rem; overflow-y: auto; margin: 0; }
.scroll:is(.tall, .named-above) caption { position: absolute; left: -100rem; }
table { border-collapse: collapse; width: 100%; font-size: var(--text-s); }
caption { text-align: left; padding: var(--gap-1) 0; }
caption .note-of { display: block; font-size: var(--text-s); font-weight: 400; color: var(--faint); }
th, td { text-align: left; vertical-align: baseline; padding: var(--gap-2) var(--gap-3) var(--gap-2) 0; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: 600; font-size: var(--text-s); }
tbody tr:hover { background: var(--raised); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; } td.number { white-space: nowrap; }
td.id, code { font-family: ui-monospace, monospace; font-size: var(--text-s); overflow-wrap: anywhere; }
td.id { min-width: 7rem; } code.name { overflow-wrap: normal; }
td.id a:not(:hover) { text-decoration: none; }
.short-id { display: inline-flex; align-items: baseline; max-width: 100%; }
.short-id > :first-child { max-width: 18ch; overflow-x: clip; text-overflow: ellipsis; white-space: nowrap; }
h1 .short-id > :first-child { max-width: none; white-space: normal; font: inherit; }
button.copy { align-self: center; min-height: 1.5rem; width: 1.5rem; padding: 0; border: 0; background: none; color: var(--faint); }
button.copy:hover { color: var(--ink); }
/* Two sheets, one behind the other. */
button.copy::before { content: ''; width: 0.5rem; height: 0.6rem; border: 1px solid; border-radius: 2px; background: var(--paper); box-shadow: 2px -2px 0 -1px var(--paper), 2px -2px 0 0 currentColor; }
button.copy.done::before { content: '✓'; width: auto; height: auto; border: 0; box-shadow: none; background: none; color: var(--good); }
@media (hover: hover) { tr:not(:hover) button.copy:not(:focus-visible, .done) { opacity: 0; } }
td.wide { min-width: 12rem; overflow-wrap: anywhere; }
input[type='checkbox'] { width: 1.25rem; height: 1.25rem; margin: 0; vertical-align: middle; accent-color: var(--act); }
input[type='checkbox']:not(:checked) { appearance: none; background: var(--paper); border: 1px solid var(--edge); border-radius: 3px; }
time { white-space: nowrap; }
form.filter { display: flex; flex-wrap: wrap; gap: var(--gap-3); align-items: end; margin: var(--gap-3) 0; }
form.filter > * { min-width: 0; max-width: 100%; } form.filter select { max-width: 16rem; }
form.filter > a { line-height: 2.25rem; } input { text-overflow: ellipsis; } ::placeholder { color: var(--faint); opacity: 1; }
form.inline { display: inline-block; margin: 0 var(--gap-2) 0 0; }
label { display: block; font-size: var(--text-s); color: var(--faint); }
select, textarea, input[type='text'], input[type='password'], input[type='date'], input[type='search'], input[type='number'],
input[type='url'], input[type='datetime-local'] {
  font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 4px;
  padding: var(--gap-1) var(--gap-2); max-width: 100%; min-height: 2.25rem;
}
button, .button {
  font: inherit; min-height: 2.25rem; padding: var(--gap-1) var(--gap-3); border-radius: 4px; border: 1px solid var(--edge);
  background: var(--raised); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-flex; align-items: center; justify-content: center;
}
button:hover, .button:hover { border-color: var(--ink); }
button.act, .button.act { background: var(--act); border-color: var(--act); color: var(--on-act); }
textarea, form:not(.filter, .search, .inline) > p > :is(input[type='text'], input[type='password']) { width: 100%; max-width: 40rem; }
kbd { font: var(--text-s) ui-monospace, monospace; border: 1px solid var(--edge); border-bottom-width: 2px; border-radius: 4px; padding: 0 var(--gap-1); }
dl.fields { margin: 0; } dl.fields > div { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 var(--gap-3); break-inside: avoid; }
dl.fields > div:has(> dd > :is(dl, ol)) { display: block; } dl.fields dt { color: var(--faint); font-size: var(--text-s); line-height: 1.7; overflow-wrap: anywhere; }
dl.fields dd { margin: 0; overflow-wrap: anywhere; } dl.fields dd > :is(dl, ol) { margin: 0 0 var(--gap-2); padding-left: var(--gap-4); }
.sections section { margin-bottom: var(--gap-4); } .sections h2 { margin: 0 0 var(--gap-1); break-after: avoid; } .sections ol { margin: 0; padding-left: var(--gap-4); }
dl.content { margin: 0; }
dl.content dt { color: var(--faint); font-size: var(--text-s); margin-top: var(--gap-2); }
dl.content dd { margin: 0 0 0 var(--gap-4); overflow-wrap: anywhere; }
pre { overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: var(--gap-3); }
.note { border-left: 4px solid var(--edge); background: var(--raised); padding: var(--gap-2) var(--gap-3); margin: var(--gap-4) 0; }
.note.bad { border-color: var(--bad); color: var(--ink); } .note.warn { border-color: var(--warn); color: var(--ink); }
.note.wait { border-color: var(--wait); color: var(--ink); background: var(--wait-soft); }
.cause { border: 1px solid var(--line); border-left: 6px solid currentColor; border-radius: var(--round); padding: var(--gap-2) var(--gap-4) var(--gap-3); margin: var(--gap-3) 0; }
.cause > * { color: var(--ink); } .cause h2 { margin: var(--gap-1) 0; } .cause p { margin: var(--gap-1) 0; }
.cause p { overflow-wrap: anywhere; } .cause p a + a { margin-left: var(--gap-3); } .cause .scroll { margin: 0; } .cause caption { font-size: var(--text-s); color: var(--faint); font-weight: 400; }
figure { margin: 0; }
.chart { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); gap: var(--gap-4); align-items: start; }
.chart svg { width: 100%; height: auto; background: var(--raised); border: 1px solid var(--line); border-radius: var(--round); }
svg .stored { fill: var(--bar-stored); } svg .duplicate { fill: var(--bar-duplicate); } svg .refused { fill: var(--bar-refused); }
svg .incident { fill: var(--warn); opacity: 0.22; }
svg .axis { stroke: var(--edge); stroke-width: 1; } svg text { fill: var(--faint); font-size: 14px; }
.charts { margin-top: var(--gap-4); display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: var(--gap-4); }
.charts svg { width: 100%; height: auto; background: var(--raised); border: 1px solid var(--line); border-radius: var(--round); }
.charts figcaption { font-weight: 600; margin-bottom: var(--gap-1); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0 var(--gap-4); padding: 0; margin: var(--gap-1) 0; font-size: var(--text-s); }
.legend svg { width: 0.8rem; height: 0.8rem; border: 0; border-radius: 0; background: none; margin-right: var(--gap-1); }
.tabs { display: flex; flex-wrap: wrap; gap: var(--gap-2); list-style: none; margin: var(--gap-2) 0; padding: 0; }
.tabs a { display: inline-block; padding: var(--gap-1) var(--gap-3); border: 1px solid var(--line); border-radius: 1rem; text-decoration: none; }
.tabs a[aria-current] { background: var(--act); color: var(--on-act); border-color: var(--act); }
progress { width: 100%; max-width: 30rem; height: 1.25rem; accent-color: var(--act); }
#asking { margin-top: var(--gap-3); }
details.apart { margin-top: var(--gap-4); }
summary { min-height: 1.5rem; cursor: pointer; overflow-wrap: anywhere; }
.more { display: none; }
.pill { display: inline-flex; gap: var(--gap-1); align-items: baseline; padding: 0 var(--gap-2); border-radius: 1rem; font-size: var(--text-s); line-height: 1.6; white-space: nowrap; color: var(--faint); background: var(--raised); }
.pill + .pill, a:has(.pill) + a .pill { margin-left: var(--gap-1); }
.pill.good { color: var(--good); background: var(--good-soft); } .pill.warn { color: var(--warn); background: var(--warn-soft); }
.pill.bad { color: var(--bad); background: var(--bad-soft); } .pill.wait { color: var(--wait); background: var(--wait-soft); }
ul.plain { list-style: none; margin: 0; padding: 0; }
ol.story { list-style: none; padding: 0; margin: 0; }
ol.story li { border-left: 3px solid var(--line); padding: var(--gap-1) 0 var(--gap-2) var(--gap-3); }
ol.story li.failed, ol.story li.parked { border-color: var(--bad); }
ol.story li.waited { border-color: var(--wait); }
ol.story li.succeeded { border-color: var(--good); }
.bar { display: flex; flex-wrap: wrap; gap: var(--gap-2) var(--gap-4); align-items: center; justify-content: space-between; }
h1:has(+ .live) { float: left; margin-right: var(--gap-4); } .live { justify-content: flex-end; min-height: 3.75rem; } .live p { margin: 0; }
@media (min-width: 64rem) {
  td .short-id > :first-child { max-width: 28ch; }
  .sections { columns: 2; column-gap: var(--gap-5); }
  .frame { display: grid; grid-template-columns: 12.5rem minmax(0, 1fr); align-items: start; }
  .frame > nav { position: sticky; top: 0; padding: var(--gap-3) 0; max-height: 100vh; overflow-y: auto; }
  .tiles:has(> :nth-child(7)) { grid-template-columns: repeat(4, 1fr); }
  .frame > main { margin: 0; width: 100%; }
  .frame > nav + main { border-left: 1px solid var(--line); min-height: calc(100vh - 4rem); align-self: stretch; }
}
@media (max-width: 63.99rem) {
  .frame > nav { background: var(--raised); border-bottom: 1px solid var(--line); padding: 0 var(--gap-3) var(--gap-2); }
  .frame > nav ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); }
  .frame > nav .group { display: none; } .frame > nav a { padding: var(--gap-2); border-radius: 0; }
  .menu-button:not([hidden]) { display: inline-flex; }
  .frame > nav[data-closed] { display: none; }
}
@media (max-width: 48rem) {
  header { padding: var(--gap-2) var(--gap-3); } main { padding: var(--gap-1) var(--gap-3) var(--gap-6); }
  .top { column-gap: var(--gap-2); } form.search { order: 1; flex-basis: 100%; max-width: none; }
  .who { flex-wrap: nowrap; } .who span { max-width: 6rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .verdict .headline { font-size: var(--text-l); }
  .chart { grid-template-columns: minmax(0, 1fr); }
  button, .button, select, input:not([type='checkbox'], [type='radio']), summary, nav a { min-height: 2.75rem; }
  .actions .button, .actions button { flex: 1 1 auto; text-align: center; } .verdict .actions strong { flex-basis: 100%; }
  .actions a:not(.button), .tabs a { display: inline-flex; align-items: center; min-height: 2.75rem; }
  form.filter > a { line-height: 2.75rem; }
  form.filter > div { flex: 1 1 8rem; } form.filter select, form.filter input { width: 100%; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); }
  .scroll:not(.tall) { overflow-x: visible; }
  .scroll:not(.tall) thead { position: absolute; left: -100rem; }
  .scroll:not(.tall) :is(table, tbody, caption) { display: block; }
  .scroll:not(.tall) tr { display: block; border: 1px solid var(--line); border-radius: var(--round); padding: var(--gap-2) var(--gap-3); margin: var(--gap-2) 0; }
  .scroll:not(.tall) tbody tr:hover { background: none; }
  .scroll:not(.tall) td { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: var(--gap-2); border: 0; padding: var(--gap-1) 0; width: auto; min-width: 0; text-align: left; overflow-wrap: anywhere; }
  .scroll:not(.tall) td.number { white-space: normal; }
  .scroll:not(.tall) td::before { content: attr(data-name); color: var(--faint); font: var(--text-s)/1.7 var(--face); }
  .scroll:not(.tall) td > * { min-width: 0; } .scroll:not(.tall) td time { white-space: normal; }
  .scroll:not(.tall) td:has(> div:empty) { display: none; }
  .scroll.lines tr { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: var(--gap-2); align-items: center; min-height: 2.75rem; padding: 0; margin: 0; border-width: 0 0 1px; border-radius: 0; }
  .scroll.lines td { order: 3; flex: 1 0 100%; }
  .scroll.lines tr:not(:has(details[open])) td:not(.brief, .more) { display: none; }
  .scroll.lines td.brief { display: block; order: 0; flex: 1 1 0; } .scroll.lines td.brief::before { content: none; }
  .scroll.lines td.brief:has(.pill, .button, form, time), .scroll.lines td.number.brief { flex: none; }
  .scroll.lines td.brief time { white-space: nowrap; }
  /* Cut, until the row is opened to the whole. */
  .scroll.lines tr:has(.more details:not([open])) td.brief { overflow: hidden; } .scroll.lines tr:has(.more details:not([open])) td.brief > div { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .scroll.lines tr td.brief > div > div { overflow: hidden; text-overflow: ellipsis; }
  .scroll.lines tr td.brief.below { order: 2; flex: 0 0 calc(100% - var(--gap-6)); margin: calc(-1 * var(--gap-2)) var(--gap-6) 0 0; padding-top: 0; } .scroll.lines tr td.brief.below > div { white-space: normal; }
  .more summary { display: flex; align-items: center; justify-content: flex-end; } .more summary::after { content: '▾'; }
  .scroll.lines :is(td, th).more { display: block; order: 1; flex: 0 0 1.5rem; } .scroll.lines td.more::before { content: none; }
  button.copy { min-height: 2.75rem; width: 2.75rem; } :is(td, li) button.copy { display: none; } td .short-id { display: inline; } td .short-id > :first-child { max-width: none; white-space: inherit; }
  .chart svg text, .charts svg text { font-size: 22px; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .live { gap: var(--gap-2); } .live, .live button { font-size: var(--text-s); } .live button { padding: var(--gap-1) var(--gap-2); }
  .tiles div:last-child:nth-child(odd) { grid-column: 1 / -1; }
}
`
