/** Style of the sandbox pages, in addition to the one shared with the console. */
export const sandboxStyle = `
.tiles dd :is(.good, .warn, .bad) { background: none; }
button.bad { border-color: currentColor; }
.actions { align-items: end; } td .actions { margin: 0; } .actions form { margin: 0; } .actions form > button { flex: none; }
:is([data-live], .scroll) + form.inline { margin-top: var(--gap-3); }
form.filter > a.button { line-height: inherit; }
form.row { display: flex; flex-wrap: wrap; gap: var(--gap-2) var(--gap-3); align-items: end; margin: 0; }
form.row > p { margin: 0; }
form.row > * { min-width: 0; max-width: 100%; }
form.row label.check { align-items: center; min-height: 2.25rem; }
form.stack { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--gap-3); max-width: 40rem; margin: var(--gap-2) 0 var(--gap-4); }
form.stack > * { justify-self: start; max-width: 100%; }
form.stack > .full { justify-self: stretch; }
ul.next-steps { list-style: none; margin: var(--gap-2) 0; padding: 0; border-top: 1px solid var(--line); }
ul.next-steps li { border-bottom: 1px solid var(--line); padding: var(--gap-1) 0; }
form.step { display: grid; grid-template-columns: minmax(0, 17rem) minmax(0, 1fr) auto; gap: var(--gap-1) var(--gap-3); align-items: center; margin: 0; }
form.step .status { font-weight: 600; overflow-wrap: anywhere; }
form.step .choice { min-width: 0; } form.step .choice select { width: 100%; max-width: 34rem; }
@media (min-width: 48rem) { .together { white-space: nowrap; } }
@media (max-width: 48rem) {
  form.step { grid-template-columns: minmax(0, 1fr) auto; }
  form.step .choice { grid-column: 1 / -1; grid-row: 2; } form.step .choice:empty { display: none; }
  /* Below a title that leaves no room beside it. */
  .live { min-width: 11rem; }
}
input[type='checkbox'] { width: 1.5rem; height: 1.5rem; flex: none; }
label.check { display: flex; gap: var(--gap-2); color: var(--ink); font-size: var(--text-m); overflow-wrap: anywhere; }
h1, h2, h3, legend { overflow-wrap: anywhere; }
fieldset { border: 1px solid var(--line); border-radius: 6px; padding: var(--gap-2) var(--gap-3) var(--gap-3); margin: 0 0 var(--gap-4); min-width: 0; }
legend { font-weight: 600; padding: 0 var(--gap-1); }
.dials { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(9rem, 100%), 1fr)); gap: var(--gap-2) var(--gap-4); align-items: end; }
.dials input { width: 100%; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: var(--gap-3); list-style: none; margin: 0; padding: 0; }
.cards > li { display: flex; flex-direction: column; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: var(--gap-2) var(--gap-3) var(--gap-3); }
.cards :is(h2, h3) { margin: var(--gap-1) 0; font-size: var(--text-m); }
.cards p { margin: var(--gap-1) 0 var(--gap-2); } .cards > li > form { margin-top: auto; }
textarea.code { font-family: ui-monospace, monospace; font-size: var(--text-s); max-width: 100%; min-height: 24rem; }
details { margin: var(--gap-2) 0; }
/* A shade at the bottom, until its end is scrolled to. */
pre.tall {
  max-height: 32rem; overflow-y: auto;
  background: linear-gradient(transparent, var(--raised) 1rem) bottom / 100% 2rem no-repeat local, linear-gradient(transparent, var(--line)) bottom / 100% 1rem no-repeat, var(--raised);
}
.bar { margin-bottom: var(--gap-2); } .bar p { margin: var(--gap-1) 0; }
code.token { display: block; background: var(--raised); border: 1px solid var(--line); padding: var(--gap-2); user-select: all; }
`
