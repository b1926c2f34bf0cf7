/** The style sheet of all pages: light and dark, from 360 pixels width. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --raised: #f4f6f8; --ink: #1b2733; --faint: #4d5b69; --line: #c9d1d9; --edge: #6b7885;
  --link: #0b57b0; --good: #1a6b34; --warn: #8a4b00; --bad: #a3211c; --act: #0b57b0; --on-act: #ffffff;
  --bar-stored: #2468b4; --bar-duplicate: #8a6d1c; --bar-refused: #b3312b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12181f; --raised: #1b242e; --ink: #e6ebf0; --faint: #aab6c2; --line: #35424f; --edge: #8795a3;
    --link: #8ec2ff; --good: #7fd69a; --warn: #f0b76a; --bad: #ff9a93; --act: #8ec2ff; --on-act: #0d1a28;
    --bar-stored: #6fb1f5; --bar-duplicate: #d9b75a; --bar-refused: #ff8d85;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--paper); padding: 0.5rem; z-index: 1; }
header { background: var(--raised); border-bottom: 1px solid var(--line); padding: 0.5rem 1rem; }
header nav ul { display: flex; flex-wrap: wrap; gap: 0 0.25rem; list-style: none; margin: 0; padding: 0; }
header nav a { display: block; padding: 0.4rem 0.6rem; text-decoration: none; border-bottom: 3px solid transparent; }
header nav a[aria-current] { border-bottom-color: var(--link); font-weight: 600; }
.top { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; justify-content: space-between; }
.who { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; overflow-wrap: anywhere; }
.brand { font-weight: 700; margin: 0; padding: 0 0.6rem; }
main { max-width: 76rem; margin: 0 auto; padding: 0.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; margin: 0.75rem 0; }
h2 { font-size: 1.15rem; margin: 1.75rem 0 0.5rem; }
p { max-width: 70ch; }
.faint { color: var(--faint); }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0.5rem; margin: 0; }
.tiles div { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.75rem; }
.tiles dt { color: var(--faint); font-size: 0.875rem; }
.tiles dd { margin: 0; overflow-wrap: anywhere; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.scroll.tall { max-height: 16rem; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9375rem; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.id, code { font-family: ui-monospace, monospace; font-size: 0.875rem; overflow-wrap: anywhere; }
td.id { min-width: 10rem; } td.wide { min-width: 14rem; }
time { white-space: nowrap; }
form.filter { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; margin: 0.75rem 0; }
form.filter > * { min-width: 0; max-width: 100%; }
form.inline { display: inline-block; margin: 0 0.5rem 0 0; }
label { display: block; font-size: 0.875rem; color: var(--faint); }
select, textarea, input[type='text'], input[type='password'], input[type='date'], input[type='search'], input[type='number'],
input[type='url'] {
  font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 4px;
  padding: 0.35rem 0.5rem; max-width: 100%; min-height: 2.25rem;
}
button, .button {
  font: inherit; min-height: 2.25rem; padding: 0.35rem 0.9rem; border-radius: 4px; border: 1px solid var(--edge);
  background: var(--raised); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-block;
}
button.act { background: var(--act); border-color: var(--act); color: var(--on-act); }
textarea { width: 100%; max-width: 40rem; }
dl.content { margin: 0; }
dl.content dt { color: var(--faint); font-size: 0.875rem; margin-top: 0.5rem; }
dl.content dd { margin: 0 0 0 1rem; overflow-wrap: anywhere; }
pre { overflow-x: auto; background: var(--raised); border: 1px solid var(--line); padding: 0.75rem; }
.note { border-left: 4px solid var(--edge); background: var(--raised); padding: 0.5rem 0.75rem; margin: 1rem 0; }
.note.bad { border-color: var(--bad); color: var(--ink); } .note.warn { border-color: var(--warn); color: var(--ink); }
figure { margin: 0; }
.chart { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); gap: 1rem; align-items: start; }
.chart svg { width: 100%; height: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
svg .stored { fill: var(--bar-stored); } svg .duplicate { fill: var(--bar-duplicate); } svg .refused { fill: var(--bar-refused); }
svg .share { fill: var(--bar-stored); }
svg .axis { stroke: var(--edge); stroke-width: 1; } svg text { fill: var(--faint); font-size: 11px; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0; margin: 0.25rem 0; font-size: 0.875rem; }
.legend svg { width: 0.8rem; height: 0.8rem; border: 0; border-radius: 0; background: none; margin-right: 0.3rem; }
progress { width: 100%; max-width: 30rem; height: 1.25rem; accent-color: var(--act); }
ul.plain { list-style: none; margin: 0; padding: 0; }
ol.story { list-style: none; padding: 0; margin: 0; }
ol.story li { border-left: 3px solid var(--line); padding: 0.25rem 0 0.5rem 0.75rem; }
ol.story li.failed, ol.story li.parked { border-color: var(--bad); }
ol.story li.succeeded { border-color: var(--good); }
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between; }
@media (max-width: 48rem) { .chart { grid-template-columns: minmax(0, 1fr); } main { padding: 0.25rem 0.75rem 2rem; } }
`
