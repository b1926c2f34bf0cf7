/** Style of the reference page, without external fonts or images. */
export const referenceStyle = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d9dfe7; --back: #fff; --panel: #f5f7fa; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9aa7b8; --line: #2d3643; --back: #12171e; --panel: #1a212b; --link: #6db3f8; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 6.5rem; }
body { margin: 0; color: var(--ink); background: var(--back); font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
a { color: var(--link); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
nav { grid-area: 1 / 1; position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem; background: var(--panel); border-right: 1px solid var(--line); font-size: .875rem; }
nav h2 { margin: 1.1rem 0 .3rem; font-size: .75rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { padding: .12rem 0; overflow-wrap: anywhere; } nav li a { display: flex; align-items: baseline; }
main { grid-area: 1 / 2; padding: 2rem 2.5rem 6rem; max-width: 62rem; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.2; } h2 { margin: 3rem 0 1rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); }
h3 { margin: 0 0 .25rem; font-size: 1.05rem; } h4 { margin: 1.1rem 0 .35rem; font-size: .875rem; color: var(--soft); }
article { margin: 0 0 1.25rem; padding: 1.1rem 1.35rem; border: 1px solid var(--line); border-radius: .6rem; }
article:target { border-color: var(--link); }
code, pre { font: .85em/1.5 ui-monospace, monospace; } code { overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .9rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; } th, td { padding: .4rem .6rem .4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: normal; }
th { width: 34%; } th em { color: #b3261e; font-size: .75rem; font-style: normal; } small, .soft { color: var(--soft); }
@media (prefers-color-scheme: dark) { th em { color: #f2a19a; } }
main a { text-decoration: underline; }
summary { cursor: pointer; color: var(--soft); font-size: .875rem; min-height: 1.75rem; padding: .15rem 0; } details details { margin: .25rem 0 .25rem .75rem; }
.method { display: inline-block; min-width: 3.6em; padding: .05em .5em; border-radius: .3em; font: 600 .75rem/1.6 ui-monospace, monospace; color: #fff; text-align: center; background: #3b6ea5; }
.method.post { background: #2c7a4b; } .method.patch { background: #96650c; } .method.send { background: #75449c; }
nav .method { flex: none; min-width: 4.4em; font-size: .625rem; margin-right: .4em; }
.skip { position: absolute; left: .5rem; top: -4rem; padding: .4rem .8rem; background: var(--panel); border: 1px solid var(--line); z-index: 2; } .skip:focus { top: .5rem; }
[hidden] { display: none !important; }
.search { position: sticky; top: 0; z-index: 1; margin: 0 -.5rem; padding: .5rem; background: var(--back); border-bottom: 1px solid var(--line); }
label { display: block; margin: .6rem 0; font-size: .875rem; color: var(--soft); } .search label { margin: 0 0 .25rem; }
input, textarea, select, button { font: inherit; color: var(--ink); background: var(--back); border: 1px solid var(--soft); border-radius: .35rem; padding: .35rem .55rem; min-height: 2rem; }
input, textarea { display: block; width: 100%; } textarea { font: .85rem/1.5 ui-monospace, monospace; resize: vertical; } select { display: block; max-width: 100%; }
button { background: var(--panel); cursor: pointer; padding-inline: 1rem; } :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; } [tabindex="-1"]:focus { outline: 2px solid var(--link); }
#found { list-style: none; margin: .35rem 0 0; padding: 0; max-height: 55vh; overflow-y: auto; } #found a { display: block; padding: .35rem .25rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; color: var(--ink); text-decoration: none; } #found code { color: var(--link); }
#found-count, .state-of-answer { margin: .25rem 0 0; font-size: .875rem; } td p { margin: 0 0 .35rem; }
figure { margin: 1rem 0; } figcaption, caption { font-size: .875rem; color: var(--soft); text-align: left; } .diagram { overflow-x: auto; } .about { display: block; } .call pre { max-height: 22rem; overflow-y: auto; }
svg text { font: 13px ui-monospace, monospace; text-anchor: middle; fill: var(--ink); } .state { fill: var(--panel); stroke: var(--soft); } .terminal { stroke: var(--ink); stroke-width: 2; } .move { fill: none; stroke: var(--soft); stroke-width: 1.5; } .asked { stroke-dasharray: 5 4; } .tip { fill: var(--soft); }
@media (max-width: 56rem) { body { display: block; overflow-wrap: anywhere; } nav { position: static; height: auto; border-right: 0; border-top: 1px solid var(--line); } main { padding: 1.25rem; } article { padding: .9rem; } .skip { position: static; display: inline-block; margin: .75rem 1.25rem 0; } th { width: 42%; } ul { padding-left: 1.1rem; } }
`
