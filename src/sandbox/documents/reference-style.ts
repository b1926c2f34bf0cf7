/** The style of the reference page: no font, picture or script from anywhere. */
export const referenceStyle = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d9dfe7; --back: #fff; --panel: #f5f7fa; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9aa7b8; --line: #2d3643; --back: #12171e; --panel: #1a212b; --link: #6db3f8; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--back); font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
a { color: var(--link); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem; background: var(--panel); border-right: 1px solid var(--line); font-size: .875rem; }
nav h2 { margin: 1.1rem 0 .3rem; font-size: .75rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { padding: .12rem 0; overflow-wrap: anywhere; } nav li a { display: flex; align-items: baseline; }
main { padding: 2rem 2.5rem 6rem; max-width: 62rem; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.2; } h2 { margin: 3rem 0 1rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); }
h3 { margin: 0 0 .25rem; font-size: 1.05rem; } h4 { margin: 1.1rem 0 .35rem; font-size: .875rem; color: var(--soft); }
article { margin: 0 0 1.25rem; padding: 1.1rem 1.35rem; border: 1px solid var(--line); border-radius: .6rem; }
article:target { border-color: var(--link); }
code, pre { font: .85em/1.5 ui-monospace, monospace; } code { overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .9rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; } th, td { padding: .4rem .6rem .4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: normal; }
th { width: 34%; } th em { color: #b3261e; font-size: .75rem; font-style: normal; } small, .soft { color: var(--soft); }
@media (prefers-color-scheme: dark) { th em { color: #f2a19a; } }
summary { cursor: pointer; color: var(--soft); font-size: .875rem; } details details { margin: .25rem 0 .25rem .75rem; }
.method { display: inline-block; min-width: 3.6em; padding: .05em .5em; border-radius: .3em; font: 600 .75rem/1.6 ui-monospace, monospace; color: #fff; text-align: center; background: #3b6ea5; }
.method.post { background: #2c7a4b; } .method.patch { background: #96650c; } .method.send { background: #75449c; }
nav .method { flex: none; min-width: 4.4em; font-size: .625rem; margin-right: .4em; }
@media (max-width: 56rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; } main { padding: 1.25rem; } }
`
