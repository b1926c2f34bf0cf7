import { readdir, readFile } from 'node:fs/promises'
import { lexer } from 'marked'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { Markdown } from '../src/markdown.tsx'

const folder = new URL('../../../docs/', import.meta.url)
const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3))
const shown = new Map(
  await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(`${name}.md`, folder), 'utf8')
      return [
        name === 'runbook' ? '/runbook' : `/docs/${name}`,
        renderToString(h(Markdown, { tokens: lexer(text) })),
      ] as const
    }),
  ),
)

it.each([...shown])('%s leads to sections that are there', (page, html) => {
  const targets = [...html.matchAll(/href="([^"#]*)#?([^"]*)"/g)].map(([, path = '', section = '']) => ({
    path: path === '' ? page : path,
    section,
  }))
  const broken = targets.filter(
    ({ path, section }) => !(section === '' ? shown.has(path) : shown.get(path)?.includes(`id="${section}"`)),
  )
  expect(broken).toEqual([])
})

it('shows text, code, lists, tables and links of a document, and nothing else of it', () => {
  const text = [
    '# Title',
    '<picture><img src="x.png"></picture>',
    '## A & B',
    'See **[the chart](ehr.md#settings)**, `a < b` and [code](../src/main.ts).',
    '- one\n- two',
    '| you see | do |\n| --- | --- |\n| `x` | nothing |',
    '```sh\npawl status\n```',
  ].join('\n\n')
  const html = renderToString(h(Markdown, { tokens: lexer(text) }))
  expect(html).toContain(
    '<h2 id="a--b">A &amp; B</h2><p>See <strong><a href="/docs/ehr#settings">the chart</a></strong>, <code>a &lt; b</code> and code.</p><ul><li>one</li><li>two</li></ul>',
  )
  expect(html).toContain('<td role="cell" class="wide brief" data-name="You see"><div><code>x</code></div></td>')
  expect(html).toContain('<pre tabindex="0">pawl status</pre>')
  expect(html).not.toMatch(/picture|img|Title<\/h/)
})
