import type { Narrative, Section } from './narrative.ts'
import { printable } from './render-text.ts'

const style = `
body { font: 11pt/1.4 system-ui, sans-serif; color: #1a1a1a; max-width: 46em; margin: 1.5em auto; padding: 0 1em; }
h1 { font-size: 1.4em; margin: 0 0 .4em; }
h2 { font-size: 1.05em; margin: 1.2em 0 .3em; border-bottom: 1px solid #999; page-break-after: avoid; }
p { margin: .3em 0; white-space: pre-line; }
.lead { font-size: 1.1em; font-weight: bold; border-left: .3em solid #555; padding-left: .6em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .15em .6em .15em 0; white-space: pre-line; }
th { width: 13em; font-weight: normal; color: #444; }
tr { page-break-inside: avoid; }
@page { margin: 1.5cm; }
@media print {
  body { font-size: 8.5pt; line-height: 1.25; margin: 0; padding: 0; max-width: none; }
  .sections { columns: 2; column-gap: 1.5em; }
  h2 { margin-top: .7em; }
  section:first-child h2 { margin-top: 0; }
  th, td { padding-top: .1em; padding-bottom: .1em; }
  th { width: 9em; }
  td { overflow-wrap: anywhere; }
}
`

/** A narrative as a self-contained XHTML document, for screen and paper. */
export function renderXhtml(narrative: Narrative): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en">
${headAndBody(narrative)}
</html>
`
}

/** The two elements of a page, in words that XHTML and HTML read alike. */
export function headAndBody({ title, lead, sections }: Narrative): string {
  return `<head>
<meta charset="UTF-8"/>
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escape(title)}</h1>
${lead === '' ? '' : `<p class="lead">${escape(lead)}</p>\n`}<div class="sections">
${sections.map(sectionOf).join('\n')}
</div>
</body>`
}

function sectionOf({ heading, rows = [], paragraphs = [] }: Section): string {
  const table = rows.map(([label, value]) => `<tr><th scope="row">${escape(label)}</th><td>${escape(value)}</td></tr>`)
  return [
    '<section>',
    ...(heading === '' ? [] : [`<h2>${escape(heading)}</h2>`]),
    ...(table.length === 0 ? [] : ['<table><tbody>', ...table, '</tbody></table>']),
    ...paragraphs.map((paragraph) => `<p>${escape(paragraph)}</p>`),
    '</section>',
  ].join('\n')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(value: string): string {
  return printable(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
